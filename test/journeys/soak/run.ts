import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProxy } from '../../client/proxy.ts';
import { Random } from '../../graph/qualify/random.ts';
import { startReceiver } from '../../push/receiver.ts';
import { Tally } from '../../support/tally.ts';
import { OwnNeo4j } from '../crash/ownNeo4j.ts';
import { moreOf, shuffled } from '../crash/run.ts';
import { type Occurrences, occurrences, write } from '../crash/writer.ts';
import { checked } from './checks.ts';
import { allReady, type Disturbance, disturbances, type Stage } from './disturbances.ts';
import { type Followers, followed } from './followers.ts';
import { levelOf } from './level.ts';
import { read } from './readers.ts';
import { openOn, type SoakReplica, startReplica } from './replica.ts';
import { type Calling, Tenant } from './tenant.ts';
import { Workflows } from './workflows.ts';

export interface Plan {
  seed: number;
  /** Disturbances follow one another until so many are over; of all kinds once in any case. */
  minutes: number;
  /** Between two updates of one agent. */
  pauseMs: number;
}

export interface Summary {
  /** How often each kind of work and of disturbance occurred. */
  seen: Tally<string>;
  written: Occurrences;
  /** What the run claims and didn't bring about. */
  missing: string[];
  faults: string[];
  /** What each replica held. */
  levels: string[];
  /** A line of the replicas' logs for each kind of error. */
  errors: string[];
}

const writers = ['agent-0', 'agent-1', 'agent-2', 'agent-3-by-task'];
const agents = [...writers, 'reader-0', 'reader-1', 'follower', 'planner', 'worker'];

type Closing = (() => Promise<unknown>)[];

/**
 * Agents of two tenants query, update, subscribe, follow tasks and coordinate workers through two replicas while these,
 * their Neo4j, its disk, the network and the clocks are disturbed; then compares what everybody was told with what is
 * in the database, and looks whether the replicas hold more and more.
 * @param report told of each disturbance
 */
export async function runSoak(plan: Plan, report: (line: string) => void): Promise<Summary> {
  const closing: Closing = [];
  try {
    return await soak(plan, report, closing);
  } finally {
    for (const close of closing.reverse()) await close().catch((error) => report(`${error}`));
  }
}

async function soak(plan: Plan, report: (line: string) => void, closing: Closing): Promise<Summary> {
  const random = new Random(plan.seed);
  const faults: string[] = [];
  const neo4j = await OwnNeo4j.start(true);
  closing.push(() => neo4j.close());
  const folder = mkdtempSync(join(tmpdir(), 'concord-soak-'));
  closing.push(async () => rmSync(folder, { recursive: true, force: true }));
  const [front, slow] = [await startProxy(), await startProxy()];
  closing.push(...[front, slow].map((each) => () => each.close()));
  const environment = { ...neo4j.environment, PUBLIC_URL: front.url };
  // Each costs a garbage collection.
  const everyMs = 10_000;
  const start = (name: string) => startReplica(join(folder, name), environment, everyMs);
  const replicas = [await start('one'), await start('two')] as const;
  closing.push(
    ...replicas.map(
      ({ service }) =>
        () =>
          service.close(),
    ),
  );
  for (const each of [front, slow]) each.target = () => random.pick(replicas).service.url;
  slow.lag = () => 300;
  const database = neo4j.database();
  closing.push(() => database.close());
  const services = replicas.map(({ service }) => service);
  await allReady(services);

  const calling: Calling = { url: front.url, fault: (line) => faults.push(line) };
  const tenants = ['north', 'south'].map((name) => new Tenant(name, calling)) as [Tenant, Tenant];
  for (const tenant of tenants) await tenant.admit(database, agents);
  const kinds = possible(neo4j);
  const work = await begin(tenants, { plan, kinds, random, calling, slowUrl: slow.url }, closing);
  report('all is under way');

  const acknowledged = () => tenants.flatMap((tenant) => tenant.acknowledged);
  const stage: Stage = {
    ...{ neo4j, replicas: services, front, clocks: replicas.map(({ clock }) => clock), random },
    more: (updates) =>
      Promise.all(tenants.map((each) => moreOf(each.acknowledged, updates, work.signal))).then(() => {}),
    fault: calling.fault,
  };
  await disturb(plan, kinds, stage, (kind) => {
    work.seen.add(kind);
    report(`${kind}, after ${acknowledged().length} updates`);
  });
  await stage.more(2 * writers.length);
  await work.end();
  slow.lag = () => 0;
  work.seen.add('connection cut', front.cuts + slow.cuts);
  report(`${acknowledged().length} updates; comparing`);
  for (const { name } of tenants) faults.push(...(await checked(database, tenants, name, work)));
  const lives = replicas.map((each) => levelOf(each.lastLife()));
  faults.push(...lives.flatMap((each) => each.faults), ...services.flatMap(({ ends }) => unasked(ends)));
  await work.close();
  for (const each of [front, slow]) each.cut();
  faults.push(...(await openSockets(replicas)));
  return {
    ...{ seen: work.seen, written: work.written, faults },
    missing: [...work.seen.missing, ...work.written.missing],
    levels: lives.map(({ line }) => line),
    errors: services.flatMap(({ errors }) => [...errors.values()]),
  };
}

/** What goes on through a run. */
export interface Work {
  seen: Tally<string>;
  written: Occurrences;
  followers: Map<string, Followers>;
  workflows: Map<string, Workflows>;
  /** Aborts where a writer was answered what it can't go on from. */
  signal: AbortSignal;
  /** Has nobody begin anything more, and settles when what is under way has ended. */
  end(): Promise<void>;
  /** Ends the connections of all. */
  close(): Promise<void>;
}

interface Beginning {
  plan: Plan;
  kinds: Disturbance[];
  random: Random;
  calling: Calling;
  slowUrl: string;
}

async function begin(tenants: [Tenant, Tenant], beginning: Beginning, closing: Closing): Promise<Work> {
  const { plan, kinds, random, calling, slowUrl } = beginning;
  const seen = new Tally<string>([...kinds, 'connection cut', 'query answered', 'workflow', 'task']);
  const written = occurrences();
  const receiver = await startReceiver();
  closing.push(() => receiver.close());
  const abandoned = new AbortController();
  closing.push(async () => abandoned.abort());
  const followers = new Map<string, Followers>();
  const workflows = new Map<string, Workflows>();
  const going: Promise<void>[] = [];
  const writings: { isOver: boolean }[] = [];
  let isOver = false;
  const reading = {
    ...{ ...calling, pauseMs: plan.pauseMs, isOver: () => isOver },
    answered: () => seen.add('query answered'),
  };
  for (const tenant of tenants) {
    const { name } = tenant;
    const [other = tenant] = tenants.filter((each) => each !== tenant);
    followers.set(name, await followed(tenant, random, { url: calling.url, slowUrl, receiver, seen }));
    const workers = await Workflows.start(tenant, calling.url);
    workflows.set(name, workers);
    closing.push(() => workers.close());
    const writing = {
      ...{ url: calling.url, acknowledged: tenant.acknowledged, seen: written, pauseMs: plan.pauseMs, isOver: false },
      ...{ signal: abandoned.signal, send: tenant.send.bind(tenant) },
    };
    writings.push(writing);
    going.push(
      ...writers.map((agent) => write(agent, new Random(random.below(2 ** 31)), writing)),
      ...['reader-0', 'reader-1'].map((agent) => read(tenant, other, agent, reading)),
      workers.run('planner', () => isOver, 10 * plan.pauseMs),
    );
  }
  const all = Promise.all(going);
  all.catch((error) => abandoned.abort(error));
  return {
    ...{ seen, written, followers, workflows, signal: abandoned.signal },
    async end() {
      isOver = true;
      for (const each of writings) each.isOver = true;
      await all;
    },
    async close() {
      for (const each of [...followers.values(), ...workflows.values()]) await each.close();
    },
  };
}

/** What can be disturbed here. */
function possible({ disk }: OwnNeo4j): Disturbance[] {
  const kinds = Object.keys(disturbances) as Disturbance[];
  if (disk) return kinds;
  process.stderr.write('SKIPPED. No disk is filled: a tmpfs cannot be mounted here\n');
  return kinds.filter((kind) => kind !== 'disk full');
}

/** What ends a replica's life: only in the first third of a run, for whether it holds more and more is seen of long ones. */
const ends: readonly Disturbance[] = ['rolling restart', 'replica killed'];

/** Each kind once, in an order of the seed, and again in another until the time is over. */
async function disturb(
  { minutes }: Plan,
  kinds: Disturbance[],
  stage: Stage,
  report: (kind: Disturbance) => void,
): Promise<void> {
  const begun = Date.now();
  const minutesGone = () => (Date.now() - begun) / 60_000;
  for (let round = 0; round === 0 || minutesGone() < minutes; round++) {
    for (const kind of shuffled(stage.random, kinds)) {
      if (round > 0 && ends.includes(kind) && minutesGone() > minutes / 3) continue;
      report(kind);
      // A full disk ends with a kill of Neo4j as well, each of which takes a short run long.
      const isToCome = minutes === 0 && kind === 'Neo4j killed' && kinds.includes('disk full');
      if (!isToCome) await disturbances[kind](stage);
      await stage.more(20);
    }
  }
  await allReady(stage.replicas);
}

/** Ends that nobody has asked for. */
function unasked(ends: readonly (number | string)[]): string[] {
  return ends.filter((end) => end !== 0 && end !== 'SIGKILL').map((end) => `a replica ended by itself with ${end}`);
}

/** How long a replica may take to see that its callers have gone. */
const goneMs = 15_000;

async function openSockets(replicas: readonly SoakReplica[]): Promise<string[]> {
  const all = () => replicas.map(({ service }) => openOn(Number(new URL(service.url).port)));
  for (const end = Date.now() + goneMs; Date.now() < end && all().some((open) => open > 0); await sleep(200));
  return all().flatMap((open) => (open > 0 ? [`${open} connections are open though all callers have gone`] : []));
}

/** What is printed of a run, the count of faults last. */
export function summaryLines({ seen, written, faults, levels, errors }: Summary, { seed }: Plan): string[] {
  return [
    ...faults.slice(0, 60),
    ...(faults.length > 0 ? errors : []),
    `SEED=${seed}`,
    ...[`${seen}`, `${written}`],
    ...levels,
    `${faults.length} faults`,
  ];
}
