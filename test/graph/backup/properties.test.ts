import { expect, test } from '@jest/globals';
import neo4j from 'neo4j-driver';
import { packed, unpacked } from '../../../src/graph/backup/properties.ts';

const { types, int } = neo4j;
const instant = [int(2026), int(2), int(3), int(4), int(5), int(6), int(7)] as const;
test('every kind of value that Neo4j keeps comes back as it was, through JSON', () => {
  const properties = {
    texts: ['a', '', '"'],
    truth: false,
    integer: int(1),
    large: int('9007199254740993'),
    floats: [1, -0, 0.1, Number.NaN, Number.NEGATIVE_INFINITY],
    date: new types.Date(int(2026), int(2), int(3)),
    instant: new types.DateTime(...instant, int(3600)),
    zoned: new types.DateTime(...instant, int(3600), 'Europe/Berlin'),
    duration: new types.Duration(int(1), int(2), int(3), int(4)),
    point: new types.Point(int(4326), 1.5, 2),
  };
  expect(unpacked(JSON.parse(JSON.stringify(packed(properties))))).toEqual(properties);
});
