import { describe, expect, test } from '@jest/globals';
import type { UpdateResult } from '../../../src/knowledge/update/propose.ts';
import { follow } from '../../support/events.ts';
import { add, schemaOrg } from '../../support/patches.ts';
import { type Answer, call } from '../../support/service.ts';
import { useDatabase, useService } from '../../support/setUp.ts';

const database = useDatabase();

const service = useService();

const good = () => add('urn:bad', `${schemaOrg}name`, 'x');

/** Sends a body as it is. */
async function post(body: string): Promise<{ status: number; answer: Answer<UpdateResult> }> {
  const response = await fetch(`${service.url}/a2a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return { status: response.status, answer: (await response.json()) as Answer<UpdateResult> };
}

const updateText = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"knowledge/update","params":${params}}`;

async function nodes(): Promise<number> {
  const [row] = await database.run<{ nodes: number }>('READ', 'MATCH (n) RETURN count(n) AS nodes');
  return row?.nodes ?? -1;
}

/** Makes the call, checks that it was refused with the code and stored nothing, and that the service goes on. */
async function refused(
  code: number,
  make: () => Promise<{ error?: Answer['error'] }>,
): Promise<NonNullable<Answer['error']>> {
  const before = await nodes();
  const { error } = await make();
  expect(error).toMatchObject({ code });
  expect(await nodes()).toBe(before);
  const alive = await call(service.url, 'knowledge/query', { query: '{ entities(limit: 1) { id } }' });
  expect(alive.result.data).toBeDefined();
  return error as Answer['error'] & object;
}

const refusedUpdate = (params: object, code = -32602) =>
  refused(code, () => call(service.url, 'knowledge/update', params));
const refusedText = (params: string, code = -32602) =>
  refused(code, async () => (await post(updateText(params))).answer);
const refusedQuery = (params: object, code: number) =>
  refused(code, () => call(service.url, 'knowledge/query', params));

const withStatement = (more: object) => ({
  mutations: [{ op: 'add', statement: { ...good().statement, ...more } }],
});

describe('an update is refused and leaves nothing', () => {
  test.each<[string, object, string]>([
    ['both an id and a value', { object: { id: 'urn:a', value: 'a' } }, 'statement.object'],
    ['neither an id nor a value', { object: { type: 'xsd:string' } }, 'statement.object'],
    ['a language on an entity', { object: { id: 'urn:a', language: 'de' } }, 'statement.object.language'],
    ['a language that is none', { object: { value: 'a', language: 'de DROP' } }, 'statement.object.language'],
    ['a list as a value', { object: { value: ['a'] } }, 'statement.object.value'],
    ['an object as a value', { object: { value: { a: 1 } } }, 'statement.object.value'],
    ['a certainty of 1.5', { certainty: 1.5 }, 'statement.certainty'],
    ['a certainty below 0', { certainty: -0.1 }, 'statement.certainty'],
    ['a certainty in words', { certainty: 'high' }, 'statement.certainty'],
    ['an empty subject', { subject: { id: '' } }, 'statement.subject.id'],
    ['an empty graph', { graph: '' }, 'statement.graph'],
    ['an id of 1 MB', { subject: { id: 'x'.repeat(1 << 20) } }, 'statement.subject.id'],
    ['a value of 1,048,577 characters', { object: { value: 'x'.repeat(1_048_577) } }, 'statement.object.value'],
    ['half a surrogate pair in an id', { subject: { id: 'urn:\ud83d' } }, 'statement.subject.id'],
    ['half a surrogate pair in a value', { object: { value: '\udc00' } }, 'statement.object.value'],
    ['an unknown member of a statement', { weight: 1 }, 'statement'],
    ['an unknown member of a subject', { subject: { id: 'urn:a', label: 'A' } }, 'statement.subject'],
    ['a provenance of 9,000 characters', { provenance: { text: 'x'.repeat(9_000) } }, 'statement.provenance'],
    ['a provenance that is a list', { provenance: [] }, 'statement.provenance'],
    ['a time that is none', { provenance: { timestamp: 'yesterday' } }, 'statement.provenance.timestamp'],
    ['a day that is none', { provenance: { timestamp: '2023-02-30' } }, 'statement.provenance.timestamp'],
    ['a time that is a number', { provenance: { timestamp: 5 } }, 'statement.provenance.timestamp'],
  ])('%s', async (_what, more, path) => {
    const { data } = await refusedUpdate(withStatement(more));
    expect(data.issues).toMatchObject([{ path: `mutations[0].${path}` }]);
  });

  test.each<[string, object]>([
    ['no mutations', {}],
    ['an empty list of mutations', { mutations: [] }],
    ['an unknown operation', { mutations: [{ ...good(), op: 'drop' }] }],
    ['an unknown member of the params', { mutations: [good()], dryRun: true }],
    ['an unknown member of a patch', { mutations: [{ ...good(), when: 1 }] }],
    ['an agent without a name', { mutations: [good()], sourceAgentId: '' }],
    ['half a surrogate pair in the justification', { mutations: [good()], justification: 'a\ud800' }],
    ['half a surrogate pair in the key', { mutations: [good()], metadata: { idempotencyKey: '\ud800' } }],
    ['a revision below 0', { mutations: [good()], metadata: { expectedRevision: -1 } }],
    ['a revision in words', { mutations: [good()], metadata: { expectedRevision: '1' } }],
  ])('%s', async (_what, params) => {
    await refusedUpdate(params);
  });

  test('10,001 mutations; 10,000 are taken', async () => {
    const many = (size: number) =>
      Array.from({ length: size }, (_, index) => add(`urn:many:${index}`, 'urn:p:n', index));
    const { message } = await refusedUpdate({ mutations: many(10_001) });
    expect(message).toContain('10000');
    const { result } = await call<UpdateResult>(service.url, 'knowledge/update', { mutations: many(10_000) });
    expect(result).toMatchObject({ success: true, statementsAffected: 10_000 });
  });

  test('a list of which only the last is bad', async () => {
    const { data } = await refusedUpdate({
      mutations: [...Array.from({ length: 50 }, good), { op: 'add', statement: {} }],
    });
    expect(data.issues).toContainEqual(expect.objectContaining({ path: 'mutations[50].statement.subject' }));
  });

  test('a thousand bad patches, of which twenty faults are told and the rest counted', async () => {
    const { data } = await refusedUpdate({ mutations: Array.from({ length: 1_000 }, () => ({ op: 'no' })) });
    expect(data.issues).toHaveLength(20);
    expect(data.furtherIssues).toBe(1_980);
  });

  test('more predicates at once than the database is made to name', async () => {
    const mutations = Array.from({ length: 101 }, (_, index) => add('urn:a', `urn:new:p${index}`, 1));
    expect(await refusedUpdate({ mutations })).toMatchObject({
      data: { reason: 'too-many-new-predicates', limit: 100 },
    });
  });

  test('a body of 20 MB, with HTTP status 413', async () => {
    const before = await nodes();
    const { status, answer } = await post(updateText(JSON.stringify({ filler: 'x'.repeat(20 << 20) })));
    expect([status, answer.error?.code]).toEqual([413, -32600]);
    expect(await nodes()).toBe(before);
  });

  test.each([
    ['JSON that ends early', '{"mutations": [', -32700],
    ['NaN', '{"mutations":[{"op":"add","statement":{"certainty":NaN}}]}', -32700],
    ['Infinity', '{"mutations":[{"op":"add","statement":{"certainty":Infinity}}]}', -32700],
    [
      '1e400 as a value',
      '{"mutations":[{"op":"add","statement":{"subject":{"id":"urn:a"},"predicate":{"id":"urn:p"},"object":{"value":1e400}}}]}',
      -32602,
    ],
    [
      '1e400 in the provenance, which would come back as null',
      '{"mutations":[{"op":"add","statement":{"subject":{"id":"urn:a"},"predicate":{"id":"urn:p"},"object":{"value":1},"provenance":{"weight":[1e400]}}}]}',
      -32602,
    ],
    ['__proto__ among the params', '{"__proto__":{"mutations":[]},"mutations":[]}', -32602],
    [
      '__proto__ in the provenance',
      '{"mutations":[{"op":"add","statement":{"subject":{"id":"urn:a"},"predicate":{"id":"urn:p"},"object":{"value":1},"provenance":{"__proto__":{"polluted":1}}}}]}',
      -32602,
    ],
    [
      '__proto__ written with an escape',
      '{"mutations":[{"op":"add","statement":{"subject":{"id":"urn:a"},"predicate":{"id":"urn:p"},"object":{"value":1},"\\u005f_proto__":{}}}]}',
      -32602,
    ],
    [
      'constructor.prototype in the provenance',
      '{"mutations":[{"op":"add","statement":{"subject":{"id":"urn:a"},"predicate":{"id":"urn:p"},"object":{"value":1},"provenance":{"constructor":{"prototype":{"polluted":1}}}}}]}',
      -32602,
    ],
    [
      'a provenance nested a hundred thousand deep',
      `{"mutations":[{"op":"add","statement":{"subject":{"id":"urn:a"},"predicate":{"id":"urn:p"},"object":{"value":1},"provenance":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}}]}`,
      -32602,
    ],
  ])('%s', async (_what, params, code) => {
    await refusedText(params, code);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('an integer beyond 2^53, which a double or a string may hold', async () => {
    const text = (object: string) =>
      `{"mutations":[{"op":"add","statement":{"subject":{"id":"urn:big"},"predicate":{"id":"urn:p:big"},"object":${object}}}]}`;
    const { data } = await refusedText(text('{"value":9007199254740993}'));
    expect(JSON.stringify(data.issues)).toContain('2^53');
    await refusedText(text('{"value":-9007199254740993}'));
    for (const object of [
      '{"value":9007199254740993,"type":"xsd:double"}',
      '{"value":"9007199254740993","type":"xsd:integer"}',
      '{"value":9007199254740991}',
    ]) {
      const { answer } = await post(updateText(text(object)));
      expect(answer.result.statementsAffected).toBe(1);
    }
    const stored = await database.run<{ value: string }>(
      'READ',
      'MATCH ({id: "urn:big"})-->(l) RETURN valueType(l.value) + " " + toString(l.value) AS value ORDER BY value',
    );
    expect(stored.map(({ value }) => value)).toEqual([
      'FLOAT NOT NULL 9.007199254740992E15',
      'INTEGER NOT NULL 9007199254740991',
      'STRING NOT NULL 9007199254740993',
    ]);
  });
});

test('what may be absent may also be null', async () => {
  const { result } = await call<UpdateResult>(service.url, 'knowledge/update', {
    mutations: [
      {
        op: 'add',
        statement: {
          subject: { id: 'urn:null', type: null },
          predicate: { id: 'urn:p:null' },
          object: { value: 'x', id: null, type: null, language: null },
          graph: null,
          certainty: null,
          provenance: null,
        },
      },
    ],
    taskId: null,
    sessionId: null,
    sourceAgentId: null,
    justification: null,
    metadata: null,
  });
  expect(result).toMatchObject({ success: true, statementsAffected: 1 });
});

describe('a query is refused', () => {
  test.each<[string, object, string]>([
    ['a syntax error', { query: '{ countries { name' }, 'syntax'],
    ['an unknown field', { query: '{ countries { nam } }' }, 'validation'],
    ['a mutation', { query: 'mutation { createCountries(input: []) { info { nodesCreated } } }' }, 'operation'],
    ['a subscription', { query: 'subscription { statementChanged { op } }' }, 'operation'],
    ['two operations', { query: 'query A { entities { id } } query B { entities { id } }' }, 'operation'],
    ['a fragment alone', { query: 'fragment F on Country { name }' }, 'operation'],
    [
      'a variable of the wrong type',
      { query: 'query ($n: Int) { entities(limit: $n) { id } }', variables: { n: 'many' } },
      'bad-argument',
    ],
    ['a missing variable', { query: 'query ($n: Int!) { entities(limit: $n) { id } }' }, 'bad-argument'],
    ['another language', { query: 'SELECT *', queryLanguage: 'sparql' }, 'unsupported-language'],
    ['Cypher that writes', { query: 'MATCH (n) DETACH DELETE n', queryLanguage: 'cypher' }, 'refused-cypher'],
    ['what is no Cypher', { query: 'MATCH (n RETURN n', queryLanguage: 'cypher' }, 'refused-cypher'],
    ['Cypher without its parameter', { query: 'RETURN $missing AS x', queryLanguage: 'cypher' }, 'refused-cypher'],
    ['a query of 100,001 characters', { query: `{${' '.repeat(100_000)}` }, 'too-large'],
    ['too many tokens', { query: `{ ${'entities { id } '.repeat(6_000)} }` }, 'syntax'],
    ['selections nested 9,000 deep', { query: '{a'.repeat(9_000) + '}'.repeat(9_000) }, 'too-deep'],
    [
      'a list nested 9,000 deep',
      { query: `{ entities(where: {id: {in: ${'['.repeat(9_000)}${']'.repeat(9_000)}}}) { id } }` },
      'too-deep',
    ],
  ])('%s, with -32010', async (_what, params, reason) => {
    expect(await refusedQuery(params, -32010)).toMatchObject({ data: { reason, retryable: false } });
  });

  test.each<[string, object]>([
    ['no query', {}],
    ['an empty query', { query: '' }],
    ['variables that are a list', { query: '{ entities { id } }', variables: [] }],
    ['a requiredCertainty above 1', { query: '{ entities { id } }', requiredCertainty: 1.5 }],
    ['a maxAgeSeconds below 0', { query: '{ entities { id } }', maxAgeSeconds: -1 }],
    ['an unknown member', { query: '{ entities { id } }', operationName: 'A' }],
  ])('%s, with -32602', async (_what, params) => {
    await refusedQuery(params, -32602);
  });
});

describe('a subscription is refused', () => {
  const plain = 'subscription { statementChanged { op } }';
  test.each<[string, object, number, string]>([
    ['a syntax error', { subscriptionQuery: 'subscription {' }, 400, 'syntax'],
    ['a mutation', { subscriptionQuery: 'mutation { entities { id } }' }, 400, 'operation'],
    [
      'an unknown condition',
      { subscriptionQuery: 'subscription { statementChanged(where: {colour: {eq: "red"}}) { op } }' },
      400,
      'validation',
    ],
    [
      'an operation that there is not',
      { subscriptionQuery: 'subscription { statementChanged(where: {op: {eq: drop}}) { op } }' },
      400,
      'validation',
    ],
    ['an unknown field', { subscriptionQuery: 'subscription { countryChanged { op } }' }, 400, 'validation'],
    [
      'two fields',
      { subscriptionQuery: 'subscription { a: statementChanged { op } b: statementChanged { op } }' },
      400,
      'validation',
    ],
    [
      'a variable of the wrong type',
      {
        subscriptionQuery: 'subscription ($w: StatementChangedWhere) { statementChanged(where: $w) { op } }',
        variables: { w: { subject: 'urn:a' } },
      },
      400,
      'validation',
    ],
    ['another language', { subscriptionQuery: 'SELECT *', queryLanguage: 'sparql' }, 501, 'unsupported-language'],
    [
      'a cursor ahead of the log',
      { subscriptionQuery: plain, metadata: { afterSequence: 9_007_199_254_740_991 } },
      400,
      'cursor-ahead',
    ],
  ])('%s', async (_what, params, status, reason) => {
    let answered = 0;
    const error = await refused(-32012, async () => {
      const follower = await follow(service.url, params);
      answered = follower.status;
      return { error: follower.error };
    });
    expect(error.data.reason).toBe(reason);
    expect(answered).toBe(status);
  });

  test.each(['abc', '-1', '1.5', '99999999999999999999', "1' OR '1'='1"])('the Last-Event-ID %s', async (id) => {
    await refused(-32012, () => follow(service.url, { subscriptionQuery: plain }, { 'last-event-id': id }));
  });

  test.each([[-1], [1.5], ['1']])('metadata.afterSequence %p, with -32602', async (afterSequence) => {
    await refused(-32602, () => follow(service.url, { subscriptionQuery: plain, metadata: { afterSequence } }));
  });
});
