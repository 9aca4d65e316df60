import neo4j, { isInt } from 'neo4j-driver';

/** What Neo4j keeps beside texts, truth values, numbers and lists, by its parts in the order of the constructor. */
const compound = {
  Date: ['year', 'month', 'day'],
  Time: ['hour', 'minute', 'second', 'nanosecond', 'timeZoneOffsetSeconds'],
  LocalTime: ['hour', 'minute', 'second', 'nanosecond'],
  DateTime: [
    ...['year', 'month', 'day', 'hour', 'minute', 'second', 'nanosecond'],
    ...['timeZoneOffsetSeconds', 'timeZoneId'],
  ],
  LocalDateTime: ['year', 'month', 'day', 'hour', 'minute', 'second', 'nanosecond'],
  Duration: ['months', 'days', 'seconds', 'nanoseconds'],
  Point: ['srid', 'x', 'y', 'z'],
} as const;
type Compound = keyof typeof compound;

/** A value as JSON: integers as numbers where they fit, floats and larger integers as texts of their own. */
type Packed = string | number | boolean | null | Packed[] | { float: string } | { int: string } | PackedParts;
interface PackedParts {
  kind: Compound;
  parts: Packed[];
}

export type PackedProperties = Record<string, Packed>;

/** @param properties as a driver gives them that keeps integers apart from floats */
export function packed(properties: Record<string, unknown>): PackedProperties {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, pack(value)]));
}

export function unpacked(properties: PackedProperties): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, unpack(value)]));
}

function pack(value: unknown): Packed {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  // Not JSON's: it has no NaN, and 1.0 would be 1.
  if (typeof value === 'number') return { float: Object.is(value, -0) ? '-0' : String(value) };
  if (isInt(value)) return value.inSafeRange() ? value.toNumber() : { int: value.toString() };
  if (Array.isArray(value)) return value.map(pack);
  for (const kind of Object.keys(compound) as Compound[]) {
    if (!(value instanceof neo4j.types[kind])) continue;
    const parts = value as unknown as Record<string, unknown>;
    return { kind, parts: compound[kind].map((part) => pack(parts[part])) };
  }
  throw new Error(`A property is of a type that a backup doesn't know: ${Object.prototype.toString.call(value)}`);
}

function unpack(value: Packed): unknown {
  if (value === null) return undefined;
  if (typeof value === 'number') return neo4j.int(value);
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(unpack);
  if ('float' in value) return Number(value.float);
  if ('int' in value) return neo4j.int(value.int);
  const make = neo4j.types[value.kind] as unknown as new (...parts: unknown[]) => unknown;
  return new make(...value.parts.map(unpack));
}
