import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../src/config/config.ts';
import { Database } from '../../src/graph/database/database.ts';
import type { UpdateResult } from '../../src/knowledge/update/propose.ts';
import { recall } from '../../src/neo4jServer/running.ts';
import { type Neo4jServer, startNeo4j } from '../../src/neo4jServer/server.ts';
import { ApiKeyStore } from '../../src/security/apiKeyStore.ts';
import { type Service, startService } from '../../src/service/startService.ts';
import { follow } from '../support/events.ts';
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

beforeEach(() => {
  run += 1;
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

/** Stops Neo4j as asked, sees the service unready, starts Neo4j again and sees the service ready. */
async function outage(how: 'stopped' | 'killed'): Promise<void> {
  const process_ = recall(join(directory, 'neo4j'))?.process;
  if (how === 'killed' && process_) process.kill(process_.pid, 'SIGKILL');
  await server.close();
  await readiness(503);
  server = await startServer();
  await readiness(200);
}

const json = (body: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
  body: JSON.stringify(body),
});

/** Every door over HTTP refuses without waiting for Neo4j, and says when to come again. */
async function refusedAtOnce(): Promise<void> {
  const query = '{ entities(limit: 1) { id } }';
  const [refused, ms] = await timed(() =>
    Promise.all([
      fetch(`${service.url}/a2a`, json({ jsonrpc: '2.0', id: 1, method: 'knowledge/query', params: { query } })),
      fetch(`${service.url}/a2a`, json({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'some' } })),
      fetch(`${service.url}/graphql`, json({ query })),
      fetch(`${service.url}/a2a/v1/tasks/some`, { headers: { 'a2a-version': '1.0' } }),
    ]),
  );
  const told = await Promise.all(refused.map(async (each) => [each.headers.get('retry-after'), await each.text()]));
  expect(told.map(([seconds]) => seconds)).toEqual(['1', '1', '1', '1']);
  for (const [, text] of told) expect(text).toMatch(/database-unavailable|DATABASE_UNAVAILABLE/);
  expect(refused.map(({ status }) => status)).toEqual([200, 200, 200, 503]);
  expect(ms).toBeLessThan(5_000);
}

/** Neo4j is there again, and callers find that out soon. */
async function answeredAgain(): Promise<void> {
  const [, ms] = await timed(async () => {
    for (let error: unknown = {}; error; await sleep(20))
      ({ error } = await call(service.url, 'knowledge/query', { query: '{ entities(limit: 1) { id } }' }));
  });
  // Much of it is Neo4j's, which is slow at first once it has started.
  expect(ms).toBeLessThan(60_000);
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const begun = performance.now();
  return [await work(), performance.now() - begun];
}

const update = (params: object) => call<UpdateResult>(service.url, 'knowledge/update', params);

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

describe.each(['stopped', 'killed'] as const)('Neo4j is %s', (how) => {
  /** What needs to be seen both ways only now and then: OUTAGES=all. */
  const testOf = (one: typeof how) => (how === one || process.env.OUTAGES === 'all' ? test : test.skip);

  test('in the middle of updates: each is wholly there, once, or not at all, and so when it is sent again', async () => {
    // Writers that go on all the while, so that the outage finds updates under way however fast they are.
    const settled: { subject: string; params: object; answer: Answer<UpdateResult> }[] = [];
    let isOver = false;
    const writing = Promise.all(
      Array.from({ length: 4 }, async (_, writer) => {
        for (let turn = 0; !isOver; turn++) {
          const subject = `urn:outage:${run}:${writer}:${turn}`;
          const params = {
            mutations: Array.from({ length: size }, (_, n) =>
              add(`${subject}/${n}`, `${schemaOrg}name`, n % 7 ? 'a' : 'b'),
            ),
            metadata: { idempotencyKey: subject },
          };
          const answer = await update(params);
          settled.push({ subject, params, answer });
          // Many of them fail at once while there is no Neo4j.
          if (answer.error) await sleep(500);
        }
      }),
    );
    for (const end = Date.now() + 60_000; settled.length < 2 && Date.now() < end; ) await sleep(20);
    const before = settled.length;
    await outage(how);
    isOver = true;
    await within(120_000, 'the answers', writing);
    // One that was under way may have been tried again until Neo4j was back.
    const struck = settled.slice(Math.max(0, before - 2)).slice(0, 16);
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

  testOf('stopped')('in the middle of a slow query: it is answered or to be tried again', async () => {
    const slow = call(service.url, 'knowledge/query', {
      query: `{ entities { id statements { id object { value } } incomingStatements { id } } }`,
    });
    await sleep(300);
    await outage(how);
    const { result, error } = await within(120_000, 'the query', slow);
    if (error) expect(error).toMatchObject(unavailable(-32010));
    else expect(result.data).toBeDefined();
  });

  testOf('stopped')('while there is no Neo4j: every method says so, in time', async () => {
    const subscriptionQuery = 'subscription { statementChanged { op } }';
    const process_ = recall(join(directory, 'neo4j'))?.process;
    if (how === 'killed' && process_) process.kill(process_.pid, 'SIGKILL');
    await server.close();
    const answers: Promise<Pick<Answer, 'error'>>[] = [
      call(service.url, 'knowledge/query', { query: '{ entities(limit: 1) { id } }' }),
      update({ mutations: [add('urn:a', 'urn:p:new', 1)] }),
      update({ mutations: [add('urn:a', `${schemaOrg}name`, 'a')] }),
      call(service.url, 'knowledge/review', { action: 'list' }),
      follow(service.url, { subscriptionQuery }),
      follow(service.url, { subscriptionQuery, metadata: { afterSequence: 1 } }),
    ];
    const errors = await within(40_000, 'the answers', Promise.all(answers));
    expect(errors.map(({ error }) => error)).toMatchObject(
      [-32010, -32011, -32011, -32011, -32012, -32012].map(unavailable),
    );
    await refusedAtOnce();
    server = await startServer();
    await answeredAgain();
    await readiness(200);
    const { result } = await update({ mutations: [add(`urn:back:${run}`, `${schemaOrg}name`, 'a')] });
    expect(result.success).toBe(true);
  });

  testOf('killed')(
    'while agents subscribe: they miss nothing and get nothing twice, resumed where they were ended',
    async () => {
      const subscriptionQuery = `subscription { statementChanged(where: {predicate: {eq: "urn:p:live:${run}"}}) { op } }`;
      const first = await follow(service.url, { subscriptionQuery });
      const write = (from: number, to: number) =>
        update({
          mutations: Array.from({ length: to - from }, (_, n) => add('urn:live', `urn:p:live:${run}`, from + n)),
          metadata: { idempotencyKey: `${run} ${from}` },
        });
      await write(0, 10);
      await first.until(5);
      const reading = write(10, 2_000);
      await outage(how);
      const lost = await within(120_000, 'the update', reading);
      if (lost.error) {
        expect(lost.error).toMatchObject(interrupted(-32011));
        await write(10, 2_000);
      }
      await write(2_000, 2_010);
      let values = () =>
        first.events.map(({ statement: { object } }) => ('value' in object ? object.value : undefined));
      await first.until(({ ended }) => ended || first.events.length === 2_010);
      if (first.ended) {
        if (first.error) expect(first.error).toMatchObject({ code: -32012, data: { retryable: true } });
        const cursor = String(first.error?.data.cursor ?? first.events.at(-1)?.cursor);
        const second = await follow(service.url, { subscriptionQuery }, { 'last-event-id': cursor });
        const rest = 2_010 - first.events.length;
        await second.until(rest);
        values = () =>
          [...first.events, ...second.events].map(({ statement: { object } }) =>
            'value' in object ? object.value : undefined,
          );
        second.close();
      }
      expect(values()).toEqual(Array.from({ length: 2_010 }, (_, n) => n));
      first.close();
    },
  );

  testOf('killed')('in the middle of an approval: it is applied once, by this call or the next', async () => {
    const subject = `urn:held:${run}`;
    const held = await update({
      mutations: Array.from({ length: 2_000 }, (_, n) => add(`${subject}/${n}`, `${schemaOrg}name`, 'a')),
      sourceAgentId: 'rumour',
    });
    expect(held.result.verificationStatus).toBe('Pending Review');
    const approve = () =>
      call<UpdateResult>(service.url, 'knowledge/review', {
        action: 'approve',
        updateId: held.result.updateId,
      });
    const first = approve();
    await sleep(how === 'stopped' ? 30 : 150);
    await outage(how);
    const { error } = await within(120_000, 'the approval', first);
    const again = await approve();
    if (error) expect(error).toMatchObject(interrupted(-32011));
    if (again.error) expect(again.error.data.reason).toBe('not-pending');
    else expect(again.result.success).toBe(true);
    const edges = await counted('MATCH (e:Entity)-[r:NAME]->() WHERE e.id STARTS WITH $subject RETURN count(r) AS n', {
      subject,
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
      await refusedAtOnce();
      const refused = await within(10_000, 'the refusal', query());
      expect([refused.status, ((await refused.json()) as Answer).error?.data]).toEqual([
        503,
        { reason: 'identities-unavailable', retryable: true },
      ]);
    } finally {
      process.kill(process_.pid, 'SIGCONT');
    }
    await answeredAgain();
    const woken = Date.now();
    while ((await probe()).status !== 200) await sleep(50);
    expect(Date.now() - woken).toBeLessThan(20_000);
    expect((await query()).status).toBe(200);
  });
});
