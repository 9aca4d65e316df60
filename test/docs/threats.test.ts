import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const rows = [...readFileSync('docs/threats.md', 'utf8').matchAll(/^\| ((?:API|ASI)\d+) .*$/gm)];

test('every point of both lists is there, in order', () => {
  const api = Array.from({ length: 10 }, (_, index) => `API${index + 1}`);
  const agentic = Array.from({ length: 10 }, (_, index) => `ASI${String(index + 1).padStart(2, '0')}`);
  expect(rows.map(([, point]) => point)).toEqual([...api, ...agentic]);
});

test.each(rows.map(([row, point = '']) => [point, row] as const))('%s is covered by tests that there are', (_, row) => {
  const files = [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});
