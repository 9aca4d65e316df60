import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { UpdateResult } from '../../../src/knowledge/update/propose.ts';
import { follow } from '../../support/events.ts';
import { call, startServiceOnGraph } from '../../support/service.ts';
import { useDatabase, useService } from '../../support/setUp.ts';

const database = useDatabase();

const service = useService();

/**
 * What has hurt others: quoting, comments, ends of patterns, escapes, parameters, controls, direction marks, letters
 * that change with case.
 */
const fragments = [
  '`',
  '``',
  '\\u0060',
  '\\',
  "'",
  '"',
  ';',
  '//',
  '/*',
  '*/',
  '--',
  '}) DETACH DELETE n //',
  '`]->() DETACH DELETE n //',
  '$param',
  '$tenant',
  '{{functional}}',
  '#{1+1}',
  '\u0000',
  '\u0001',
  '\u001b[31m',
  '\u007f',
  '\u0085',
  '\u2028',
  '\ufeff',
  '\u202e',
  '\u200f',
  '\u200d',
  '👩‍👩‍👧',
  '🇩🇪',
  'ΐ',
  'İ',
  'ǰ',
  'ß',
  'ﬁ',
  'e\u0301',
  '人口',
  'كلمة',
  '\uffff',
  '\u{10ffff}',
  ' ',
  '\n',
  '\t',
  '%00',
  '%2F',
  '../',
  '<script>',
  'null',
  'undefined',
  'NaN',
  '__proto__',
  'constructor',
  'toString',
  'PAST',
  'Literal',
];

/** One statement with the text in every place that takes any text. */
const statementOf = (text: string, index: number, run: string) => ({
  subject: { id: `${run} subject ${index} ${text}`, type: `${run} class ${index} ${text}` },
  predicate: { id: `${run} predicate ${index} ${text}` },
  object: { value: text, type: `${run} datatype ${text}` },
  graph: `${run} graph ${text}`,
  certainty: 0.5,
  provenance: { source: text, [`key ${text}`]: [{ deep: text }] },
});

interface Read {
  entities: { id: string; type: string; statements: Record<string, unknown>[] }[];
}

const query = `query ($ids: [ID!]) {
  entities(where: {id: {in: $ids}}) { id type statements { predicate object { value type } graph certainty provenance sourceAgentId taskId } }
}`;

/**
 * States all the texts in one update, and expects to read them as they were sent: by query, as events and in the Update
 * node.
 */
async function roundTrip(texts: string[], run: string): Promise<void> {
  const said = texts.map((text, index) => statementOf(text, index, run));
  const words = texts.join(' ').slice(0, 2_000).toWellFormed();
  const attribution = { taskId: `task ${words}`, sourceAgentId: `agent ${words}`, justification: words };
  const follower = await follow(service.url, {
    subscriptionQuery: 'subscription { statementChanged { op } }',
  });
  const { result, error } = await call<UpdateResult>(service.url, 'knowledge/update', {
    mutations: said.map((statement) => ({ op: 'add', statement })),
    ...attribution,
  });
  expect(error).toBeUndefined();
  expect(result).toMatchObject({ success: true, statementsAffected: texts.length });

  const ids = said.map(({ subject }) => subject.id);
  const read = await call<{ data: Read }>(service.url, 'knowledge/query', { query, variables: { ids } });
  const byId = new Map(read.result.data.entities.map((entity) => [entity.id, entity]));
  const { taskId, sourceAgentId } = attribution;
  for (const { subject, predicate, object, ...rest } of said) {
    expect(byId.get(subject.id)).toEqual({
      ...subject,
      statements: [{ predicate: predicate.id, object, ...rest, taskId, sourceAgentId }],
    });
  }

  const events = await follower.until(texts.length);
  follower.close();
  expect(events.map(({ statement }) => statement)).toEqual(said);
  expect(events[0]?.changeMetadata).toMatchObject(attribution);
}

async function names(): Promise<string[]> {
  const rows = await database.run<{ name: string }>(
    'READ',
    `MATCH (n:Predicate) RETURN n.relationshipType AS name UNION MATCH (n:Class) RETURN n.label AS name
     UNION CALL db.labels() YIELD label RETURN label AS name UNION CALL db.relationshipTypes() YIELD relationshipType RETURN relationshipType AS name`,
  );
  return rows.map(({ name }) => name);
}

test('text that is dangerous elsewhere is text here, in every place', async () => {
  await roundTrip(fragments, 'fixed');
});

test('so is any other', async () => {
  const text = fc
    .array(fc.oneof(fc.constantFrom(...fragments), fc.string({ unit: 'binary', maxLength: 20 })), {
      maxLength: 6,
    })
    .map((parts) => parts.join(''));
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 25, maxLength: 25 }), (texts) => {
      run += 1;
      return roundTrip(texts, `run ${run}`);
    }),
    { numRuns: 2, endOnFailure: true },
  );
});

test('relationship types and labels hold letters, digits and underscores only', async () => {
  const all = await names();
  expect(all.length).toBeGreaterThan(100);
  expect(all.filter((name) => !/^[\p{L}\p{N}_]+$/u.test(name))).toEqual([]);
});

test('the service starts again over all of these names', async () => {
  const again = await startServiceOnGraph();
  await again.close();
});

test('an indexed field takes 2,000 of the longest characters', async () => {
  const value = '\u{1f600}'.repeat(1_000);
  const { result } = await call<UpdateResult>(service.url, 'knowledge/update', {
    mutations: [
      {
        op: 'add',
        statement: {
          subject: { id: '字'.repeat(2_048), type: 'https://schema.org/Country' },
          predicate: { id: 'https://schema.org/name' },
          object: { value: `${value}${value}` },
        },
      },
    ],
    sourceAgentId: '字'.repeat(2_048),
    taskId: '字'.repeat(2_048),
    metadata: { idempotencyKey: '字'.repeat(200) },
  });
  expect(result).toMatchObject({ success: true, statementsAffected: 1 });
});

describe('half a surrogate pair is refused', () => {
  const half = 'a\ud83d';
  const good = statementOf('x', 0, 'half');
  test.each<[string, object]>([
    ['as a subject', { subject: { id: half } }],
    ['as a class', { subject: { id: 'urn:a', type: half } }],
    ['as a predicate', { predicate: { id: half } }],
    ['as an object', { object: { id: half } }],
    ["as an object's class", { object: { id: 'urn:a', type: half } }],
    ['as a value', { object: { value: half } }],
    ['as a datatype', { object: { value: 'x', type: half } }],
    ['as a graph', { graph: half }],
  ])('%s', async (_where, more) => {
    const mutations = [{ op: 'add', statement: { ...good, ...more } }];
    const { error } = await call(service.url, 'knowledge/update', { mutations });
    expect(error).toMatchObject({ code: -32602, data: { reason: 'invalid-params' } });
  });

  test.each(['taskId', 'sessionId', 'sourceAgentId', 'justification'])('as a %s', async (name) => {
    const mutations = [{ op: 'add', statement: good }];
    const { error } = await call(service.url, 'knowledge/update', { mutations, [name]: half });
    expect(error).toMatchObject({ code: -32602, data: { issues: [{ path: name }] } });
  });

  test('but not in the provenance, which is kept as JSON text', async () => {
    await roundTrip(['provenance'], 'half');
    const statement = { ...good, provenance: { [half]: half } };
    await call(service.url, 'knowledge/update', { mutations: [{ op: 'add', statement }] });
    const read = await call<{ data: Read }>(service.url, 'knowledge/query', {
      query,
      variables: { ids: [good.subject.id] },
    });
    expect(read.result.data.entities[0]?.statements[0]?.provenance).toEqual({ [half]: half });
  });
});
