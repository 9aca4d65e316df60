import { expect, test } from '@jest/globals';
import type { Violation } from '../../../src/alignment/alignment.ts';
import type { Rule } from '../../../src/alignment/rule.ts';
import { redactViolations } from '../../../src/knowledge/closed/redactViolations.ts';
import type { Patch } from '../../../src/knowledge/patch.ts';
import { add } from '../../support/patches.ts';

const violation: Violation = {
  rule: 'functional',
  severity: 'reject',
  subject: 'urn:a',
  predicate: 'urn:p',
  object: 'urn:other',
  message: 'has urn:secret already',
};
const rules = [{ name: 'functional', message: 'has one value' }] as Rule[];
const patches = [add('urn:a', 'urn:p', { id: 'urn:b' })] as Patch[];
const closedOf = (classes: string[], predicates: string[]) => ({
  classes: new Map(classes.map((iri) => [iri, 'r'])),
  predicates: new Map(predicates.map((iri) => [iri, 'r'])),
});
const told = (closed: ReturnType<typeof closedOf> | undefined, more: Partial<Violation> = {}, of = rules) =>
  redactViolations([{ ...violation, ...more }], of, patches, closed);
const general = {
  rule: 'functional',
  severity: 'reject',
  subject: 'urn:a',
  predicate: 'urn:p',
  message: 'has one value',
};

test('a violation is told whole where nothing is closed, or nothing that it names', () => {
  expect(told(undefined)).toEqual([violation]);
  expect(told(closedOf([], ['urn:elsewhere']))).toEqual([violation]);
});

test('one that names what is closed is told by the general words of its rule, and by what was said', () => {
  expect(told(closedOf([], ['urn:secret']))).toEqual([general]);
  expect(told(closedOf([], ['urn:other']))).toEqual([general]);
  // Of which class an entity is that it quotes, it doesn't say.
  expect(told(closedOf(['urn:C'], []))).toEqual([general]);
});

test('what the proposer has not said is not told', () => {
  const { subject: _, predicate: __, ...bare } = general;
  expect(told(closedOf(['urn:C'], []), { subject: 'urn:x', predicate: 'urn:y' })).toEqual([bare]);
  expect(told(closedOf(['urn:C'], []), { subject: 'urn:b', predicate: 'urn:y' })).toEqual([
    { ...bare, subject: 'urn:b' },
  ]);
});

test('a rule that is gone is told by its own words', () => {
  expect(told(closedOf(['urn:C'], []), {}, [])).toEqual([{ ...general, message: violation.message }]);
});
