import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../src/config/config.ts';
import { Database } from '../../src/graph/database/database.ts';
import type { UpdateResult } from '../../src/knowledge/update/propose.ts';
import { recall } from '../../src/neo4jServer/running.ts';
import { type Neo4jServer, startNeo4j } from '../../src/neo4jServer/server.ts';
import { ApiKeyStore } from '../../src/security/apiKeyStore.ts';
import { type Service, startService } from '../../src/service/startService.ts';
import { type Follower, follow } from '../support/events.ts';
import { lastingSettings, ownDataDirectory } from '../support/ownNeo4j.ts';
import { add, schemaOrg } from '../support/patches.ts';
import { type Answer, call } from '../support/service.ts';

// A Neo4j of its own, which can be stopped and started again on the same ports without harm to other tests.
let directory: string;
let settings: Record<string, string>;
let server: Neo4jServer;
let service: Service;
let database: Database;
let run = 0;

const startServer = () => startNeo4j(readConfig(settings), () => {});

beforeAll(async () => {
  directory = ownDataDirectory();
  settings = await lastingSettings(directory);
  server = await startServer();
  service = await startService(
    readConfig({
      PORT: '0',
      LOG_LEVEL: 'silent',
      VOCABULARY: 'test/support/world.graphql',
      AGENT_TRUST: 'rumour=0.2',
      FEED_STALE_MS: '3000',
      HEARTBEAT_MS: '1000',
      NEO4J_URI: server.uri,
      NEO4J_PASSWORD: server.password,
    }),
  );
  database = new Database({ ...server, database: 'neo4j' });
});

afterAll(async () => {
  await database?.close();
  await service?.close();
  await server?.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Within the limit or it throws: nothing here may hang. */
async function within<T>(limitMs: number, what: string, work: Promise<T>): Promise<T> {
  const limit = new AbortController();
  const late = sleep(limitMs, undefined, { signal: limit.signal }).then(() => {
    throw new Error(`${what}: not within ${limitMs} ms`);
  });
  late.catch(() => {});
  return Promise.race([work, late]).finally(() => limit.abort());
}

async function readiness(wanted: number): Promise<void> {
  for (const end = Date.now() + 120_000; ; await sleep(50)) {
    const { status } = await fetch(`${service.url}/readyz`);
    if (status === wanted) return;
    if (Date.now() > end) throw new Error(`/readyz did not become ${wanted}`);
  }
}

/** Stops Neo4j as asked, sees the service unready, does what is to be done then, and starts Neo4j again. */
async function outage<T>(how: 'stopped' | 'killed', meanwhile: () => Promise<T>): Promise<T> {
  const process_ = recall(join(directory, 'neo4j'))?.process;
  if (how === 'killed' && process_) process.kill(process_.pid, 'SIGKILL');
  await server.close();
  await readiness(503);
  const result = await meanwhile();
  server = await startServer();
  return result;
}

const json = (body: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
  body: JSON.stringify(body),
});

/** What the doors over HTTP answer. */
async function refusals() {
  const query = '{ entities(limit: 1) { id } }';
  const [refused, ms] = await timed(() =>
    Promise.all([
      fetch(`${service.url}/a2a`, json({ jsonrpc: '2.0', id: 1, method: 'knowledge/query', params: { query } })),
      fetch(`${service.url}/a2a`, json({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'some' } })),
      fetch(`${service.url}/graphql`, json({ query })),
      fetch(`${service.url}/a2a/v1/tasks/some`, { headers: { 'a2a-version': '1.0' } }),
    ]),
  );
  const told = await Promise.all(
    refused.map(async (each) => ({
      status: each.status,
      seconds: each.headers.get('retry-after'),
      text: await each.text(),
    })),
  );
  return { told, ms };
}

/** Every door refuses without waiting for Neo4j, and says when to come again. */
function expectAtOnce({ told, ms }: Awaited<ReturnType<typeof refusals>>): void {
  expect(told.map(({ seconds }) => seconds)).toEqual(['1', '1', '1', '1']);
  for (const { text } of told) expect(text).toMatch(/database-unavailable|DATABASE_UNAVAILABLE/);
  expect(told.map(({ status }) => status)).toEqual([200, 200, 200, 503]);
  expect(ms).toBeLessThan(5_000);
}

/** How long it takes until callers are answered again. */
async function untilAnswered(): Promise<number> {
  const [, ms] = await timed(async () => {
    for (let error: unknown = {}; error; await sleep(20))
      ({ error } = await call(service.url, 'knowledge/query', { query: '{ entities(limit: 1) { id } }' }));
  });
  return ms;
}

/** Much of it is Neo4j's, which is slow at first once it has started. */
const backMs = 60_000;

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const begun = performance.now();
  return [await work(), performance.now() - begun];
}

const update = (params: object) => call<UpdateResult>(service.url, 'knowledge/update', params);

/** One call of each. */
function everyMethod(): Promise<{ error?: unknown }>[] {
  const all = 'subscription { statementChanged { op } }';
  return [
    call(service.url, 'knowledge/query', { query: '{ entities(limit: 1) { id } }' }),
    update({ mutations: [add('urn:a', 'urn:p:new', 1)] }),
    update({ mutations: [add('urn:a', `${schemaOrg}name`, 'a')] }),
    call(service.url, 'knowledge/review', { action: 'list' }),
    follow(service.url, { subscriptionQuery: all }),
    follow(service.url, { subscriptionQuery: all, metadata: { afterSequence: 1 } }),
  ];
}

/** Statements of an update: so many that no two are committed together. */
const size = 1_001;

async function counted(cypher: string, parameters: object = {}): Promise<number> {
  const [row] = await database.run<{ n: number }>('READ', cypher, parameters);
  return row?.n ?? -1;
}

const unavailable = (code: number) => ({
  code,
  data: { reason: 'database-unavailable', retryable: true, retryAfterMs: 1_000 },
});
/** Of what may have been under way just when Neo4j went. */
const interrupted = (code: number) => ({
  code,
  data: { reason: expect.stringMatching(/^(database-unavailable|outcome-unknown)$/), retryable: true },
});

interface Sent {
  subject: string;
  params: object;
  answer: Answer<UpdateResult>;
}

/** Writers that go on all the while, so that an outage finds updates under way however fast they are. */
class Writers {
  readonly settled: Sent[] = [];
  private isOver = false;
  private readonly writing = Promise.all(Array.from({ length: 4 }, (_, writer) => this.write(writer)));

  async begun(): Promise<number> {
    for (const end = Date.now() + 60_000; this.settled.length < 2 && Date.now() < end; ) await sleep(20);
    return this.settled.length;
  }

  /** Those that were answered last before a number of them was, and first after it. */
  async end(before: number): Promise<Sent[]> {
    this.isOver = true;
    // One that was under way may have been tried again until Neo4j was back.
    await within(120_000, 'the answers', this.writing);
    return this.settled.slice(Math.max(0, before - 2)).slice(0, 8);
  }

  private async write(writer: number): Promise<void> {
    for (let turn = 0; !this.isOver; turn++) {
      const subject = `urn:outage:${run}:${writer}:${turn}`;
      const name = (n: number) => add(`${subject}/${n}`, `${schemaOrg}name`, n % 7 ? 'a' : 'b');
      const params = {
        mutations: Array.from({ length: size }, (_, n) => name(n)),
        metadata: { idempotencyKey: subject },
      };
      const answer = await update(params);
      this.settled.push({ subject, params, answer });
      // Many of them fail at once while there is no Neo4j.
      if (answer.error) await sleep(500);
    }
  }
}

describe.each(['stopped', 'killed'] as const)('Neo4j is %s', (how) => {
  const subscriptionQuery = `subscription { statementChanged(where: {predicate: {eq: "urn:p:live:${how}"}}) { op } }`;
  const write = (from: number, to: number) =>
    update({
      mutations: Array.from({ length: to - from }, (_, n) => add('urn:live', `urn:p:live:${how}`, from + n)),
      metadata: { idempotencyKey: `${how} ${from}` },
    });
  const heldSubject = `urn:held:${how}`;
  let held: Answer<UpdateResult>;
  const approve = () =>
    call<UpdateResult>(service.url, 'knowledge/review', { action: 'approve', updateId: held.result.updateId });

  let first: Follower;
  let struck: Sent[];
  let slow: Answer;
  let approval: Answer<UpdateResult>;
  let lost: Answer<UpdateResult>;
  let away: { error?: unknown }[];
  let refused: Awaited<ReturnType<typeof refusals>>;
  let backAfterMs: number;

  // One outage in the middle of it all: each start of Neo4j takes seconds.
  beforeAll(async () => {
    run += 1;
    held = await update({
      mutations: Array.from({ length: 2_000 }, (_, n) => add(`${heldSubject}/${n}`, `${schemaOrg}name`, 'a')),
      sourceAgentId: 'rumour',
    });
    first = await follow(service.url, { subscriptionQuery });
    await write(0, 10);
    await first.until(5);
    const writers = new Writers();
    const before = await writers.begun();
    const asked = call(service.url, 'knowledge/query', {
      query: '{ entities { id statements { id object { value } } incomingStatements { id } } }',
    });
    const [approving, writing] = [approve(), write(10, 2_000)];
    await sleep(150);
    await outage(how, async () => {
      away = await within(40_000, 'the answers', Promise.all(everyMethod()));
      refused = await refusals();
    });
    backAfterMs = await untilAnswered();
    await readiness(200);
    struck = await writers.end(before);
    const answers = Promise.all([asked, approving, writing]);
    [slow, approval, lost] = await within(120_000, 'the answers', answers);
  });
  afterAll(() => first?.close());

  test('in the middle of updates: each is wholly there, once, or not at all, and so when it is sent again', async () => {
    const stored = (subject: string) =>
      counted('MATCH (e:Entity)-[r:NAME]->() WHERE e.id STARTS WITH $subject RETURN count(r) AS n', {
        subject: `${subject}/`,
      });
    for (const { subject, params, answer } of struck) {
      const edges = await stored(subject);
      if (answer.error) {
        expect(answer.error).toMatchObject(interrupted(-32011));
        expect([0, size]).toContain(edges);
      } else {
        expect(answer.result).toMatchObject({ success: true, statementsAffected: size });
        expect(edges).toBe(size);
      }
      const again = await update(params);
      expect(again.result).toMatchObject({ success: true, statementsAffected: size });
      expect(await stored(subject)).toBe(size);
    }
    expect(struck.length).toBeGreaterThan(2);
    expect(await counted('MATCH (l:Ledger), (c:Change) WITH l, count(c) AS n RETURN l.sequence - n AS n')).toBe(0);
  });

  test('in the middle of a slow query: it is answered or to be tried again', () => {
    if (slow.error) expect(slow.error).toMatchObject(unavailable(-32010));
    else expect(slow.result.data).toBeDefined();
  });

  test('while there is no Neo4j: every method says so, in time', async () => {
    expect(away.map(({ error }) => error)).toMatchObject(
      [-32010, -32011, -32011, -32011, -32012, -32012].map(unavailable),
    );
    expectAtOnce(refused);
    expect(backAfterMs).toBeLessThan(backMs);
    const { result } = await update({ mutations: [add(`urn:back:${run}`, `${schemaOrg}name`, 'a')] });
    expect(result.success).toBe(true);
  });

  test('while agents subscribe: they miss nothing and get nothing twice, resumed where they were ended', async () => {
    if (lost.error) {
      expect(lost.error).toMatchObject(interrupted(-32011));
      await write(10, 2_000);
    }
    await write(2_000, 2_010);
    const { events } = first;
    await first.until(({ ended }) => ended || events.length === 2_010);
    let rest: typeof events = [];
    if (first.ended) {
      if (first.error) expect(first.error).toMatchObject({ code: -32012, data: { retryable: true } });
      const cursor = String(first.error?.data.cursor ?? events.at(-1)?.cursor);
      const second = await follow(service.url, { subscriptionQuery }, { 'last-event-id': cursor });
      await second.until(2_010 - events.length);
      rest = second.events;
      second.close();
    }
    const values = [...events, ...rest].map(({ statement: { object } }) =>
      'value' in object ? object.value : undefined,
    );
    expect(values).toEqual(Array.from({ length: 2_010 }, (_, n) => n));
  });

  test('in the middle of an approval: it is applied once, by this call or the next', async () => {
    expect(held.result.verificationStatus).toBe('Pending Review');
    const again = await approve();
    if (approval.error) expect(approval.error).toMatchObject(interrupted(-32011));
    if (again.error) expect(again.error.data.reason).toBe('not-pending');
    else expect(again.result.success).toBe(true);
    const edges = await counted('MATCH (e:Entity)-[r:NAME]->() WHERE e.id STARTS WITH $subject RETURN count(r) AS n', {
      subject: heldSubject,
    });
    expect(edges).toBe(2_000);
    const changes = await counted('MATCH (:Update {id: $id})-[:CONTAINS]->(c) RETURN count(c) AS n', {
      id: held.result.updateId,
    });
    expect(changes).toBe(2_000);
  });
});

describe('Neo4j is frozen', () => {
  let withKeys: Service;
  let key: string;

  beforeAll(async () => {
    const { uri: NEO4J_URI, password: NEO4J_PASSWORD } = server;
    const address = { PORT: '0', LOG_LEVEL: 'silent', NEO4J_URI, NEO4J_PASSWORD };
    withKeys = await startService(readConfig({ ...address, API_KEYS: 'true', OPERATIONS_PORT: '0' }));
    const store = new ApiKeyStore(database);
    ({ key } = await store.create({ tenant: 'default', agentId: 'ada', scopes: ['knowledge:query'] }));
  });
  afterAll(() => withKeys?.close());

  test('probes are answered within a second, callers with keys are told to come again, and all goes on after', async () => {
    const process_ = recall(join(directory, 'neo4j'))?.process;
    if (!process_) throw new Error('There is no Neo4j to freeze');
    const probe = async () => {
      const asked = Date.now();
      const { status } = await fetch(`${withKeys.operations}/readyz`);
      return { status, ms: Date.now() - asked };
    };
    const query = () =>
      fetch(`${withKeys.url}/a2a`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'knowledge/query', params: { query: '{ __typename }' } }),
      });
    process.kill(process_.pid, 'SIGSTOP');
    try {
      const probes: Awaited<ReturnType<typeof probe>>[] = [];
      while (probes.length < 5) probes.push(await probe());
      expect(probes.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503]);
      // The machine may have other things to do, but not each time.
      expect(Math.min(...probes.map(({ ms }) => ms))).toBeLessThan(1_000);
      const frozen = Promise.all([
        call(service.url, 'knowledge/query', { query: '{ entities(limit: 1) { id } }' }),
        update({ mutations: [add('urn:frozen', `${schemaOrg}name`, 'a')], metadata: { idempotencyKey: 'frozen' } }),
      ]);
      const ended = await within(20_000, 'what waits for a frozen Neo4j', frozen);
      expect(ended.map(({ error }) => error)).toMatchObject([unavailable(-32010), interrupted(-32011)]);
      expectAtOnce(await refusals());
      const refused = await within(10_000, 'the refusal', query());
      expect([refused.status, ((await refused.json()) as Answer).error?.data]).toEqual([
        503,
        { reason: 'identities-unavailable', retryable: true },
      ]);
    } finally {
      process.kill(process_.pid, 'SIGCONT');
    }
    expect(await untilAnswered()).toBeLessThan(backMs);
    const woken = Date.now();
    while ((await probe()).status !== 200) await sleep(50);
    expect(Date.now() - woken).toBeLessThan(20_000);
    expect((await query()).status).toBe(200);
  });
});
