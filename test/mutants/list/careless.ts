import type { Mutant } from '../apply.ts';

/** What is broken, the text that is there, and what stands in its place. */
type Change = readonly [what: string, find: string, put: string];

/** Careless changes of one file, which these tests are to notice. */
export function careless(module: string, file: string, tests: string[], changes: Change[]): Mutant[] {
  return changes.map(([what, find, put]) => ({ module, what, file, find, put, tests }));
}
