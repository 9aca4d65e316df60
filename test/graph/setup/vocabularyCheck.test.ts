import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, expect, test } from '@jest/globals';
import { knownNames } from '../../../src/graph/names/dictionary.ts';
import { count, fits, patterns, searchOf } from '../../../src/graph/setup/doubts.ts';
import { checkVocabulary, linesOf } from '../../../src/graph/setup/vocabularyCheck.ts';
import { projectionOf } from '../../../src/graph/statements/projection.ts';
import { parseVocabulary } from '../../../src/vocabulary/parse.ts';
import { scalars } from '../../../src/vocabulary/vocabulary.ts';
import { Command, concord } from '../../cli/command.ts';
import { add } from '../../support/patches.ts';
import { operatorsOf } from '../../support/plans.ts';
import { call, emptyGraph, startServiceOnGraph } from '../../support/service.ts';
import { useDatabase, useFolder } from '../../support/setUp.ts';

const folder = useFolder();
const database = useDatabase();
const file = join(folder, 'elements.graphql');

const sdlOf = (types: string) => `extend schema @vocabulary(base: "urn:e:")\n${types}\n`;
const vocabularyOf = (types: string) => parseVocabulary(sdlOf(types), 'f');
const element = (fields: string) => `type Element @class { ${fields} }`;

const served = `${element('symbol: String melting: Float alias: [String!] block: [Block!]')}
  type Block @class { name: String! }`;
const everything = { everything: true, rows: 1_000_000, timeoutMs: 60_000 };
const changes = { ...everything, everything: false };

/** What of the graph a vocabulary hides, as lines for people. */
async function told(types: string, limits = changes): Promise<string[]> {
  const findings = await checkVocabulary(database, vocabularyOf(types), limits);
  return (findings ?? []).flatMap((each) => linesOf(each, { examples: true }));
}

beforeAll(async () => {
  await emptyGraph();
  writeFileSync(file, sdlOf(served));
  const service = await startServiceOnGraph({ VOCABULARY: file });
  const typed = { type: 'urn:e:Element' };
  const block = { id: 'urn:e:d', type: 'urn:e:Block' };
  const mutations = [
    add('urn:e:fe', 'urn:e:symbol', 'Fe', typed),
    add('urn:e:fe', 'urn:e:melting', 1811.5, { certainty: 0.9, provenance: { source: 'crc' } }),
    add('urn:e:au', 'urn:e:symbol', 'Au', typed),
    add('urn:e:au', 'urn:e:melting', 1337.5, { graph: 'urn:g' }),
    add('urn:e:hg', 'urn:e:symbol', 'Hg', typed),
    add('urn:e:hg', 'urn:e:melting', 234),
    add('urn:e:hg', 'urn:e:alias', 'quicksilver'),
    add('urn:e:hg', 'urn:e:alias', 'hydrargyrum'),
    add('urn:e:hg', 'urn:e:block', block),
    add('urn:e:d', 'urn:e:name', 'd'),
  ];
  const { result } = await call(service.url, 'knowledge/update', { mutations });
  expect(result).toMatchObject({ success: true });
  await service.close();
});

test('a vocabulary that has not changed hides nothing and costs no look at the graph', async () => {
  expect(await checkVocabulary(database, vocabularyOf(served), changes)).toEqual([]);
  expect(await checkVocabulary(database, vocabularyOf(served), everything)).toEqual([]);
});

test('values that a type no longer takes are counted, with examples', async () => {
  const lines = await told(served.replace('Float', 'Int'));
  expect([...lines.slice(0, 2), ...lines.slice(2, 4).sort(), ...lines.slice(4)]).toEqual([
    'Element.melting takes Int and no longer Float',
    '  2 statements do not fit and are not shown',
    '    default: urn:e:au 1337.5',
    '    default: urn:e:fe 1811.5',
    '  mend: melting: Float',
  ]);
  expect((await told(served.replace('Float', 'String')))[1]).toBe(
    '  3 statements do not fit and are not shown; 3 of 3 convert without loss (--patches)',
  );
});

test('what a removed class and a removed field hide is counted', async () => {
  expect(await told(element('symbol: String melting: Float alias: [String!]'))).toEqual([
    'Element.block is removed',
    '  1 statement is in no field',
    '    default: urn:e:hg "urn:e:d"',
    'Block is removed',
    '  1 entity is in no class',
    '    default: urn:e:d',
  ]);
});

test('a list that becomes one value hides the rest, and a link to another class its objects', async () => {
  const next = `${element('symbol: String melting: Float alias: String block: [Element!]')}
    type Block @class { name: String! }`;
  expect(await told(next)).toEqual([
    'Element.alias has one value and no longer a list',
    '  1 further statement is not shown',
    '    default: urn:e:hg',
    '  mend: alias: [String!]',
    'Element.block takes Element and no longer Block',
    '  1 statement does not fit and is not shown',
    '    default: urn:e:hg "urn:e:d"',
    '  mend: block: [Block!]',
  ]);
});

test('a field that becomes functional counts the objects that are too many in one graph', async () => {
  const next = served.replace('alias: [String!]', 'alias: String @predicate(functional: true)');
  expect(await told(next)).toContain('  1 object is one too many');
});

test('a renamed field hides its statements unless it says what it was', async () => {
  const renamed = served.replace('melting:', 'meltingPoint:');
  expect(await told(renamed)).toEqual([
    'Element.meltingPoint is new',
    'Element.melting is removed',
    '  3 statements are in no field',
    expect.any(String),
    expect.any(String),
    expect.any(String),
    '  mend: if it is called otherwise now: meltingPoint: … @predicate(was: "urn:e:melting")',
  ]);
  const kept = served.replace('melting: Float', 'meltingPoint: Float @predicate(was: "melting")');
  expect(await told(kept)).toEqual(['Element.meltingPoint was called melting']);
  const slip = served.replace('melting: Float', 'meltingPoint: Float @predicate(was: "smelting")');
  expect((await told(slip)).at(-2)).toBe(
    'Element.meltingPoint says that it was <urn:e:smelting>, but the graph knows no such predicate',
  );
});

test('what takes longer than its time, or is more than it may look at, is told as not known', async () => {
  const next = served.replace('Float', 'Int');
  const late = await checkVocabulary(database, vocabularyOf(next), { ...changes, timeoutMs: 0 });
  expect(late).toMatchObject([{ what: 'Element.melting', counts: [], isUncounted: true }]);
  expect((await told(next, { ...changes, rows: 1 }))[1]).toMatch(/, of the first 1 of 3/);
});

test('how much there is comes from the counts that Neo4j keeps, however large the graph', async () => {
  const names = await knownNames(database);
  const place = { class: 'urn:e:Element', predicate: 'urn:e:melting' };
  const session = database.session('READ');
  for (const kind of ['entities', 'statements', 'further values'] as const) {
    const search = searchOf({ of: kind, ...place }, names);
    const { plan } = (await session.run(`EXPLAIN ${search?.pattern} RETURN count(*) AS total`)).summary;
    expect(plan && operatorsOf(plan)).toContainEqual(expect.stringContaining('CountFromCountStore'));
  }
  await session.close();
});

test('what is counted as fitting is what a field shows', async () => {
  const values = ['x', '', '5', 5, 5.5, 2 ** 31, -(2 ** 31), 1e300, true];
  const dates = ['2024-02-29', '2023-02-29', '2024-02-29T10:00:00Z', '2024-02-29T25:00:00Z', '2024-1-1'];
  const doubt = { of: 'values', class: 'c', predicate: 'p' } as const;
  expect(
    await count(database, { ...doubt, field: { scalar: 'Int' } }, await knownNames(database), {
      rows: 1,
      deadline: performance.now() + 1_000,
    }),
  ).toMatchObject({ count: 0 });
  for (const scalar of scalars) {
    const rows = await database.run<{ value: string | number | boolean; fit: boolean }>(
      'READ',
      `UNWIND $values AS value WITH {value: value} AS o RETURN o.value AS value, coalesce(${fits(scalar)}, false) AS fit`,
      { values: [...values, ...dates], ...patterns },
    );
    for (const { value, fit } of rows) {
      const field = { scalar, list: false } as Parameters<typeof projectionOf>[0];
      const statement = { object: { value, type: '' } } as Parameters<typeof projectionOf>[1][number]['statement'];
      const shown = projectionOf(field, [{ id: '', statement, observedAt: 0 }]);
      expect([scalar, value, fit]).toEqual([scalar, value, shown !== null]);
    }
  }
});

test('concord vocabulary diff tells it, writes what converts, and ends with 1', async () => {
  const next = join(folder, 'next.graphql');
  writeFileSync(next, sdlOf(served.replace('Float', 'String')));
  const patches = join(folder, 'anew.jsonl');
  const words = ['vocabulary', 'diff', next, '--json', '--patches', patches];
  const { code, printed, said } = await concord(words);
  expect([code, said]).toEqual([1, `3 values are stated anew in ${patches}.\n`]);
  expect(JSON.parse(printed)).toMatchObject({
    findings: [{ what: 'Element.melting', hides: true, counts: [{ of: 'values', count: 3, convertible: 3 }] }],
  });
  const lines = readFileSync(patches, 'utf8').trim().split('\n');
  const statements = lines.map((line) => JSON.parse(line));
  expect(statements).toContainEqual({
    op: 'add',
    statement: {
      subject: { id: 'urn:e:fe' },
      predicate: { id: 'urn:e:melting' },
      object: { value: '1811.5' },
      certainty: 0.9,
      provenance: { source: 'crc' },
    },
  });
  expect(statements).toContainEqual(
    expect.objectContaining({ op: 'remove', statement: expect.objectContaining({ graph: 'urn:g' }) }),
  );
});

test('a start refuses a vocabulary that hides something before it writes, or warns and goes on', async () => {
  writeFileSync(file, sdlOf(served.replace('Float', 'String')));
  const refused = startServiceOnGraph({ VOCABULARY: file, VOCABULARY_CHECK: 'refuse' });
  await expect(refused).rejects.toThrow(/Element\.melting takes String and no longer Float\n {2}3 statements do not/);

  const start = new Command(['start'], { env: { VOCABULARY: file, PORT: '0', LOG_LEVEL: 'info' } });
  const warnings: { what?: string; msg: string }[] = [];
  for await (const line of createInterface(start.child.stdout as NodeJS.ReadableStream)) {
    const entry = JSON.parse(line);
    if (entry.level === 'warn' && entry.what) warnings.push(entry);
    if (/Concord is ready/.test(entry.msg)) break;
  }
  start.child.kill('SIGTERM');
  await once(start.child, 'exit');
  // Without what users have said, for a purge doesn't reach the log.
  expect(JSON.stringify(warnings)).not.toContain('urn:e:');
  expect(warnings).toMatchObject([{ what: 'Element.melting', counts: [{ of: 'values', count: 3, convertible: 3 }] }]);

  // It has been told, and is what is served now.
  expect(await told(served.replace('Float', 'String'))).toEqual([]);
  const service = await startServiceOnGraph({ VOCABULARY: file, VOCABULARY_CHECK: 'refuse' });
  const mutations = readFileSync(join(folder, 'anew.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect((await call(service.url, 'knowledge/update', { mutations })).result).toMatchObject({
    success: true,
  });
  const { result } = await call(service.url, 'knowledge/query', { query: '{ elements { id melting } }' });
  await service.close();
  expect(result.data).toEqual({
    elements: expect.arrayContaining([
      { id: 'urn:e:fe', melting: '1811.5' },
      { id: 'urn:e:au', melting: '1337.5' },
      { id: 'urn:e:hg', melting: '234' },
    ]),
  });
});
