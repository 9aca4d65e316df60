const parser = { syntax: 'typescript' };
const compiled = ['@swc/jest', { jsc: { parser, target: 'es2022' }, module: { type: 'es6' } }];
const shared = '<rootDir>/test/setup/sharedModules.cjs';
const source = new URL('src/', import.meta.url).pathname.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Each test file loads all of its modules anew, and `src/` as it stands there: for tests of a changed `src/`. */
export const apart = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': compiled,
    '/node_modules/jose/.+\\.js$': ['@swc/jest', { jsc: { target: 'es2022' }, module: { type: 'commonjs' } }],
  },
  // As tsconfig.json has it: the examples name the package that others install.
  moduleNameMapper: { '^concord-client$': '<rootDir>/src/client/index.ts' },
  transformIgnorePatterns: ['/node_modules/(?!(.*/)?jose/)'],
  globalSetup: '<rootDir>/test/setup/start.mjs',
  globalTeardown: '<rootDir>/test/setup/stop.mjs',
  testTimeout: 600_000,
  // Each worker has a Neo4j of its own (test/setup/start.mjs), and that of NEO4J_URI is one. `npm test -- -i` runs with one too.
  maxWorkers: process.env.NEO4J_URI ? 1 : 2,
  testSequencer: '<rootDir>/test/setup/sequencer.mjs',
  workerIdleMemoryLimit: '1GB',
};

export default {
  ...apart,
  testEnvironment: '<rootDir>/test/setup/oneRealm.cjs',
  transform: { [`^${source}.+\\.ts$`]: shared, '/node_modules/.+\\.[cm]?js$': shared, '^.+\\.ts$': compiled },
  transformIgnorePatterns: [],
};
