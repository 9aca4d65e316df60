import neo4j from 'neo4j-driver';
import type { Cell } from './source.ts';

/** A value of Neo4j: numbers that are exact, booleans, texts; nodes, lists and maps as JSON, times as ISO 8601. */
export function cypherCell(value: unknown): Cell {
  const plain = plainOf(value);
  return typeof plain === 'object' && plain !== null ? JSON.stringify(plain) : (plain as Cell);
}

function plainOf(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (neo4j.isInt(value)) return neo4j.integer.inSafeRange(value) ? value.toNumber() : value.toString();
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(plainOf);
  if (neo4j.isNode(value)) return { labels: value.labels, properties: plainOf(value.properties) };
  if (neo4j.isRelationship(value)) return { type: value.type, properties: plainOf(value.properties) };
  if (neo4j.isPath(value)) return { start: plainOf(value.start), end: plainOf(value.end), length: value.length };
  if (Object.getPrototypeOf(value) !== Object.prototype) return String(value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plainOf(each)]));
}

/** What the values of a column are, by the first that is there. */
export function typeOfColumn(values: unknown[]): string {
  const value = values.find((each) => each !== null && each !== undefined);
  if (value === undefined) return 'null';
  if (neo4j.isInt(value)) return 'integer';
  if (typeof value === 'number') return 'float';
  if (typeof value !== 'object') return typeof value;
  if (Array.isArray(value)) return 'list';
  if (neo4j.isDate(value)) return 'date';
  if (neo4j.isDateTime(value) || neo4j.isLocalDateTime(value)) return 'datetime';
  if (neo4j.isNode(value)) return 'node';
  if (neo4j.isRelationship(value)) return 'relationship';
  return neo4j.isPath(value) ? 'path' : 'map';
}
