import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { allHold } from '../../../../src/agents/workflows/plan/conditions.ts';
import { circles, ordered } from '../../../../src/agents/workflows/plan/order.ts';
import { steps as stepsSchema } from '../../../../src/agents/workflows/plan/plan.ts';
import { isPointer, pointedAt } from '../../../../src/agents/workflows/plan/pointer.ts';
import { isWithin, NothingThere, resolved } from '../../../../src/agents/workflows/plan/references.ts';

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Every pointer into a value, with what it leads to. */
function* pointersInto(value: unknown, at = ''): Generator<[string, unknown]> {
  yield [at, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, each] of Object.entries(value)) yield* pointersInto(each, `${at}/${escaped(name)}`);
}

test('each place of a value is reached by its pointer', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      for (const [pointer, found] of pointersInto(value)) {
        expect(isPointer(pointer)).toBe(true);
        expect(pointedAt(value, pointer)).toBe(found);
      }
    }),
    { numRuns: 200 },
  );
});

test.each([
  [{ a: 1 }, '/b'],
  [{ a: 1 }, '/a/b'],
  [{}, '/__proto__'],
  [{}, '/constructor'],
  [[1], '/1'],
  [[1], '/length'],
  [[1], '/-'],
  [[1], '/00'],
  ['text', '/0'],
  [null, '/a'],
])('in %j there is nothing at %s', (value, pointer) => {
  expect(pointedAt(value, pointer)).toBeUndefined();
});

test.each(['a', 'a/b', '/~', '/~2', '~0'])('%s is no pointer', (text) => {
  expect(isPointer(text)).toBe(false);
});

test('a value keeps all that is no reference, and nothing of a result is taken for one', () => {
  const results = new Map<string, unknown>([['a', { x: { $result: 'b', pointer: '' } }]]);
  const value = { list: [1, { $result: 'a', pointer: '/x' }, null], own: { __proto__: null, y: 'text' } };
  expect(resolved(value, results)).toEqual({ list: [1, { $result: 'b', pointer: '' }, null], own: { y: 'text' } });
  expect(resolved({ $item: '/0' }, results, ['first'])).toBe('first');
  expect(() => resolved({ deep: [{ $result: 'a', pointer: '/none' }] }, results)).toThrow(NothingThere);
  expect(resolved({ $result: 'none', default: null }, results)).toBeNull();
});

test('a value that is nested too deeply is found, whatever it is made of', () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : [{ a: deep(levels - 1) }]);
  expect([isWithin(deep(16), 32), isWithin(deep(17), 32)]).toEqual([true, false]);
});

const conditions = (when: unknown) =>
  stepsSchema.parse([{ id: 's', agent: 'a', when: { $result: 'r', pointer: '/v', ...(when as object) } }])[0]?.when ??
  [];

test.each<[unknown, object, boolean]>([
  [1, { equals: 1 }, true],
  [1, { equals: '1' }, false],
  [null, { equals: null }, true],
  [{}, { equals: null }, false],
  [1, { notEquals: 2 }, true],
  [undefined, { notEquals: 2 }, true],
  [undefined, { equals: null }, false],
  [2, { atLeast: 2 }, true],
  [1.9, { atLeast: 2 }, false],
  [2, { atMost: 2 }, true],
  [2.1, { atMost: 2 }, false],
  ['b', { atLeast: 'a' }, true],
  ['b', { atLeast: 1 }, false],
  [3, { atMost: 'z' }, false],
  [undefined, { atMost: 3 }, false],
  [0, { exists: true }, true],
  [undefined, { exists: true }, false],
  [undefined, { exists: false }, true],
])('of %j %j is %s', (v, when, expected) => {
  expect(allHold(conditions(when), new Map([['r', { v }]]))).toBe(expected);
});

test('of several conditions all must hold, and of a step without a result nothing exists', () => {
  const all = [...conditions({ atLeast: 1 }), ...conditions({ atMost: 3 })];
  expect([2, 4].map((v) => allHold(all, new Map([['r', { v }]])))).toEqual([true, false]);
  expect(allHold(conditions({ exists: false }), new Map())).toBe(true);
});

test.each([{}, { equals: 1, atLeast: 0 }, { equals: [1] }, { matches: '.*' }])('%j is no condition', (when) => {
  expect(() => conditions(when)).toThrow();
});

const graphs = fc
  .array(fc.array(fc.nat(11), { maxLength: 4 }), { minLength: 1, maxLength: 12 })
  .map((lists) => new Map(lists.map((list, n) => [`${n}`, list.map((each) => `${each % lists.length}`)])));

test('an order has each after all before it, and what it leaves out is in circles or after one', () => {
  fc.assert(
    fc.property(graphs, (before) => {
      const order = ordered(before);
      for (const id of order)
        for (const each of before.get(id) ?? []) expect(order.indexOf(each)).toBeLessThan(order.indexOf(id));
      const found = circles(before);
      expect(found.length === 0).toBe(order.length === before.size);
      for (const circle of found)
        circle.forEach((id, at) => {
          expect(before.get(id)).toContain(circle[(at + 1) % circle.length]);
        });
    }),
    { numRuns: 300 },
  );
});
