import type { Column, Table } from './table.ts';

/** How rows may be shown. */
export interface Picture {
  kind: 'table' | 'number' | 'bar' | 'line' | 'points';
  /** Vega-Lite 5 over a data set `rows`, which is the table's; absent of a table and a single number. */
  vegaLite?: object;
}

const schema = 'https://vega.github.io/schema/vega-lite/v5.json';
/** Bars that can still be told apart. */
const mostBars = 60;

/** How a table is best shown, by the types of its columns. */
export function pictureOf({ columns, rows }: Table): Picture {
  const numbers = columns.filter(isNumber);
  const [only] = columns;
  if (columns.length === 1 && rows.length === 1 && only && isNumber(only)) return { kind: 'number' };
  const latitude = columns.find(({ name }) => name === 'latitude');
  const longitude = columns.find(({ name }) => name === 'longitude');
  if (latitude && longitude && rows.length > 0) return points(latitude, longitude, columns);
  const [measured] = numbers;
  if (!measured || rows.length < 2) return { kind: 'table' };
  const time = columns.find(({ type }) => type === 'Date' || type === 'DateTime');
  if (time)
    return { kind: 'line', vegaLite: { ...base, mark: 'line', encoding: { x: axis(time), y: axis(measured) } } };
  const named = columns.find((column) => !isNumber(column) && column.name !== 'of');
  if (!named || rows.length > mostBars) return { kind: 'table' };
  const encoding = { y: { ...axis(named), sort: null }, x: axis(measured) };
  return { kind: 'bar', vegaLite: { ...base, mark: 'bar', encoding } };
}

const base = { $schema: schema, data: { name: 'rows' } };

const isNumber = ({ type }: Column) => type === 'Int' || type === 'Float' || type === 'Count';

/** A column as an axis, with its unit in the title. */
function axis(column: Column) {
  const { name, type, unit } = column;
  const isTime = type === 'Date' || type === 'DateTime';
  const title = unit === undefined ? name : `${name} (${unit})`;
  return { field: name, type: isNumber(column) ? 'quantitative' : isTime ? 'temporal' : 'nominal', title };
}

function points(latitude: Column, longitude: Column, columns: Column[]): Picture {
  const [label] = columns.filter(({ type }) => type === 'Entity');
  const encoding = {
    latitude: { field: latitude.name, type: 'quantitative' },
    longitude: { field: longitude.name, type: 'quantitative' },
    ...(label && { tooltip: { field: label.name, type: 'nominal' } }),
  };
  return { kind: 'points', vegaLite: { ...base, projection: { type: 'equirectangular' }, mark: 'circle', encoding } };
}
