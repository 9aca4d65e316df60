import { expect, test } from '@jest/globals';
import type { Statement } from '../../../src/graph/statements/statement.ts';
import type { IdentifiedPatch, PatchOutcome } from '../../../src/knowledge/update/applyPatches.ts';
import { classify, misclassified } from '../../../src/knowledge/update/classify.ts';

const entity = (id: string, type?: string) => ({ id, ...(type !== undefined && { type }) });
const patch = (
  op: IdentifiedPatch['op'],
  subject: Statement['subject'],
  object: Statement['object'],
): IdentifiedPatch => ({
  op,
  statementId: `${subject.id} ${JSON.stringify(object)}`,
  statement: { subject, predicate: { id: 'urn:p' }, object },
});
const literal = { value: 1, type: 'http://www.w3.org/2001/XMLSchema#integer' };
const voice = { sourceAgentId: 'ann', observedAt: 0 };
/** As if each of these had become a statement. */
const creating = (...patches: IdentifiedPatch[]): PatchOutcome => ({
  created: patches.map(({ statementId: id, statement }) => ({
    id,
    statement,
    observedAt: 0,
    voices: [voice],
  })),
  revised: [],
  retired: [],
  changes: [],
  stated: [],
  after: [],
});
const existing = (...all: [string, string?][]) => new Map(all.map(([id, type]) => [id, entity(id, type)]));

test('entities that a new statement needs and that are not there are created, by class', () => {
  const patches = [patch('add', entity('a', 'C'), entity('b')), patch('add', entity('c', 'C'), entity('old', 'C'))];
  expect(classify(patches, creating(...patches), existing(['old', 'C']))).toEqual([
    { classIri: 'C', ids: ['a', 'c'] },
    { classIri: undefined, ids: ['b'] },
  ]);
});

test('an entity that is there without a class is given one, also by a patch that creates nothing', () => {
  const patches = [patch('add', entity('a', 'C'), literal)];
  expect(classify(patches, creating(), existing(['a']))).toEqual([{ classIri: 'C', ids: ['a'] }]);
  expect(classify(patches, creating(), existing(['a', 'D']))).toEqual([]);
  expect(classify(patches, creating(), existing())).toEqual([]);
});

test('the first class that is said counts, and a removal says none', () => {
  const patches = [
    patch('remove', entity('a', 'X'), literal),
    patch('add', entity('a', 'C'), literal),
    patch('add', entity('a', 'D'), literal),
  ];
  expect(classify(patches, creating(...patches.slice(1)), existing())).toEqual([{ classIri: 'C', ids: ['a'] }]);
  expect(classify(patches.slice(0, 1), creating(), existing(['a']))).toEqual([]);
});

test('a patch is misclassified where either end has another class than it says', () => {
  const known = existing(['a', 'C'], ['b', 'D'], ['plain']);
  const right = patch('add', entity('a', 'C'), entity('b', 'D'));
  const wrongSubject = patch('add', entity('a', 'D'), entity('b'));
  const wrongObject = patch('replace', entity('a'), entity('b', 'C'));
  const unknown = patch('add', entity('new', 'C'), entity('plain', 'C'));
  const removal = patch('remove', entity('a', 'D'), literal);
  expect(misclassified([right, wrongSubject, wrongObject, unknown, removal], known)).toEqual([
    wrongSubject,
    wrongObject,
  ]);
});
