import { expect, test } from '@jest/globals';
import { faultsOf } from '../../../../src/agents/workflows/plan/check.ts';
import { entryOf } from '../../../../src/agents/workflows/plan/entering.ts';
import { type Step, steps } from '../../../../src/agents/workflows/plan/plan.ts';

const stepOf = (more: object) => steps.parse([{ id: 'last', agent: 'concord/query', ...more }])[0] as Step;
const course = { standing: () => ({ phase: 'completed' as const }) };
const results = new Map<string, unknown>([['long', { text: 'x'.repeat(600), list: [1, 2, 3] }]]);
const enter = (more: object) => entryOf(stepOf(more), { course, optional: () => false, results, longest: 1_000 });
const long = { $result: 'long', pointer: '/text' };
const tooLong = expect.objectContaining({
  data: expect.objectContaining({ reason: 'workflow-results', limit: 1_000 }),
});

test('a result counts as often as a step refers to it', () => {
  expect(enter({ parameters: { one: long } })).toEqual({ kind: 'run' });
  expect(() => enter({ parameters: { one: long, two: [long] } })).toThrow(tooLong);
});

test('what a step for each of a list says counts once for each item', () => {
  const forEach = { $result: 'long', pointer: '/list' };
  expect(enter({ forEach, parameters: { item: { $item: '' } } })).toEqual({ kind: 'run', items: 3 });
  expect(() => enter({ forEach, parameters: { one: long } })).toThrow(tooLong);
  expect(() => enter({ forEach, parameters: { own: 'x'.repeat(400) } })).toThrow(tooLong);
  expect(enter({ parameters: { own: 'x'.repeat(4_000) } })).toEqual({ kind: 'run' });
});

test('a step has 1,000 references, whose pointers have 2,000 characters', () => {
  const said = (parameters: object) => faultsOf([stepOf({ id: 'long' }), stepOf({ parameters })]);
  const many = (count: number) => ({ all: Array.from({ length: count }, () => long) });
  expect(said(many(1_000))).toEqual([]);
  expect(said(many(1_001))).toMatchObject([{ step: 'last', fault: 'too-many-references' }]);
  const far = (length: number) => ({ far: { $result: 'long', pointer: '/'.repeat(length) } });
  expect(said(far(2_000))).toEqual([]);
  expect(said(far(2_001))).toMatchObject([{ step: 'last', fault: 'unknown-reference' }]);
});

test('what is no reference is told in 500 characters', () => {
  const [fault] = faultsOf([stepOf({ parameters: { odd: { $parameter: 'x'.repeat(5_000) } } })]);
  expect(fault?.message.length).toBeLessThan(600);
});

test('of a long list no more is looked at than there is room for', () => {
  let looks = 0;
  const item = () => ({
    get text() {
      looks += 1;
      return 'x'.repeat(400);
    },
  });
  const list = new Map([['long', { list: Array.from({ length: 100 }, item) }]]);
  const step = stepOf({ forEach: { $result: 'long', pointer: '/list' }, parameters: { one: { $item: '/text' } } });
  expect(() => entryOf(step, { course, optional: () => false, results: list, longest: 1_000 })).toThrow(tooLong);
  expect(looks).toBeLessThan(20);
});
