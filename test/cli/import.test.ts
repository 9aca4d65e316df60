import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { beforeEach, expect, test } from '@jest/globals';
import { connect } from '../../src/client/index.ts';
import { useDatabase, useFolder, useService } from '../support/setUp.ts';
import { Command, concord } from './command.ts';

const database = useDatabase();
const directory = useFolder();

const service = useService();
beforeEach(async () => {
  // What names predicates and classes belongs to the service that runs.
  await database.run('WRITE', 'MATCH (n) WHERE NOT n:Predicate AND NOT n:Class DETACH DELETE n');
});

async function fileOf(name: string, content: string | Buffer): Promise<string> {
  const file = join(directory, name);
  await writeFile(file, content);
  return file;
}
const run = (words: string[], input?: string) => concord(['import', ...words], { url: service.url, input });
async function cypher(text: string) {
  const client = await connect(service.url);
  const { data, queryMetadata } = await client.query<{ rows: Record<string, unknown>[] }>(
    text,
    {},
    { queryLanguage: 'cypher' },
  );
  return { rows: data.rows, revision: queryMetadata.revision };
}
const count = () => cypher('MATCH (:Entity)-[r]->() RETURN count(r) AS n, count(DISTINCT r.statementId) AS different');

const turtle = `@prefix s: <https://schema.org/> .
<urn:che> a s:Country ; s:name "Switzerland"@en {| <urn:concord:certainty> 0.9 |} .
[] s:name "nobody" .
`;
const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `<urn:s:${(from + index) % 500}> <urn:p> "${from + index}" .\n`).join(
    '',
  );

test.each([
  ['a file', async () => run([await fileOf('a.ttl', turtle)])],
  ['a packed file', async () => run([await fileOf('b.ttl.gz', gzipSync(turtle))])],
  ['standard input', () => run(['-', '--format', 'ttl'], turtle)],
])('statements of %s are in the graph, with class, language and certainty', async (_, importing) => {
  const { code, printed } = await importing();
  expect([code, printed]).toEqual([0, expect.stringMatching(/^2 statements read, 2 applied; /)]);
  const { rows } = await cypher(
    'MATCH (c:Country {id: "urn:che"})-[r:NAME]->(n) RETURN c.name AS name, n.language AS language, r.certainty AS certainty, r.sourceAgentId AS agent',
  );
  expect(rows).toEqual([{ name: 'Switzerland', language: 'en', certainty: 0.9, agent: 'local' }]);
});

test('one statement is counted as one', async () => {
  const { printed } = await run([await fileOf('one.nt', lines(0, 1))]);
  expect(printed).toMatch(/^1 statement read, 1 applied; /);
});

test('patches are applied in their order, with the agent and the reason that were given', async () => {
  const statement = (value: number) => ({
    subject: { id: 'urn:a' },
    predicate: { id: 'urn:p' },
    object: { value },
  });
  const patches = [
    statement(1),
    { op: 'replace', statement: statement(2) },
    { op: 'remove', statement: statement(2) },
    { op: 'add', statement: statement(3) },
    { op: 'replace', statement: statement(4) },
  ];
  const input = patches.map((patch) => JSON.stringify(patch)).join('\n');
  const { code } = await run(['-', '--format', 'jsonl', '--batch', '1', '--agent', 'scout', '--graph', 'urn:g'], input);
  expect(code).toBe(0);
  const { rows, revision } = await cypher(
    'MATCH ({id: "urn:a"})-[r]->(o) RETURN o.value AS value, r.graph AS graph, r.sourceAgentId AS agent',
  );
  expect([rows, revision]).toEqual([[{ value: 4, graph: 'urn:g', agent: 'scout' }], 5]);
});

test('a repeated import applies nothing twice, and with --again what was retracted since', async () => {
  const file = await fileOf('again.nt', lines(0, 500));
  expect(JSON.parse((await run([file, '--json'])).printed)).toMatchObject({ applied: 500, repeated: 0 });
  const { revision } = await count();
  await (await connect(service.url)).update([
    {
      op: 'remove',
      statement: { subject: { id: 'urn:s:1' }, predicate: { id: 'urn:p' }, object: { value: '1' } },
    },
  ]);
  expect(JSON.parse((await run([file, '--json'])).printed)).toMatchObject({ applied: 0, repeated: 500 });
  expect(await count()).toEqual({ rows: [{ n: 499, different: 499 }], revision: revision + 1 });
  expect(JSON.parse((await run([file, '--json', '--again'])).printed)).toMatchObject({
    applied: 1,
    unchanged: 499,
  });
});

test('an import that is killed goes on where it stopped, and nothing is there twice', async () => {
  const file = await fileOf('killed.nt', lines(0, 8_000));
  const state = `${file}.import-state`;
  const words = ['import', file, '--batch', '100', '--resume', '--json'];
  const first = new Command(words, { url: service.url });
  const done = async () => (existsSync(state) ? JSON.parse(await readFile(state, 'utf8')).batches : 0);
  while ((await done()) < 10) await sleep(5);
  first.child.kill('SIGKILL');
  expect((await first.ended).code).toBe(null);
  const before = await done();
  expect(before).toBeLessThan(80);

  const second = await concord(words, { url: service.url });
  expect(second.code).toBe(0);
  const { statements, applied, repeated } = JSON.parse(second.printed);
  expect([statements, applied + repeated]).toEqual([8_000, 8_000]);
  // What the killed one had on its way or had not noted yet, and not the thousand and more that it had.
  expect(repeated).toBeLessThan(1_000);
  expect(await count()).toEqual({ rows: [{ n: 8_000, different: 8_000 }], revision: 80 });
  expect(existsSync(state)).toBe(false);
});

test('the file of another import is not gone on with', async () => {
  const state = await fileOf('other.state', JSON.stringify({ import: 'other', batches: 1, tally: {} }));
  const { code, said } = await run([await fileOf('c.nt', lines(0, 1)), '--resume', '--state', state]);
  expect([code, said]).toEqual([1, expect.stringMatching(/^concord: .*other\.state is of another import/m)]);
});

test('a faulty line ends it with its number and reason, or is left out and counted', async () => {
  const file = await fileOf('faulty.nt', `${lines(0, 3)}<urn:a> oops .\n${lines(3, 5)}`);
  const stopped = await run([file]);
  expect([stopped.code, stopped.said]).toEqual([1, expect.stringMatching(/faulty\.nt, line 4: .*oops.*--skip-faulty/)]);
  const skipped = await run([file, '--skip-faulty', '--json']);
  expect([skipped.code, skipped.said]).toEqual([3, expect.stringMatching(/^left out, line 4: /m)]);
  expect(JSON.parse(skipped.printed)).toMatchObject({
    ...{ statements: 5, applied: 2, unchanged: 3, faulty: 1 },
  });
});

test.each([
  ['nt', '<urn:a> oops .\n'],
  ['ttl', '<urn:a> oops .\n'],
  ['nt', Buffer.from([0x3c, 0xff, 0x0a])],
])('what stands before a fault is imported, and nothing behind it (.%s)', async (ending, fault) => {
  const content = Buffer.concat([lines(0, 3_000), fault, lines(3_000, 3_500)].map((part) => Buffer.from(part)));
  const file = await fileOf(`before.${ending}`, content);
  const { code, said, printed } = await run([file]);
  expect([code, said, printed]).toEqual([
    1,
    expect.stringMatching(/line 3001: .*What stands before it was imported, nothing from there on\./),
    expect.stringMatching(/^3,000 statements read, 3,000 applied/),
  ]);
  expect((await count()).rows).toEqual([{ n: 3_000, different: 3_000 }]);
});

test('JSON-LD is imported node by node, asks for no context of itself, and goes on where it ended', async () => {
  const node = (index: number) => `{"id": "urn:s:${index}", "name": "${index}", "nobody": 1}`;
  const nodes = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => node(from + index));
  const document = (context: string) =>
    `{"@context": ${context}, "@graph": [\n${[...nodes(0, 250), '{"id": 7}', ...nodes(250, 500)].join(',\n')}\n]}`;
  const context = '{"id": "@id", "name": "urn:name"}';

  const asking = await fileOf('asking.jsonld', document('"https://example.org/c"'));
  const refused = await run([asking]);
  expect([refused.code, refused.said]).toEqual([
    1,
    expect.stringMatching(
      /asking\.jsonld, line 2: asks for the context https:\/\/example\.org\/c, and nothing is fetched/,
    ),
  ]);
  expect(refused.said).not.toContain('--skip-faulty');

  const file = await fileOf('own.json', document(context));
  const words = [file, '--batch', '100', '--resume', '--json'];
  const first = await run(words);
  expect([first.code, first.said]).toEqual([1, expect.stringMatching(/own\.json, line 252: invalid @id value/)]);
  expect(JSON.parse(first.printed)).toMatchObject({ statements: 250, applied: 250, ignored: 250 });
  const second = await run([...words, '--skip-faulty']);
  expect([second.code, second.said]).toEqual([3, expect.stringMatching(/no context defines "nobody"/)]);

  const file2 = await fileOf('context.json', `{"@context": ${context}}`);
  const given = await run([asking, '--context', `https://example.org/c=${file2}`, '--skip-faulty', '--json']);
  expect(JSON.parse(given.printed)).toMatchObject({ statements: 500, applied: 0, unchanged: 500, faulty: 1 });
  expect((await count()).rows).toEqual([{ n: 500, different: 500 }]);
});

test('an import that a fault has ended goes on without the faulty line, and leaves out nothing else', async () => {
  const file = await fileOf('mended.nt', `${lines(0, 250)}<urn:a> oops .\n${lines(250, 500)}`);
  const words = [file, '--batch', '100', '--resume', '--json'];
  expect(JSON.parse((await run(words)).printed)).toMatchObject({ statements: 250, applied: 250 });
  expect((await run([...words, '--skip-faulty'])).code).toBe(3);
  expect((await count()).rows).toEqual([{ n: 500, different: 500 }]);
});

test('of a packed file that is cut short, what could be unpacked is imported', async () => {
  const packed = gzipSync(lines(0, 8_000));
  const file = await fileOf('cut.nt.gz', packed.subarray(0, packed.length * 0.6));
  const { code, said, printed } = await run([file, '--json']);
  expect([code, said]).toEqual([
    1,
    expect.stringMatching(/^concord: .*cut\.nt\.gz, what gzip has packed is cut short\. What stands before/m),
  ]);
  expect(said).not.toMatch(/\n +at /);
  const { statements, applied } = JSON.parse(printed);
  expect([statements, applied]).toEqual([applied, (await count()).rows[0]?.n]);
  expect(applied).toBeGreaterThan(3_000);
});

test('an import that is interrupted says that --resume goes on, which it does', async () => {
  const file = await fileOf('interrupted.nt', lines(0, 8_000));
  const words = ['import', file, '--batch', '100', '--json'];
  const first = new Command(words, { url: service.url });
  while (((await count()).rows[0]?.n as number) < 500) await sleep(5);
  first.child.kill('SIGINT');
  const { code, said, printed } = await first.ended;
  expect([code, said]).toEqual([
    130,
    expect.stringMatching(/Interrupted\. The same command with --resume goes on here\./),
  ]);
  const before = JSON.parse(printed).applied;
  expect(before).toBeLessThan(8_000);
  const second = await concord([...words, '--resume'], { url: service.url });
  expect([second.code, JSON.parse(second.printed)]).toEqual([
    0,
    expect.objectContaining({ statements: 8_000, applied: 8_000, repeated: 0 }),
  ]);
  expect(await count()).toEqual({ rows: [{ n: 8_000, different: 8_000 }], revision: 80 });
});

test('a text of a million characters is kept, and a longer one is refused by its line, or left out', async () => {
  const text = (length: number) => `<urn:long> <urn:p> "${'x'.repeat(length)}" .\n`;
  const file = await fileOf('long.nt', lines(0, 1) + text(1_048_576) + text(1_048_577) + lines(1, 2));
  expect((await run([file])).said).toMatch(/The service refuses line 3: .*is longer than 1048576 characters/);
  const { code, said, printed } = await run([file, '--skip-faulty', '--json']);
  expect([code, said]).toEqual([3, expect.stringMatching(/left out, line 3: .*longer than 1048576/)]);
  expect(JSON.parse(printed)).toMatchObject({ statements: 4, applied: 3, faulty: 1 });
  const { rows } = await cypher('MATCH ({id: "urn:long"})-[r]->(o) RETURN size(o.value) AS size');
  expect(rows).toEqual([{ size: 1_048_576 }]);
});

test('what the rules reject ends it, is left out by the batch, or is found and left out alone', async () => {
  const code = (subject: string, value: string) => `<urn:${subject}> <https://example.org/world#code> "${value}" .\n`;
  const text = [...'abcdefg'].map((subject) => code(subject, subject)).join('') + code('a', 'other');
  const file = await fileOf('rejected.nt', text);
  const stopped = await run([file]);
  expect(stopped).toMatchObject({
    code: 1,
    said: expect.stringMatching(
      /Rejected - Constraint Violation: lines 1 to 8\n +functional-predicate: urn:a .* \(line 1\)/,
    ),
  });
  expect(JSON.parse((await run([file, '--on-rejected', 'skip', '--json'])).printed)).toMatchObject({
    applied: 0,
    rejected: 8,
  });
  const split = await run([file, '--on-rejected', 'split', '--json']);
  expect([split.code, JSON.parse(split.printed)]).toEqual([3, expect.objectContaining({ applied: 7, rejected: 1 })]);
  expect(split.said).toMatch(/line 8\n/);
});

test.each([
  [['data.unknown'], 2, /doesn't tell the format/],
  [['x.ttl', '--skip-faulty'], 2, /Turtle and TriG are not/],
  [['-', '--format', 'nt', '--resume'], 2, /needs --state/],
  [['x.nt', '--context', 'urn:c=c.json'], 2, /--context is for JSON-LD/],
  [['x.jsonld', '--context', 'c.json'], 2, /--context takes the address/],
  [['x.jsonld', '--context', 'urn:c=missing.json'], 1, /The context missing\.json: ENOENT/],
  [['x.nt', '--batch', '0'], 2, /whole number from 1 on/],
  [['missing.nt'], 1, /ENOENT.*missing\.nt/],
])('%j: exit code %i', async (words, exitCode, message) => {
  expect(await run(words)).toMatchObject({ code: exitCode, said: expect.stringMatching(message) });
});
