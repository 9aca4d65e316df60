import { expect, test } from '@jest/globals';
import { idsOf } from '../../../src/graph/statements/statement.ts';
import { whyClosed } from '../../../src/knowledge/closed/closedStatements.ts';

const closed = {
  classes: new Map([['urn:c:secret', 'no-secrets']]),
  predicates: new Map([['urn:p:salary', 'no-salaries']]),
};
const link = (type?: { subject?: string; object?: string }) => ({
  subject: { id: 'urn:a', ...(type?.subject && { type: type.subject }) },
  predicate: { id: 'urn:p:knows' },
  object: { id: 'urn:b', ...(type?.object && { type: type.object }) },
});
const stored = (...types: [string, string | undefined][]) =>
  new Map(types.map(([id, type]) => [id, type === undefined ? {} : { type }]));
const reason = (...asked: Parameters<typeof whyClosed>) => whyClosed(...asked)?.message;

test('a statement is closed for its predicate', () => {
  const salary = { ...link(), predicate: { id: 'urn:p:salary' } };
  expect(reason(salary, closed, new Map())).toContain('urn:p:salary');
  expect(reason(link(), closed, new Map())).toBeUndefined();
});

test.each([
  ['subject', 'urn:a'],
  ['object', 'urn:b'],
])('a statement is closed for the class that its %s has, whatever class is said of it', (end, id) => {
  const isClosed = expect.stringContaining('urn:c:secret');
  expect(reason(link(), closed, stored([id, 'urn:c:secret']))).toEqual(isClosed);
  expect(reason(link({ [end]: 'urn:c:open' }), closed, stored([id, 'urn:c:secret']))).toEqual(isClosed);
  expect(reason(link({ [end]: 'urn:c:secret' }), closed, stored([id, 'urn:c:open']))).toEqual(isClosed);
  expect(reason(link({ [end]: 'urn:c:secret' }), closed, new Map())).toEqual(isClosed);
  expect(reason(link({ [end]: 'urn:c:open' }), closed, stored([id, undefined]))).toBeUndefined();
});

test('a literal is no entity, and entities are named once', () => {
  const age = {
    subject: { id: 'urn:a' },
    predicate: { id: 'urn:p' },
    object: { value: 1, type: 'xsd:integer' },
  };
  expect(idsOf([age, link(), link()])).toEqual(['urn:a', 'urn:b']);
  expect(reason(age, closed, stored(['urn:a', 'urn:c:secret']))).toContain('urn:c:secret');
});
