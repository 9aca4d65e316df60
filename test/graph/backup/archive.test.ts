import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { checkArchive, type GraphLine, graphOf, writeArchive } from '../../../src/graph/backup/archive.ts';
import { useFolder } from '../../support/setUp.ts';

const folder = useFolder();
const head = { takenAt: '2026-01-01T00:00:00.000Z', schema: [{ name: 'a', command: 'CREATE …' }] };
const graph: GraphLine[] = [
  ['node', 3, ['Entity'], { id: 'urn:1\n"' }],
  ['node', 0, [], { n: 1 }],
  ['relationship', 'NAME', 3, 0, { certainty: { float: '1' } }],
];
async function* lines() {
  yield* graph;
}

/** One that is whole, and its name. */
async function whole(name: string): Promise<string> {
  const file = join(folder, name);
  await writeArchive(file, head, lines());
  return file;
}

test('what is written is read again, with its counts, and is for its owner only', async () => {
  const file = join(folder, 'whole.gz');
  const counts = { nodes: 2, relationships: 1 };
  expect(await writeArchive(file, head, lines())).toEqual(counts);
  expect(await checkArchive(file)).toEqual({ ...head, ...counts });
  const read: GraphLine[] = [];
  for await (const line of graphOf(file)) read.push(line);
  expect(read).toEqual(graph);
  expect(statSync(file).mode & 0o077).toBe(0);
});

test('one that could not be read to its end leaves no file', async () => {
  const file = join(folder, 'broken.gz');
  async function* broken(): AsyncGenerator<GraphLine> {
    yield* graph;
    throw new Error('Neo4j is away');
  }
  await expect(writeArchive(file, head, broken())).rejects.toThrow('Neo4j is away');
  expect([existsSync(file), existsSync(`${file}.part`)]).toEqual([false, false]);
});

test.each<[string, (text: string, packed: Buffer) => Buffer]>([
  ['has lost its last line', (text) => gzipSync(text.slice(0, text.lastIndexOf('{')))],
  ['has lost a line', (text) => gzipSync(text.replace(/^\["relationship".*\n/m, ''))],
  ['was changed', (text) => gzipSync(text.replace('urn:1', 'urn:2'))],
  ['is of another format', (text) => gzipSync(text.replace('"concordBackup":1', '"concordBackup":2'))],
  ['is something else', () => gzipSync('{}\nnull\n')],
  ['is empty', () => gzipSync('')],
  ['is not packed', (text) => Buffer.from(text)],
  ['is cut off', (_, packed) => packed.subarray(0, packed.length - 12)],
])('one that %s is refused', async (_what, damage) => {
  const file = await whole('damaged.gz');
  const packed = readFileSync(file);
  writeFileSync(file, damage(gunzipSync(packed).toString(), packed));
  await expect(checkArchive(file)).rejects.toMatchObject({
    name: 'StartupError',
    message: expect.stringContaining(file),
  });
});
