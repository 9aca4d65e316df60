import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from '@jest/globals';
import { groupBy } from '../src/base/groupBy.ts';

/** The rooms, as docs/DESIGN.md lists them: the only place where their order stands. */
const order = [...readFileSync('docs/DESIGN.md', 'utf8').matchAll(/^- `([\w/]+)`: /gm)].map(([, room = '']) => room);
/** Made by a tool, not written. */
const generated = 'graph/qualify/grammar/generated';
const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.startsWith(generated))
  .sort();

/** The files, relative to `src`, that a file imports from. */
function importsOf(file: string): string[] {
  const source = readFileSync(join('src', file), 'utf8');
  const found = [...source.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)];
  return found.map(([, path = '']) => relative('.', join(dirname(file), path)));
}

test('every folder of src has its place in the order of the rooms', () => {
  const folders = new Set(files.map((file) => dirname(file)).filter((folder) => folder !== '.'));
  expect([...folders].sort()).toEqual([...order].sort());
});

test('no file imports from a room above its own', () => {
  const upwards = files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => !imported.startsWith(generated) && dirname(imported) !== dirname(file))
      .filter((imported) => dirname(file) !== '.' && order.indexOf(dirname(imported)) >= order.indexOf(dirname(file)))
      .map((imported) => `${file} imports ${imported}`),
  );
  expect(upwards).toEqual([]);
});

test('no folder holds more than 20 files beside its sub-folders', () => {
  const counts = groupBy(files, (file) => dirname(file));
  expect([...counts].filter(([, within]) => within.length > 20).map(([folder]) => folder)).toEqual([]);
});
