import { expect, test } from '@jest/globals';
import { pictureOf } from '../../../src/questions/answering/picture.ts';

const name = { name: 'name', type: 'Entity' };
const area = { name: 'area', type: 'Float', unit: 'km²' };
const rows = [
  { name: 'France', area: 551_695, latitude: 46, longitude: 2, day: '2024-01-01' },
  { name: 'Chad', area: 1_284_000, latitude: 15, longitude: 19, day: '2024-01-02' },
];
const table = (columns: { name: string; type: string }[], shown: object[] = rows) =>
  pictureOf({ columns, rows: shown as Record<string, unknown>[], truncated: false });

test('one number is a number, and names alone are a table', () => {
  expect(table([{ name: 'count', type: 'Count' }], [{ count: 3 }])).toEqual({ kind: 'number' });
  expect(table([name])).toEqual({ kind: 'table' });
});

test('a number for each name is a bar, with its unit, in the order of the rows', () => {
  expect(table([name, area])).toMatchObject({
    kind: 'bar',
    vegaLite: {
      encoding: { x: { field: 'area', type: 'quantitative', title: 'area (km²)' }, y: { field: 'name', sort: null } },
    },
  });
  expect(table([name, area], Array(61).fill(rows[0]))).toEqual({ kind: 'table' });
});

test('a number for each day is a line, and degrees are points of a map', () => {
  expect(table([{ name: 'day', type: 'Date' }, area])).toMatchObject({ kind: 'line' });
  const degrees = ['latitude', 'longitude'].map((each) => ({ name: each, type: 'Float' }));
  expect(table([name, ...degrees])).toMatchObject({
    kind: 'points',
    vegaLite: { encoding: { latitude: { field: 'latitude' }, tooltip: { field: 'name' } } },
  });
});
