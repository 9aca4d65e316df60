import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const folder = 'src/graph/qualify/audit';
const sources = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));

test('the auditor shares with the rewriter the parser, the names of Concord’s own labels and a type', () => {
  const imported = sources.flatMap((text) => [...text.matchAll(/^import ([^;]*?) from '(\.\.[^']*)'/gms)]);
  const shared = new Set(imported.map(([, what = '', from]) => (what.startsWith('type ') ? 'type ' : '') + from));
  expect([...shared].sort()).toEqual(['../../names/names.ts', '../grammar/tree.ts', 'type ../text/conditions.ts']);
});

test('it is as long as docs/design/reading.md says', () => {
  const lines = sources.reduce((sum, text) => sum + text.trimEnd().split('\n').length, 0);
  const [, said] = /It is about ([\d,]+) lines/.exec(readFileSync('docs/design/reading.md', 'utf8')) ?? [];
  expect(Math.abs(lines - Number(said?.replace(',', '')))).toBeLessThan(60);
});
