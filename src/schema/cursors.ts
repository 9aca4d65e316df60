import neo4j from 'neo4j-driver';
import { dateTime } from '../graph/statements/values.ts';

/** A row's place in an order. */
export interface Place {
  /** What the rows are sorted by, as `name ASC, area DESC`. */
  order: string;
  /** How many rows came before it. */
  index: number;
  /** What it is sorted by, as JSON has it; null is no value. */
  values: readonly unknown[];
  id: string;
}

/** Of longer ones nobody wants to send many; a row whose values are longer is known by its index alone. */
const longest = 8_192;

/** What the first member of a cursor is: another form would have another. */
const version = 1;

/**
 * The cursor of a row. Whoever makes one of their own reads no more by it than by a condition of theirs.
 * @param types the GraphQL types of what rows are sorted by
 * @param values as the driver gives them
 */
export function cursorOf({ order, index, values, id }: Place, types: readonly string[]): string {
  const told = values.map(written);
  const isKnown = told.every((each, at) => each === null || readValue(types[at], each) !== undefined);
  const cursor = isKnown ? Buffer.from(JSON.stringify([version, order, index, told, id])).toString('base64url') : '';
  return cursor !== '' && cursor.length <= longest ? cursor : indexCursor(index);
}

/** What a cursor says: a place, or no more than a row's index, as those of nested connections do; else undefined. */
export function readCursor(cursor: string): Place | number | undefined {
  const index = readIndex(cursor);
  if (index !== undefined || cursor.length > longest) return index;
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (!Array.isArray(read) || read.length !== 5 || read[0] !== version) return undefined;
    const [, order, at, values, id] = read as unknown[];
    const isPlace = typeof order === 'string' && Number.isSafeInteger(at) && Array.isArray(values);
    if (!isPlace || typeof id !== 'string') return undefined;
    return { order, index: at as number, values, id };
  } catch {
    return undefined;
  }
}

/** A value of a cursor as a parameter; undefined where it is none of this type. */
export function readValue(type: string | undefined, value: unknown): unknown {
  switch (type) {
    case 'Int':
      return Number.isSafeInteger(value) ? neo4j.int(value as number) : undefined;
    case 'Float':
      return typeof value === 'number' ? value : undefined;
    case 'Boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'DateTime':
      return Number.isSafeInteger(value) && !Number.isNaN(new Date(value as number).getTime())
        ? dateTime(value as number)
        : undefined;
    case 'Date':
      return dayOf(value);
    case 'String':
    case 'ID':
      return typeof value === 'string' ? value : undefined;
    default:
      return undefined;
  }
}

/** As JSON keeps it; undefined where it can't. */
function written(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (neo4j.isDate(value as object)) return String(value);
  if (!neo4j.isDateTime(value as object)) return value;
  const at = value as InstanceType<typeof neo4j.types.DateTime>;
  return Number(at.nanosecond) % 1_000_000 === 0 ? at.toStandardDate().getTime() : undefined;
}

function dayOf(value: unknown) {
  const [year, month, day] = typeof value === 'string' ? value.split('-').map(Number) : [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, day);
  const isDay = !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === value;
  return isDay ? new neo4j.types.Date(year, month, day) : undefined;
}

/** As @neo4j/graphql writes them. */
export const indexCursor = (index: number) => Buffer.from(`arrayconnection:${index}`).toString('base64');

/**
 * The index that the cursor stands for. To @neo4j/graphql one that isn't written as answers have it, without its `=` or
 * with a space behind it, is the beginning.
 */
export function readIndex(cursor: string): number | undefined {
  const text = Buffer.from(cursor, 'base64').toString();
  const [, digits] = /^arrayconnection:(-1|\d{1,9})$/.exec(text) ?? [];
  const isWrittenSo = Buffer.from(text).toString('base64') === cursor;
  return isWrittenSo && digits !== undefined ? Number(digits) : undefined;
}
