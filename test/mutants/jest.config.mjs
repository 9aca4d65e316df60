import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = new URL('../../jest.config.json', import.meta.url);
const { globalSetup, globalTeardown, workerIdleMemoryLimit, ...rest } = JSON.parse(
  readFileSync(main, 'utf8'),
);
const tests = process.env.MUTANT_TESTS;

/** The project's own configuration without its Neo4j, for the tests named in MUTANT_TESTS, one a line: they need none. */
export default {
  ...rest,
  rootDir: fileURLToPath(new URL('../..', import.meta.url)),
  testTimeout: 30_000,
  ...(tests && { testMatch: tests.split('\n').map((path) => `<rootDir>/${path}`) }),
};
