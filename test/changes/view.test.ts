import { expect, test } from '@jest/globals';
import { type ChangeWhere, compileFilter } from '../../src/changes/filter.ts';
import { type Bounds, viewOf } from '../../src/changes/view.ts';
import type { Statement } from '../../src/graph/statements/statement.ts';
import type { LoggedChange } from '../../src/graph/updates/changeLog.ts';

const says = (value: number, certainty?: number, observed?: string): Statement => ({
  subject: { id: 's' },
  predicate: { id: 'p' },
  object: { value, type: 'http://www.w3.org/2001/XMLSchema#integer' },
  ...(certainty !== undefined && { certainty }),
  ...(observed !== undefined && { provenance: { timestamp: observed } }),
});
const change = (op: LoggedChange['op'], statement: Statement, previous?: Statement[]): LoggedChange => ({
  sequence: 1,
  changeId: 'c',
  op,
  statement,
  ...(previous && { previous }),
  timestamp: '2024-01-01T00:01:00.000Z',
  updateId: 'u',
  revision: 1,
  sourceAgentId: 'ann',
});
/** What somebody is told who asks for this: operation, value, and the values that it took the place of. */
function told(change: LoggedChange, where: ChangeWhere, bounds: Bounds = {}) {
  const filter = compileFilter(where);
  const seen = filter.touches(change) ? viewOf(filter, bounds)(change) : undefined;
  const value = ({ object }: Statement) => ('value' in object ? object.value : object.id);
  return seen && [seen.op, value(seen.statement), seen.previous?.map(value)];
}
const high: ChangeWhere = { object: { gt: 5 } };
const certain = { requiredCertainty: 0.8 };

test('what stops to meet the filter yields its removal, once, with the others beside it', () => {
  expect(told(change('replace', says(3), [says(7)]), high)).toEqual(['remove', 7, undefined]);
  expect(told(change('replace', says(3), [says(7), says(1), says(9)]), high)).toEqual(['remove', 7, [9]]);
  expect(told(change('replace', says(3), [says(2)]), high)).toBeUndefined();
  expect(told(change('replace', says(8), [says(7), says(1)]), high)).toEqual(['replace', 8, [7, 1]]);
  expect(told(change('remove', says(7)), high)).toEqual(['remove', 7, undefined]);
});

test('who asks for operations gets the changes as they were made', () => {
  const replaced = change('replace', says(3), [says(7)]);
  expect(told(replaced, { op: { eq: 'remove' } })).toBeUndefined();
  expect(told(replaced, { ...high, not: { op: { eq: 'add' } } })).toBeUndefined();
  expect(told(replaced, { op: { eq: 'replace' } })).toEqual(['replace', 3, [7]]);
  expect(told(replaced, { op: { eq: 'replace' } }, { requiredCertainty: 1 })).toEqual(['replace', 3, [7]]);
  expect(told(change('add', says(3, 0.2)), { op: { eq: 'add' } }, certain)).toBeUndefined();
});

test('what rises to the certainty is added, what falls below it is removed, what stays above is replaced', () => {
  expect(told(change('add', says(1, 0.7)), {}, certain)).toBeUndefined();
  expect(told(change('add', says(1, 0.8)), {}, certain)).toEqual(['add', 1, undefined]);
  expect(told(change('add', says(1)), {}, certain)).toEqual(['add', 1, undefined]);
  expect(told(change('replace', says(1, 0.8), [says(1, 0.7)]), {}, certain)).toEqual(['add', 1, undefined]);
  expect(told(change('replace', says(1, 0.7), [says(1, 0.8)]), {}, certain)).toEqual(['remove', 1, undefined]);
  expect(told(change('replace', says(1, 0.7), [says(1, 0.6)]), {}, certain)).toBeUndefined();
  expect(told(change('replace', says(2, 0.9), [says(1, 0.8), says(3, 0.1)]), {}, certain)).toEqual(['replace', 2, [1]]);
  expect(told(change('remove', says(1, 0.7)), {}, certain)).toBeUndefined();
  expect(told(change('remove', says(1, 0.8)), {}, certain)).toEqual(['remove', 1, undefined]);
});

test('what was observed too long before its change is not told, and its removal is', () => {
  const fresh = { maxAgeSeconds: 60 };
  // Without an offset it is UTC.
  const [young, old] = [says(1, 1, '2024-01-01T00:00:00'), says(2, 1, '2023-12-31T23:59:59+00:00')];
  expect(told(change('add', young), {}, fresh)).toEqual(['add', 1, undefined]);
  expect(told(change('add', old), {}, fresh)).toBeUndefined();
  expect(told(change('add', says(3)), {}, { maxAgeSeconds: 0 })).toEqual(['add', 3, undefined]);
  expect(told(change('replace', old, [young]), {}, fresh)).toEqual(['remove', 1, undefined]);
  expect(told(change('remove', old), {}, fresh)).toEqual(['remove', 2, undefined]);
});

test('those who ask for the same are told the same object, and others theirs', () => {
  const seen = change('replace', says(1, 0.8), [says(1, 0.7)]);
  const one = viewOf(compileFilter({}), certain)(seen);
  expect(viewOf(compileFilter({}), certain)(seen)).toBe(one);
  expect(viewOf(compileFilter({}), { requiredCertainty: 0.7 })(seen)).toBe(seen);
});
