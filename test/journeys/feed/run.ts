import { setTimeout as sleep } from 'node:timers/promises';
import { add, type ConcordClient, connect } from '../../../src/client/index.ts';
import type { Database } from '../../../src/graph/database/database.ts';
import { type BreakableProxy, startProxy } from '../../client/proxy.ts';
import { Random } from '../../graph/qualify/random.ts';
import { startReceiver, type TestReceiver } from '../../push/receiver.ts';
import { schemaOrg, world } from '../../support/patches.ts';
import { Tally } from '../../support/tally.ts';
import { OwnNeo4j } from '../crash/ownNeo4j.ts';
import { OwnService } from '../crash/ownService.ts';
import { moment, moreOf, shuffled } from '../crash/run.ts';
import { type Acknowledged, type Occurrences, occurrences, type Writing, write } from '../crash/writer.ts';
import { isReady } from '../rolling/replica.ts';
import { classFilterOf } from './classFilters.ts';
import { startEditor } from './editor.ts';
import { country, filterOf, subjects } from './filters.ts';
import { live, liveQueries } from './liveQueries.ts';
import { readLog } from './log.ts';
import { ofClass, overGraphql, overSse } from './streams.ts';
import { type Claimed, type Following, kinds, type Subscriber } from './subscriber.ts';
import { failSometimes, overWebhook } from './webhooks.ts';

export interface Plan {
  seed: number;
  /** How often each is killed. */
  replicaKills: number;
  neo4jKills: number;
  /** Between two updates of one writer. */
  pauseMs: number;
}

export interface Summary {
  subscribers: number;
  updates: number;
  changes: number;
  seen: Tally<Claimed>;
  /** What its writers have met. */
  written: Occurrences;
  /** What the run claims and didn't bring about. */
  missing: string[];
  faults: string[];
  /** A line of the replicas' logs for each kind of error. */
  errors: string[];
}

const writers = 8;
/** How long nobody is told anything before it is said who was not told all; and what edits by hand are given. */
const patienceMs = 120_000;
/** How long a double is waited for. */
const quietMs = 1_500;

/** All that the run has opened; closed in reverse. */
type Closing = (() => Promise<unknown>)[];

/**
 * Eight agents write and somebody edits by hand, while fifty subscribers of all kinds follow through what cuts their
 * connections, and both replicas and Neo4j are killed; then compares what each was told with what is in the database.
 * @param report told of each kill
 */
export async function runFeed(plan: Plan, report: (line: string) => void): Promise<Summary> {
  const random = new Random(plan.seed);
  const closing: Closing = [];
  try {
    const neo4j = await OwnNeo4j.start();
    closing.push(() => neo4j.close());
    return await onNeo4j(neo4j, plan, { random, report, closing });
  } finally {
    for (const close of closing.reverse()) await close().catch((error) => report(`${error}`));
  }
}

interface Run {
  random: Random;
  report(line: string): void;
  closing: Closing;
}

async function onNeo4j(neo4j: OwnNeo4j, plan: Plan, run: Run): Promise<Summary> {
  const { random, report, closing } = run;
  const seen = new Tally<Claimed>([
    ...kinds,
    ...(plan.replicaKills > 0 ? (['replica killed'] as const) : []),
    ...(plan.neo4jKills > 0 ? (['Neo4j killed'] as const) : []),
    'connection cut',
    'stream begun again',
    'edit by hand',
  ]);
  const front = await startProxy();
  const receiver = await startReceiver();
  const toReceiver = await startProxy();
  toReceiver.target = receiver.url;
  closing.push(
    () => front.close(),
    () => toReceiver.close(),
    () => receiver.close(),
  );
  const environment = { ...neo4j.environment, PUBLIC_URL: front.url, ...settings };
  const replicas = [await OwnService.start(environment), await OwnService.start(environment)] as const;
  closing.push(...replicas.map((each) => () => each.close()));
  front.target = () => random.pick(replicas).url;
  const database = neo4j.database();
  closing.push(() => database.close());

  await allReady(replicas);
  report('two replicas are ready');
  await seed(front.url);
  const over = new AbortController();
  const [row] = await database.run<{ begin: number }>('READ', 'MATCH (l:Ledger) RETURN l.sequence AS begin');
  const following: Following = { url: front.url, seen, signal: over.signal, begin: row?.begin ?? 0 };
  const subscribers = await subscribed(random, { receiver, url: toReceiver.url }, following);
  for (const each of subscribers) closing.push(() => each.close());
  report(`${subscribers.length} subscribers stand`);
  const editor = startEditor(
    { user: 'neo4j', uri: neo4j.environment.NEO4J_URI, password: neo4j.environment.NEO4J_PASSWORD },
    new Random(random.below(2 ** 31)),
    { seen, pauseMs: 8 * plan.pauseMs },
  );
  const abandoned = new AbortController();
  const acknowledged: Acknowledged[] = [];
  const written = occurrences();
  const writing: Writing = {
    ...{ url: front.url, acknowledged, seen: written, pauseMs: plan.pauseMs },
    ...{ isOver: false, signal: abandoned.signal },
  };
  closing.push(async () => abandoned.abort());
  const seeds = Array.from({ length: writers }, () => random.below(2 ** 31));
  const all = Promise.all(seeds.map((each, n) => write(`agent-${n}`, new Random(each), writing)));
  all.catch((error) => abandoned.abort(error));

  cutSometimes([front, toReceiver], random);
  await kill(plan, { neo4j, replicas, acknowledged, seen, random, report, signal: abandoned.signal });
  for (const each of [front, toReceiver]) each.budget = () => Number.POSITIVE_INFINITY;
  await allReady(replicas);
  // What comes last is told by streams that stand.
  await moreOf(acknowledged, 4 * writers, abandoned.signal);
  writing.isOver = true;
  await Promise.all([all, editor.close()]);
  seen.add('connection cut', front.cuts + toReceiver.cuts);
  report(`${acknowledged.length} updates; waiting for the subscribers`);
  await editsTaken(database);
  const log = await readLog(database, `${world}population`);
  const faults = [
    ...log.changes.flatMap(({ sequence }, n) => (sequence === n + 1 ? [] : [`change ${sequence} is the ${n + 1}th`])),
    ...unlogged(acknowledged, new Set(log.changes.map(({ updateId }) => updateId))),
    ...editor.faults(log.changes),
    ...(await faultsOf(subscribers, (each) => each.fault(log))),
  ];
  return {
    ...{ subscribers: subscribers.length, updates: acknowledged.length, changes: log.changes.length },
    ...{ seen, written, missing: [...seen.missing, ...written.missing], faults },
    errors: replicas.flatMap((each) => [...each.errors.values()]),
  };
}

const settings = {
  ...{ CAPTURE: 'report', PUSH_ALLOW: '127.0.0.1', HEARTBEAT_MS: '2000', LIVE_QUERY_INTERVAL_MS: '200' },
  // A busy machine that has just lost its Neo4j.
  QUERY_TIMEOUT_MS: '60000',
};

async function allReady(replicas: readonly OwnService[]): Promise<void> {
  for (const { url } of replicas) while (!(await isReady(url))) await sleep(50);
}

/** What is there before: classes, and for each entity a statement that nobody takes back. */
async function seed(url: string): Promise<void> {
  const client = await patient(url);
  await client.update([
    ...[...subjects, 'urn:island'].map((id) => add({ id, type: country }, `${world}landlocked`, false)),
    add({ id: 'urn:city', type: `${schemaOrg}City` }, `${schemaOrg}name`, 'City'),
  ]);
}

/** A client that goes on trying while whatever it calls is killed. */
function patient(url: string): Promise<ConcordClient> {
  return connect(url, { agentId: 'atlas', retry: { attempts: 1_000, baseMs: 50, maxMs: 500 } });
}

/** Fifty subscribers, each with what it asks for. */
async function subscribed(
  random: Random,
  { receiver, url }: { receiver: TestReceiver; url: string },
  following: Following,
): Promise<Subscriber[]> {
  const client = await patient(following.url);
  const of = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
  failSometimes(receiver, random);
  return Promise.all([
    ...of(12, () => overSse(client, filterOf(random, true), following)),
    ...of(10, () => overGraphql('WebSocket', filterOf(random, false), following)),
    ...of(8, () => overGraphql('GraphQL over SSE', filterOf(random, true), following)),
    ...of(4, () => ofClass('class field over WebSocket', classFilterOf(random), following)),
    ...of(4, () => ofClass('class field over SSE', classFilterOf(random), following)),
    ...of(6, (n) => overWebhook(client, filterOf(random, true), { receiver, url, path: `/hook/${n}` }, following)),
    ...of(6, (n) => {
      const answers = n % 2 === 0 ? 'whole' : 'patch';
      return live(client, liveQueries[n % liveQueries.length] ?? '', { answers, seen: following.seen });
    }),
  ]);
}

/** Most new connections are cut, some in their first bytes. */
function cutSometimes(proxies: BreakableProxy[], random: Random): void {
  for (const each of proxies)
    each.budget = () => (random.chance(0.3) ? Number.POSITIVE_INFINITY : 1 + random.below(random.pick([500, 40_000])));
  for (const each of proxies) each.cut();
}

interface Victims {
  neo4j: OwnNeo4j;
  replicas: readonly OwnService[];
  acknowledged: Acknowledged[];
  seen: Tally<Claimed>;
  random: Random;
  report(line: string): void;
  signal: AbortSignal;
}

async function kill({ replicaKills, neo4jKills }: Plan, victims: Victims): Promise<void> {
  const { neo4j, replicas, acknowledged, seen, random, report, signal } = victims;
  let neo4jIsBack = Promise.resolve();
  const kills = shuffled(random, [
    ...Array<'replica'>(replicaKills).fill('replica'),
    ...Array<'Neo4j'>(neo4jKills).fill('Neo4j'),
  ]);
  for (const [index, kind] of kills.entries()) {
    await moment(random, acknowledged, signal);
    report(`${index + 1}/${kills.length}: ${kind}, after ${acknowledged.length} updates`);
    if (kind === 'replica') {
      const victim = random.pick(replicas);
      // Mostly one that serves, sometimes one that has just been started.
      if (random.chance(0.8)) await until(async () => (await isReady(victim.url)) || signal.aborted);
      await until(() => victim.kill());
    } else {
      await neo4jIsBack;
      neo4jIsBack = neo4j.killed();
      neo4jIsBack.catch(() => {});
    }
    seen.add(`${kind} killed`);
  }
  await neo4jIsBack;
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(20);
}

async function editsTaken(database: Database): Promise<void> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(50)) {
    const [row] = await database.run<{ edits: number }>('READ', 'MATCH (e:DirectEdit) RETURN count(e) AS edits');
    if (row?.edits === 0) return;
  }
  throw new Error(`Edits by hand were not taken within ${patienceMs} ms`);
}

/** What agents were told to be done and no change is of. */
function unlogged(acknowledged: Acknowledged[], logged: ReadonlySet<string>): string[] {
  const updates = acknowledged.flatMap(({ results }) => results.flatMap(({ updateId }) => updateId ?? []));
  return updates.filter((id) => !logged.has(id)).map((id) => `update ${id} was acknowledged and is not in the log`);
}

/** What is wrong with each once nobody is told anything more, and as long again as a double takes to come. */
async function faultsOf(
  subscribers: Subscriber[],
  faultOf: (subscriber: Subscriber) => Promise<string | undefined>,
): Promise<string[]> {
  const faulty = async () =>
    (
      await Promise.all(
        subscribers.map(async (each) => {
          const fault = await faultOf(each);
          return fault === undefined ? [] : [`${each.kind} ${each.asks}: ${fault}`];
        }),
      )
    ).flat();
  // As long as anybody is told anything nobody waits in vain: a machine that has much to do tells them slowly.
  let faults = await faulty();
  for (let since = Date.now(); faults.length > 0 && Date.now() < since + patienceMs; await sleep(500)) {
    const now = await faulty();
    if (now.join() !== faults.join()) since = Date.now();
    faults = now;
  }
  await sleep(quietMs);
  return faulty();
}

/** What is printed of a run, the count last. */
export function summaryLines(
  { subscribers, updates, changes, seen, written, faults, errors }: Summary,
  { seed: of }: Plan,
): string[] {
  return [
    ...faults.slice(0, 60),
    ...(faults.length > 0 ? errors : []),
    `SEED=${of}`,
    `${seen}`,
    `${written}`,
    `${subscribers} subscribers, ${updates} updates, ${changes} changes, ${faults.length} faults`,
  ];
}
