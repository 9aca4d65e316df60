import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import type { Database } from '../../src/graph/database/database.ts';
import type { Service } from '../../src/service/startService.ts';
import { startTestService, testDatabase } from './service.ts';

type Settings = Record<string, string>;

/**
 * A whole Concord over an empty graph, for all tests of a file. What it returns is filled before they begin.
 * @param settings environment variables, over the tests' own; a function where they are known only then
 */
export function useService(settings: Settings | (() => Settings) = {}): Omit<Service, 'close'> {
  const service = {} as Service;
  beforeAll(async () => {
    Object.assign(service, await startTestService(typeof settings === 'function' ? settings() : settings));
  });
  afterAll(() => service.close?.());
  return service;
}

/** The Neo4j that the tests work on, connected to until those of a file end. */
export function useDatabase(): Database {
  const database = testDatabase();
  afterAll(() => database.close());
  return database;
}

/** A folder with files, by their names, that is there until the tests of a file end. */
export function useFolder(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'concord-test-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
