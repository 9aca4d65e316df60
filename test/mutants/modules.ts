import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A module that StrykerJS changes, whose tests need no Neo4j. */
export interface Module {
  name: string;
  /** Files, or folders with all that is in them. */
  files: string[];
  tests: string[];
}

const one = (name: string, file: string, ...tests: string[]): Module => ({ name, files: [file], tests });

const qualify = (name: string, files: string[], ...tests: string[]): Module => ({
  name,
  files: files.map((file) => `src/graph/qualify/${file}`),
  tests: tests.map((test) => `test/graph/qualify/${test}.test.ts`),
});

/** Modules that are free of the database. */
export const modules: Module[] = [
  one('applyPatches', 'src/knowledge/update/applyPatches.ts', 'test/knowledge/update/applyPatches.test.ts'),
  one('voices', 'src/knowledge/update/voices.ts', 'test/knowledge/update/voices.test.ts'),
  one('closedStatements', 'src/knowledge/closed/closedStatements.ts', 'test/knowledge/closed/closedStatements.test.ts'),
  one('erasure', 'src/knowledge/purge/erasure.ts', 'test/knowledge/purge/erasure.test.ts'),
  one('classify', 'src/knowledge/update/classify.ts', 'test/knowledge/update/classify.test.ts'),
  one('redactViolations', 'src/knowledge/closed/redactViolations.ts', 'test/knowledge/closed/redactViolations.test.ts'),
  one('closedValues', 'src/knowledge/closed/closedValues.ts', 'test/knowledge/closed/closedValues.test.ts'),
  {
    name: 'plan',
    files: ['plan', 'entityCertainties'].map((name) => `src/knowledge/update/${name}.ts`),
    tests: ['test/knowledge/update/plan.test.ts'],
  },
  {
    name: 'taskNodes',
    files: ['src/tasks/nodes/events.ts', 'src/tasks/nodes/taskNodes.ts', 'src/tasks/nodes/taskState.ts'],
    tests: ['events', 'taskNodes'].map((name) => `test/tasks/nodes/${name}.test.ts`),
  },
  {
    name: 'draft',
    files: ['draft', 'endTask', 'liveTasks'].map((name) => `src/tasks/store/${name}.ts`),
    tests: ['draft', 'liveTasks'].map((name) => `test/tasks/store/${name}.test.ts`),
  },
  one('changeClasses', 'src/knowledge/subscribe/changeClasses.ts', 'test/knowledge/subscribe/changeClasses.test.ts'),
  {
    name: 'live',
    files: ['src/knowledge/subscribe/live/classesRead.ts', 'src/knowledge/subscribe/live/liveQuery.ts'],
    tests: ['classesRead', 'liveQuery'].map((name) => `test/knowledge/subscribe/live/${name}.test.ts`),
  },
  one('follow', 'src/knowledge/subscribe/follow.ts', 'test/knowledge/subscribe/follow.test.ts'),
  one('visibleChanges', 'src/knowledge/subscribe/visibleChanges.ts', 'test/knowledge/subscribe/visibleChanges.test.ts'),
  one('filter', 'src/changes/filter.ts', 'test/changes/filter.test.ts'),
  one('audience', 'src/changes/audience.ts', 'test/changes/audience.test.ts'),
  {
    name: 'calls',
    files: ['src/calls'],
    tests: [
      ...['becomeStream', 'callState', 'deliver', 'faults', 'inFlight', 'nesting', 'params', 'refusals', 'slots'],
      ...['socketPace', 'streams'],
    ].map((name) => `test/calls/${name}.test.ts`),
  },
  one('queryShape', 'src/knowledge/query/queryShape.ts', 'test/knowledge/query/queryLimits.test.ts'),
  {
    name: 'queryLimits',
    files: ['queryLimits', 'arguments', 'inputSize'].map((name) => `src/knowledge/query/${name}.ts`),
    tests: ['test/knowledge/query/queryLimits.test.ts'],
  },
  one('readConditions', 'src/knowledge/conditions.ts', 'test/knowledge/conditions.test.ts'),
  one('consulted', 'src/graph/reading/consulted.ts', 'test/graph/reading/consulted.test.ts'),
  one('projection', 'src/graph/statements/projection.ts', 'test/graph/statements/projection.test.ts'),
  one('names', 'src/graph/names/names.ts', 'test/graph/names/names.test.ts'),
  one('words', 'src/graph/search/words.ts', 'test/graph/search/words.test.ts'),
  {
    name: 'ranking',
    files: ['comparing', 'likeness', 'ranking'].map((name) => `src/graph/search/${name}.ts`),
    tests: ['comparing', 'likeness', 'ranking'].map((name) => `test/graph/search/${name}.test.ts`),
  },
  one('retry', 'src/client/retry.ts', 'test/client/retry.test.ts'),
  {
    name: 'protocol',
    files: [
      ...['protocol/version', 'protocol/transportErrors', 'protocol/protocolError'],
      ...['handler/requestShape', 'jsonrpc/answers'],
    ].map((name) => `src/a2a/${name}.ts`),
    tests: ['test/a2a/protocol/transportErrors.test.ts'],
  },
  one('jsonrpc', 'src/a2a/jsonrpc/jsonrpc.ts', 'test/a2a/jsonrpc/jsonrpc.test.ts', 'test/a2a/jsonrpc/endpoint.test.ts'),
  one('receiverQueue', 'src/push/receiverQueue.ts', 'test/push/receiverQueue.test.ts'),
  one('publicAddress', 'src/push/publicAddress.ts', 'test/push/publicAddress.test.ts'),
  {
    name: 'security',
    files: ['src/security'],
    tests: ['apiKey', 'authenticator', 'jwt', 'keySet', 'policy'].map((name) => `test/security/${name}.test.ts`),
  },
  // A part has the tests that are of it: those of the audit take as long as all others together. Not `graphql` and
  // `closedGraphql`: their random operations would take a minute for each mutant.
  qualify('qualify/audit', ['audit'], 'audit/audit'),
  qualify('qualify/text', ['text'], 'qualifier', 'text/conditions', 'text/printer', 'rewrite/conjunction'),
  qualify(
    'qualify/rewrite',
    ['rewrite'],
    ...['qualifier', 'rewrite/aggregated', 'rewrite/conjunction', 'rewrite/startingPoints'],
  ),
  qualify(
    'qualify',
    ['grammar', 'paging', 'qualifiedText.ts', 'qualifier.ts', 'qualifierThread.ts', 'threadAnswer.ts'],
    ...['qualifier', 'qualifierThread', 'grammar/textLimits', 'grammar/exactDfa', 'paging/paging'],
  ),
];

/** The source files of a module, relative to `root`; not those that are generated. */
export function filesOf({ files }: Module, root: string): string[] {
  return files.flatMap((file) => {
    if (file.endsWith('.ts')) return [file];
    const all = readdirSync(join(root, file), { recursive: true, encoding: 'utf8' });
    return all
      .filter((name) => name.endsWith('.ts') && !name.includes('generated'))
      .map((name) => `${file}/${name}`)
      .sort();
  });
}
