/**
 * StrykerJS for what is free of the database. `npm run mutants` runs it: it names the files to change, the tests in
 * MUTANT_TESTS (see jest.config.mjs), and the folder for what is written in MUTANT_REPORTS. With MUTANT_SAMPLE it tries
 * only some (see sample.mjs).
 */
const cache = '.cache/mutants';
const reports = process.env.MUTANT_REPORTS ?? cache;
const isSample = process.env.MUTANT_SAMPLE !== undefined;

export default {
  testRunner: 'jest',
  plugins: ['@stryker-mutator/jest-runner', './test/mutants/sample.mjs'],
  checkers: isSample ? ['sample'] : [],
  jest: {
    projectType: 'custom',
    configFile: 'test/mutants/jest.config.mjs',
    enableFindRelatedTests: false,
  },
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  coverageAnalysis: 'perTest',
  // A change to what runs when a module is loaded would run every test: those are left out.
  ignoreStatic: true,
  mutate: [],
  ignorePatterns: ['/.cache', '/.concord', '/coverage', '/demo', '/docs', '/reports'],
  // Stryker rewrites tsconfig.json by the API of TypeScript, which version 7 hasn't got; nothing here reads that file.
  tsconfigFile: 'none',
  // A copy is made, and the working tree stays as it is.
  inPlace: false,
  tempDirName: `${cache}/sandbox`,
  cleanTempDir: 'always',
  // Of a sample nothing is remembered: what it left out was not tried.
  incremental: !isSample,
  incrementalFile: `${reports}/incremental.json`,
  reporters: ['html', 'json', 'clear-text', 'progress-append-only'],
  htmlReporter: { fileName: `${reports}/mutants.html` },
  jsonReporter: { fileName: `${reports}/mutants.json` },
  clearTextReporter: { allowColor: false, logTests: false },
  // swc compiles, and looks at no types.
  disableTypeChecks: false,
  concurrency: 1,
  // On a machine with other work a test must not pass for one that never ends.
  timeoutMS: 20_000,
};
