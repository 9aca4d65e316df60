import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { quoted } from '../../src/graph/names/names.ts';
import { add, schemaOrg, world } from '../support/patches.ts';
import { call, startServiceOnGraph } from '../support/service.ts';
import { useDatabase, useService } from '../support/setUp.ts';

const settings = {
  QUERY_MAX_DEPTH: '6',
  QUERY_MAX_COST: '20000',
  QUERY_MAX_ROWS: '200',
  QUERY_MAX_BYTES: '12000',
  QUERY_MAX_CONCURRENT: '2',
  QUERY_TIMEOUT_MS: '60000',
};

const database = useDatabase();

/** Two hundred countries of which each borders on twenty others. */
const countries = 200;
const country = (n: number) => `urn:limits:${n % countries}`;

const service = useService(settings);
beforeAll(async () => {
  const mutations = Array.from({ length: countries }, (_, n) => [
    add(country(n), `${schemaOrg}name`, `${n}`.padStart(20, 'ä'), { type: `${schemaOrg}Country` }),
    ...Array.from({ length: 20 }, (_, k) => add(country(n), `${world}borders`, { id: country(n + 1 + k * 9) })),
    ...(n === 0 ? [add(country(n), `${world}capital`, { id: 'urn:limits:c', type: `${schemaOrg}City` })] : []),
  ]);
  const { error } = await call(service.url, 'knowledge/update', { mutations: mutations.flat() });
  expect(error).toBeUndefined();
});

/** Looks along every path of five borders for somebody who isn't there: for hours. */
const slow = `{ countries(where: ${'{borders: {some: '.repeat(5)}{name: {eq: "nobody"}}${'}}'.repeat(5)}) { name } }`;

type Refusal = { code: number; message: string; data: Record<string, unknown> } | undefined;
interface Door {
  /** What is sent for a query. */
  body(query: string): object;
  refusal(answer: unknown): Refusal;
}
const doors: Record<string, Door> = {
  '/a2a': {
    body: (query) => ({ jsonrpc: '2.0', id: 1, method: 'knowledge/query', params: { query } }),
    refusal: (answer) => (answer as { error?: Refusal }).error,
  },
  '/graphql': {
    body: (query) => ({ query }),
    refusal: (answer) => {
      type Told = { message: string; extensions: { code: number } };
      const [first] = (answer as { errors?: Told[] }).errors ?? [];
      if (!first) return undefined;
      const { code, ...data } = first.extensions;
      return { code, message: first.message, data };
    },
  },
};

const callers: AbortController[] = [];
afterEach(async () => {
  for (const caller of callers.splice(0)) caller.abort();
  await untilReading(0);
});

function send(path: string, body: object, url = service.url, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

/** A request that its caller can leave. */
function leavable(path: string, body: object, url = service.url): AbortController {
  const caller = new AbortController();
  callers.push(caller);
  send(path, body, url, caller.signal).catch(() => {});
  return caller;
}

/** Waits until Neo4j runs this many reads; what Concord's feed asks is none, for it is over at once. */
async function untilReading(wanted: number): Promise<void> {
  for (const end = Date.now() + 60_000; ; await sleep(20)) {
    const [found] = await database.run<{ reads: number }>(
      'READ',
      `SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery CONTAINS 'EXISTS' AND NOT currentQuery STARTS WITH 'SHOW' RETURN count(*) AS reads`,
    );
    if (found?.reads === wanted) return;
    if (Date.now() > end) throw new Error(`Neo4j runs ${found?.reads} reads and not ${wanted}`);
  }
}

describe.each(Object.entries(doors))('over %s', (path, { body, refusal }) => {
  const ask = async (query: string, url = service.url) => refusal(await (await send(path, body(query), url)).json());

  test.each<[string, string, string, object]>([
    [
      'deep',
      '{ countries(limit: 1) { currencies { usedIn { currencies { usedIn { id } } } } } }',
      '{ countries(limit: 1) { currencies { usedIn { currencies { usedIn { currencies { id } } } } } } }',
      { reason: 'too-deep', limit: 6, found: 7, retryable: false },
    ],
    [
      'costly',
      '{ countries(limit: 180) { currencies { usedIn { id } } } }',
      '{ countries(limit: 181) { currencies { usedIn { id } } } }',
      { reason: 'too-costly', limit: 20_000, found: 20_092, retryable: false },
    ],
    [
      'long, in rows,',
      '{ countries(limit: 200) { code } }',
      '{ countries(limit: 200) { code } cities { id } }',
      { reason: 'too-many-rows', limit: 200, retryable: false },
    ],
    [
      'long, in rows inside of rows,',
      '{ countries(limit: 9) { borders { code } } }',
      '{ countries(limit: 10) { borders { code } } }',
      { reason: 'too-many-rows', limit: 200, retryable: false },
    ],
    [
      'long, in characters,',
      '{ countries(limit: 20) { name } }',
      `{ countries(limit: 200) { ${Array.from({ length: 4 }, (_, n) => `n${n}: name`).join(' ')} } }`,
      { reason: 'answer-too-large', limit: 12_000, retryable: false },
    ],
    [
      'long, in bytes,',
      '{ countries(limit: 100) { name } }',
      '{ countries(limit: 200) { name id } }',
      { reason: 'answer-too-large', limit: 12_000, found: expect.any(Number), retryable: false },
    ],
  ])(
    'a query that is too %s is answered with -32010, and one within the limit with data',
    async (_how, within, beyond, data) => {
      expect(await ask(within)).toBeUndefined();
      const refused = await ask(beyond);
      expect(refused).toEqual({
        code: -32010,
        message: expect.stringContaining(String((data as { limit: number }).limit)),
        data,
      });
      expect(refused?.message).not.toContain('\n');
    },
  );

  test('a bomb of fragments is refused', async () => {
    const fragments = Array.from({ length: 300 }, (_, n) => `fragment F${n} on Country { ...F${n + 1} ...F${n + 1} }`);
    const bomb = `{ countries { ...F0 } } ${fragments.join(' ')} fragment F300 on Country { name }`;
    expect(await ask(bomb)).toMatchObject({ code: -32010, data: { reason: 'too-large', limit: 2_000 } });
  });

  test('a query that takes too long is stopped', async () => {
    const hasty = await startServiceOnGraph({ ...settings, QUERY_TIMEOUT_MS: '500' });
    try {
      expect(await ask(slow, hasty.url)).toMatchObject({
        code: -32010,
        data: { reason: 'timeout', limit: 500, retryable: false },
      });
      await untilReading(0);
    } finally {
      await hasty.close();
    }
  });

  test('a caller that goes away ends its query in Neo4j', async () => {
    const caller = leavable(path, body(slow));
    await untilReading(1);
    caller.abort();
    await untilReading(0);
  });

  test('more queries at once than an agent may have are refused, until one of them has ended', async () => {
    const [one] = [leavable(path, body(slow)), leavable(path, body(slow))];
    await untilReading(2);
    const refused = await send(path, body('{ cities { id } }'));
    expect(refusal(await refused.json())).toMatchObject({
      code: -32010,
      data: { reason: 'too-many-queries', limit: 2, retryable: true },
    });
    one?.abort();
    await untilReading(1);
    expect(await ask('{ cities { id } }')).toBeUndefined();
  });

  test('a query that still runs when the service has stopped is ended', async () => {
    const leaving = await startServiceOnGraph({ ...settings, SHUTDOWN_MS: '300' });
    leavable(path, body(slow), leaving.url);
    await untilReading(1);
    await leaving.close();
    await untilReading(0);
  });
});

test('a batch whose caller goes away ends with the query that runs, and begins no other', async () => {
  const ask = doors['/a2a']?.body(slow) ?? {};
  const caller = leavable('/a2a', [ask, ask, ask]);
  await untilReading(1);
  caller.abort();
  await untilReading(0);
  await sleep(200);
  await untilReading(0);
});

test('the answers of a batch are as long together as one may be', async () => {
  const request = doors['/a2a']?.body('{ countries(limit: 100) { name } }') ?? {};
  const answers = (await (await send('/a2a', [request, request, request])).json()) as { error?: Refusal }[];
  expect(answers.map(({ error }) => error?.data.reason)).toEqual([undefined, undefined, 'answer-too-large']);
});

test('over /graphql a refusal has an HTTP status, and one that may be sent again says when', async () => {
  const status = async (query: string) => (await send('/graphql', { query })).status;
  expect(await status('{ countries { borders { borders { borders { id } } } } }')).toBe(400);
  leavable('/graphql', { query: slow });
  leavable('/graphql', { query: slow });
  await untilReading(2);
  const refused = await send('/graphql', { query: '{ cities { id } }' });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
});

test('what fails in Neo4j tells the same over both doors, and nothing of Cypher', async () => {
  // As somebody may leave it who tidies up in Neo4j Browser: without the index of texts.
  const [index] = await database.run<{ name: string; made: string }>(
    'READ',
    "SHOW INDEXES YIELD name, type, createStatement AS made WHERE name = 'entity_text' RETURN name, made",
  );
  await database.run('WRITE', `DROP INDEX ${quoted(index?.name ?? '')}`);
  const failing = '{ cities(matching: {name: "paris"}) { id } }';
  const told = await Promise.all(
    Object.entries(doors).map(async ([path, { body, refusal }]) =>
      refusal(await (await send(path, body(failing))).json()),
    ),
  );
  await database.run('WRITE', index?.made ?? '');
  await database.run('READ', 'CALL db.awaitIndexes(60)');
  expect(told[0]).toMatchObject({ code: -32010, data: { reason: 'execution', retryable: false } });
  expect(told[1]).toEqual(told[0]);
});

test('a query nested beyond the stack is refused over both doors', async () => {
  const nested = (levels: number) => `${'{a'.repeat(levels)}${'}'.repeat(levels)}`;
  const valid = (levels: number) => `{ countries { ${'borders { '.repeat(levels)} id ${'}'.repeat(levels)} } }`;
  for (const [path, { body, refusal }] of Object.entries(doors)) {
    for (const query of [nested(9_000), valid(4_000), valid(1_500)]) {
      const answer = await (await send(path, body(query))).json();
      expect(refusal(answer)).toMatchObject({
        code: -32010,
        data: { reason: 'too-deep', limit: 6, retryable: false },
      });
    }
  }
});

test('refusals are counted by their reason', async () => {
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  for (const reason of ['too-deep', 'too-large', 'too-costly', 'too-many-rows', 'answer-too-large', 'too-many-queries'])
    expect(metrics).toMatch(new RegExp(`^concord_queries_refused_total\\{reason="${reason}"\\} [2-9]`, 'm'));
});
