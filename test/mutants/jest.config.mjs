import { fileURLToPath } from 'node:url';
import { apart } from '../../jest.config.mjs';

const { globalSetup, globalTeardown, maxWorkers, workerIdleMemoryLimit, ...rest } = apart;
const tests = process.env.MUTANT_TESTS;

/**
 * The project's own configuration without its Neo4j, for the tests named in MUTANT_TESTS, one a line: they need none.
 */
export default {
  ...rest,
  rootDir: fileURLToPath(new URL('../..', import.meta.url)),
  maxWorkers: 1,
  setupFiles: ['<rootDir>/test/mutants/firstFailure.mjs'],
  testTimeout: 30_000,
  ...(tests && { testMatch: tests.split('\n').map((path) => `<rootDir>/${path}`) }),
};
