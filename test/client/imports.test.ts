import { readFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { expect, test } from '@jest/globals';

/** A statement that loads a module at run time; `import type` and `export type` load none. */
const loading = /^(?:import|export)\s(?!type\b)[^;]*?from\s+'([^']+)'|^import\s+'([^']+)'|import\('([^']+)'\)/gm;

/** Every module that `file` loads at run time, itself included. */
async function loadedBy(file: string, seen = new Set<string>()): Promise<Set<string>> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, from, bare, dynamic] of (await readFile(file, 'utf8')).matchAll(loading)) {
    const name = from ?? bare ?? dynamic ?? '';
    if (name.startsWith('.')) await loadedBy(resolve(dirname(file), name), seen);
    else seen.add(name);
  }
  return seen;
}

test('the client loads eventsource-parser and of the service what goes over the wire', async () => {
  const loaded = [...(await loadedBy(resolve('src/client/index.ts')))];
  const own = loaded.filter((name) => /^(client|wire)\//.test(relative(resolve('src'), name)));
  expect(own.length).toBeGreaterThan(10);
  expect(loaded.filter((name) => !own.includes(name))).toEqual(['eventsource-parser']);
});
