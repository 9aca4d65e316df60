import neo4j, { type Date as CalendarDate, type DateTime, type Duration, type Integer } from 'neo4j-driver';
import { isFloat, type LiteralObject } from './statement.ts';

/** A value as the driver takes it: JavaScript numbers are floats to it, so integers are wrapped. */
export type Neo4jValue = string | number | boolean | Integer | DateTime<number> | CalendarDate<number>;

export function literalValue({ value, type }: LiteralObject): Neo4jValue {
  return typeof value === 'number' && !isFloat(value, type) ? neo4j.int(value) : value;
}

/** An instant in UTC. */
export function dateTime(milliseconds: number): DateTime<number> {
  const at = new Date(milliseconds);
  return new neo4j.types.DateTime(
    at.getUTCFullYear(),
    at.getUTCMonth() + 1,
    at.getUTCDate(),
    at.getUTCHours(),
    at.getUTCMinutes(),
    at.getUTCSeconds(),
    at.getUTCMilliseconds() * 1_000_000,
    0,
  );
}

/** A length of time. */
export function duration(milliseconds: number): Duration<number> {
  const seconds = Math.floor(milliseconds / 1_000);
  return new neo4j.types.Duration(0, 0, seconds, (milliseconds % 1_000) * 1_000_000);
}

/**
 * An instant in ISO 8601, UTC.
 * @returns null of what is no instant, or beyond those of JavaScript, as only somebody else than Concord writes it
 */
export function isoOf(value: unknown): string | null {
  const at = neo4j.isDateTime(value as object) ? Date.parse(String(value)) : Number.NaN;
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
