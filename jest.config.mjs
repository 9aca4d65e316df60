const parser = { syntax: 'typescript' };

export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { parser, target: 'es2022' }, module: { type: 'es6' } }],
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
  workerIdleMemoryLimit: '1GB',
};
