import { expect, test } from '@jest/globals';
import neo4j from 'neo4j-driver';
import { type Conditions, isLimited, shapeOf, valuesOf } from '../../../../src/graph/qualify/text/conditions.ts';
import { dateTime } from '../../../../src/graph/statements/values.ts';
import { closedOf } from '../closedNames.ts';
import { base } from '../vocabulary.ts';

const north: Conditions = { tenant: 'north' };
const none = { certainty: false, since: false, asOf: false };
const then = new Date(Date.UTC(2024, 0, 1));

test.each<[Partial<Conditions>, object]>([
  [{}, none],
  [{ graphs: { default: true, named: [] } }, { ...none, graphs: { default: true, named: false } }],
  [{ graphs: { default: false, named: ['urn:g'] } }, { ...none, graphs: { default: false, named: true } }],
  [{ requiredCertainty: 0 }, none],
  [{ requiredCertainty: 0.01 }, { ...none, certainty: true }],
  [{ observedSince: then }, { ...none, since: true }],
  [{ asOf: then }, { ...none, asOf: 'time' }],
  [{ asOfRevision: 0 }, { ...none, asOf: 'revision' }],
  [
    { closed: closedOf({ predicates: ['boss'] }) },
    { ...none, closed: { predicates: true, classes: false, labels: [], types: ['BOSS'] } },
  ],
  [
    { closed: closedOf({ classes: ['Place'] }) },
    { ...none, closed: { predicates: false, classes: true, labels: ['Place'], types: [] } },
  ],
])('the shape of %j says which conditions there are, and whether any limits what is read', (conditions, expected) => {
  const shape = shapeOf({ ...north, ...conditions });
  expect(shape).toEqual(expected);
  expect(isLimited(shape)).toBe(expected !== none);
});

test('the values travel beside the shape, whole numbers as such', () => {
  const closed = closedOf({ predicates: ['boss'], classes: ['Place'] });
  const graphs = { default: false, named: ['urn:g'] };
  expect(valuesOf({ ...north, graphs, requiredCertainty: 0, observedSince: then, asOfRevision: 3, closed })).toEqual({
    ownTenant: 'north',
    ownPast: 'PAST',
    ownGraphs: ['urn:g'],
    ownCertainty: 0,
    ownSince: dateTime(then.getTime()),
    ownAsOf: neo4j.int(3),
    ownClosedPredicates: [`${base}boss`],
    ownClosedClasses: [`${base}Place`],
  });
  expect(valuesOf({ ...north, asOf: then })).toMatchObject({ ownAsOf: dateTime(then.getTime()) });
});
