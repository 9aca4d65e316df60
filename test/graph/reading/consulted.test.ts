import { expect, test } from '@jest/globals';
import { Consulted } from '../../../src/graph/reading/consulted.ts';

test('counts each statement once, however deep it stands and however often it is shown', () => {
  const consulted = new Consulted();
  consulted.add([[['a', 0.5], [['b', 0.75]]], null, [[]]]);
  consulted.add([[['a', 0.5]]]);
  expect(consulted.summary()).toEqual({ statements: 2, lowestCertainty: 0.5 });
});

test('a statement without certainty has 1, and of none there is no lowest', () => {
  const consulted = new Consulted();
  expect(consulted.summary()).toEqual({ statements: 0 });
  consulted.add([['a', null]]);
  expect(consulted.summary()).toEqual({ statements: 1, lowestCertainty: 1 });
  consulted.add([['b', 0]]);
  expect(consulted.summary()).toEqual({ statements: 2, lowestCertainty: 0 });
});

test('tells nothing as soon as one query could not tell, whatever the others told', () => {
  const consulted = new Consulted();
  consulted.add(undefined);
  consulted.add([['a', 0.5]]);
  expect(consulted.summary()).toBeUndefined();
});
