import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from '@jest/globals';
import { readCountries } from '../../demo/countries.ts';
import { patchesOf } from '../../demo/patches.ts';
import { add, connect, literal, type Patch, remove } from '../../src/client/index.ts';
import { identities, tokenOf } from '../support/identities.ts';
import { useDatabase, useFolder, useService } from '../support/setUp.ts';
import { concord } from './command.ts';

const token = (tenant: string, graphs?: string[], agent = 'scout') =>
  tokenOf({ tenant, sub: agent, scope: 'knowledge:query knowledge:update', graphs }, { expiresIn: '1h' });
const type = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
/** Thousands of statements travel, several pages and batches of them; a machine may be busy. Milliseconds. */
const patience = 300_000;
const database = useDatabase();
const directory = useFolder();

/** Values and names that break what is careless. */
const awkward: Patch[] = [
  ...[
    '',
    ' ',
    '"',
    '\\',
    'a\nb\r\nc\td',
    '\u0000\u007F',
    '\u2028',
    '日本語 \u{1F600}',
    '<b>&amp;</b>',
    "'",
    '{| |}',
  ].map((value) => add('urn:awkward', 'urn:text', value)),
  ...['en', 'en-GB', 'de-CH-1996'].map((language) => add('urn:awkward', 'urn:said', literal('x', { language }))),
  ...[0, -1, 1.5, 1e-7, 1e21, Number.MAX_SAFE_INTEGER].flatMap((value) =>
    [undefined, 'xsd:double', 'xsd:decimal', 'urn:kg'].flatMap((each) =>
      value === 1e21 && (each === undefined || each === 'urn:kg')
        ? []
        : [add('urn:awkward', 'urn:number', literal(value, { type: each }))],
    ),
  ),
  ...['1', 'true', '9007199254740993', '2026-01-31', 'INF'].flatMap((value) =>
    ['xsd:integer', 'xsd:boolean', 'xsd:date', 'xsd:double'].map((each) =>
      add('urn:awkward', 'urn:lexical', literal(value, { type: each })),
    ),
  ),
  add('urn:awkward', 'urn:true', true),
  ...['CHE', 'a b', '<x>', 'urn:concord:id:x', '_:b0', 'http://e.org/{x}|^`\\"', 'line\nbreak', 'urn:é', '%20'].flatMap(
    (id) => [
      add({ id, type: `urn:class:${id}` }, id, { id: `${id}!` }, { graph: `urn:g:${id}` }),
      add(id, 'urn:p', 1, { graph: id }),
    ],
  ),
  // Of one class, and said to be of others.
  add({ id: 'urn:typed', type: 'urn:First' }, type, { id: 'urn:Second' }, { certainty: 0.25 }),
  add({ id: 'urn:typed', type: 'urn:First' }, type, { id: 'urn:First' }),
  // Of none, and said to be of one.
  add('urn:untyped', type, { id: 'urn:Second' }),
  add('urn:sure', 'urn:p', 1, { certainty: 0, provenance: {} }),
  add('urn:sure', 'urn:p', 2, {
    certainty: 1 / 3,
    provenance: { timestamp: '2026-01-31', deep: [{ "'": [null, 1.5] }] },
  }),
];
const many = Array.from({ length: 4_000 }, (_, index) =>
  add({ id: `urn:many:${index % 700}`, type: 'urn:Many' }, `urn:many:p${index % 7}`, `value ${index}`, {
    ...(index % 3 === 0 && { certainty: (index % 10) / 10 }),
    ...(index % 5 === 0 && { graph: `urn:g:${index % 4}` }),
  }),
);

/** Stated by a second agent as well. */
const shared = many.slice(0, 100).map(
  ({ op, statement }): Patch => ({
    op,
    statement: { ...statement, certainty: 0.4, provenance: { source: 'second' } },
  }),
);

const service = useService({ ...identities, CYPHER: 'true' });
beforeAll(async () => {
  const original = await connect(service.url, { token: token('original') });
  const patches = [...patchesOf(readCountries().slice(0, 60)), ...awkward, ...many];
  for (let first = 0; first < patches.length; first += 5_000) {
    const result = await original.update(patches.slice(first, first + 5_000));
    expect(result.verificationDetails).toBeUndefined();
  }
  const second = await connect(service.url, { token: token('original', undefined, 'second') });
  await second.update(shared);
}, patience);

/** Everything that a graph says, whoever said it and when. */
async function graphOf(tenant: string): Promise<{ statements: string[]; classes: string[] }> {
  const statements = await database.run<{ values: unknown[] }>(
    'READ',
    `MATCH (s:Entity {tenant: $tenant})-[r:!PAST]->(o)
     RETURN [s.id, r.predicate, o.id, o.value, valueType(o.value), o.datatype, o.language, r.graph, r.certainty, r.provenance]
       AS values`,
    { tenant },
  );
  const classes = await database.run<{ values: unknown[] }>(
    'READ',
    `MATCH (e:Entity {tenant: $tenant}) UNWIND labels(e) AS label WITH e, label ORDER BY label
     WITH e, collect(label) AS labels RETURN [e.id, e.type, labels] AS values`,
    { tenant },
  );
  const sorted = (rows: { values: unknown[] }[]) => rows.map(({ values }) => JSON.stringify(values)).sort();
  return { statements: sorted(statements), classes: sorted(classes) };
}

test.each(['nq.gz', 'jsonl', 'jsonld'])(
  'export to .%s and import into an empty tenant give an equal graph',
  async (ending) => {
    const file = join(directory, `backup.${ending}`);
    const original = await graphOf('original');
    expect(original.statements.length).toBeGreaterThan(5_000);

    const exported = await concord(['export', file, '--json'], {
      url: service.url,
      env: { CONCORD_TOKEN: token('original') },
    });
    expect(exported.code).toBe(0);
    expect(JSON.parse(exported.said)).toMatchObject({ statements: original.statements.length });

    const tenant = `copy of ${ending}`;
    const imported = await concord(['import', file, '--json'], {
      url: service.url,
      env: { CONCORD_TOKEN: token(tenant) },
    });
    expect(imported.code).toBe(0);
    const summary = {
      statements: original.statements.length,
      applied: original.statements.length,
      unasserted: 0,
    };
    expect(JSON.parse(imported.printed)).toMatchObject(summary);
    expect(await graphOf(tenant)).toEqual(original);
  },
  patience,
);

test(
  'an export tells who states a statement, and an import states it as one agent, as certain as it was',
  async () => {
    const file = join(directory, 'voices.nq');
    const url = service.url;
    await concord(['export', file], { url, env: { CONCORD_TOKEN: token('original') } });
    const { statements } = await graphOf('original');
    const text = await readFile(file, 'utf8');
    for (const agent of ['scout', 'second'])
      expect(text.split(`<urn:concord:source> "${agent}"`)).toHaveLength(
        1 + (agent === 'second' ? shared.length : statements.length),
      );
    await concord(['import', file], { url, env: { CONCORD_TOKEN: token('restored') } });
    const rows = await database.run<{ agents: string[]; certainty: number }>(
      'READ',
      `MATCH ({tenant: 'restored'})-[r:!PAST]->() WHERE r.provenance CONTAINS '"second"'
     RETURN DISTINCT coalesce(r.sources, [r.sourceAgentId]) AS agents, r.certainty AS certainty`,
    );
    expect(rows).toEqual([{ agents: ['scout'], certainty: 0.4 }]);
  },
  patience,
);

test('an export is of one revision, whatever is written meanwhile, and of an earlier one where that is asked', async () => {
  const env = { CONCORD_TOKEN: token('changing') };
  const client = await connect(service.url, { token: token('changing') });
  await client.update([add('urn:a', 'urn:p', 1), add('urn:b', 'urn:p', 2)]);
  const { revision } = await client.update([remove('urn:a', 'urn:p', 1), add('urn:b', 'urn:p', 2, { certainty: 0.5 })]);
  await client.update([add('urn:c', 'urn:p', 3)]);
  const written = async (...words: string[]) => {
    const { printed } = await concord(['export', '--format', 'jsonl', ...words], { url: service.url, env });
    return printed
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).statement)
      .map(({ subject, object, certainty }) => [subject.id, object.value, certainty]);
  };
  expect(revision).toBe(2);
  expect(await written('--as-of', '1')).toEqual([
    ['urn:a', 1, undefined],
    ['urn:b', 2, undefined],
  ]);
  expect(await written('--as-of', '2')).toEqual([['urn:b', 2, 0.5]]);
  expect(await written('--as-of', '2020-01-01T00:00:00Z')).toEqual([]);
  expect(await written()).toEqual([
    ['urn:b', 2, 0.5],
    ['urn:c', 3, undefined],
  ]);
  const tooEarly = await concord(['export', '--as-of', '4'], { url: service.url, env });
  expect(tooEarly).toMatchObject({ code: 2, said: expect.stringContaining('at revision 3') });
});

test('an export holds what the caller may see', async () => {
  const file = join(directory, 'seen.nq.gz');
  const env = { CONCORD_TOKEN: token('original', ['urn:g:1']) };
  expect((await concord(['export', file], { url: service.url, env })).code).toBe(0);
  const stated = gunzipSync(await readFile(file))
    .toString()
    .split('\n')
    .filter((line) => line.includes('"value '));
  const inGraph = many.filter(({ statement }) => statement.graph === 'urn:g:1').length;
  expect(stated.filter((line) => line.startsWith('<'))).toHaveLength(inGraph);
  expect(stated.every((line) => line.endsWith(' <urn:g:1> .'))).toBe(true);
});

test('an export that fails leaves no file that looks whole', async () => {
  const file = join(directory, 'none.nq');
  await writeFile(file, 'before');
  const env = { CONCORD_TOKEN: `${token('original')}x` };
  const { code, said } = await concord(['export', file], { url: service.url, env });
  expect([code, await readFile(file, 'utf8')]).toEqual([1, 'before']);
  expect(said).toMatch(/^concord: .*CONCORD_TOKEN/);
});

const older = () => ({ url: service.url, env: { CONCORD_TOKEN: token('older') } });
beforeAll(async () => {
  const client = await connect(service.url, { token: token('older') });
  await client.update([
    add({ id: 'urn:a', type: 'urn:C' }, 'urn:p', literal('x', { language: 'ar--rtl' }), { certainty: 0.5 }),
    add('urn:a', 'urn:q', { id: 'urn:b', type: 'urn:D' }, { graph: 'urn:g', provenance: { source: 's' } }),
    add('urn:a', 'urn:q', { id: 'urn:b' }, { certainty: 0.25 }),
    add('urn:a', 'urn:long', 'é"\\\n'.repeat(30_000)),
  ]);
});

test.each([
  ['trig', ['--rdf', '1.1']],
  ['trig', ['--annotations', 'graphs']],
  ['nq.gz', ['--annotations', 'graphs']],
  ['jsonld.gz', ['--annotations', 'graphs']],
])('what is exported to .%s with %j is read back as the same graph', async (ending, words) => {
  const tenant = `of ${ending} with ${words.join(' ')}`;
  const file = join(directory, `older.${ending}`);
  expect((await concord(['export', file, ...words], older())).code).toBe(0);
  expect((await concord(['import', file], { url: service.url, env: { CONCORD_TOKEN: token(tenant) } })).code).toBe(0);
  expect(await graphOf(tenant)).toEqual(await graphOf('older'));
});

test('Turtle says what it leaves out', async () => {
  const turtle = join(directory, 'older.ttl');
  const { code, said } = await concord(['export', turtle, '--plain', '--json'], older());
  expect([code, JSON.parse(said)]).toMatchObject([3, { statements: 4, leftOut: 1 }]);
  expect(await readFile(turtle, 'utf8')).toContain('<urn:p> "x"@ar--rtl');
});

test.each([
  [['--annotations', 'graphs', '--format', 'ttl'], 'Turtle has no graphs'],
  [['--annotations', 'graphs', '--rdf', '1.2'], '--annotations is for --rdf 1.1'],
  [['--annotations', 'graphs', '--plain'], '--plain leaves the annotations out'],
  [['--annotations', 'graphs', '--format', 'jsonl'], 'jsonl is not'],
])('%j is refused', async (words, reason) => {
  expect(await concord(['export', ...words], older())).toMatchObject({
    code: 2,
    said: expect.stringContaining(reason),
  });
});
