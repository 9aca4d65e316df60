import { Neo4jError } from 'neo4j-driver';
import { LimitExceeded } from '../../base/limitExceeded.ts';
import { isTimedOut } from '../database/away.ts';

/** The limit at which Neo4j has stopped a read, where that is why it failed; else the error as it is. */
export function readFault(error: unknown, timeoutMs: number): unknown {
  if (!(error instanceof Neo4jError)) return error;
  if (isTimedOut(error)) {
    const message = `The query took longer than the limit of ${timeoutMs} ms and was stopped; ask for less`;
    return new LimitExceeded('timeout', message, { limit: timeoutMs });
  }
  if (error.code === 'Neo.TransientError.General.MemoryPoolOutOfMemoryError') return memoryFault(error);
  return error;
}

/** Neo4j's words are "… would use more than the limit 512.0 MiB. … db.memory.transaction.max threshold reached". */
function memoryFault({ message }: Neo4jError): LimitExceeded {
  const [, amount = '', unit = ''] = /limit ([\d.]+) (\w+)/.exec(message) ?? [];
  const bytes = Number.parseFloat(amount) * 1_024 ** ['B', 'KiB', 'MiB', 'GiB', 'TiB'].indexOf(unit);
  const limit = Number.isFinite(bytes) ? { limit: Math.round(bytes) } : {};
  if (message.includes('dbms.memory.transaction.total.max')) {
    const shared = 'The queries under way take all memory that Neo4j has for them; try again later, or ask for less';
    return new LimitExceeded('too-much-memory', shared, { ...limit, retryable: true });
  }
  const own = 'The query took more memory of Neo4j than one may have and was stopped; sort and aggregate fewer values';
  return new LimitExceeded('too-much-memory', own, limit);
}

/** How much a record brings. */
interface RecordSize {
  /** Itself, and every element of its lists that is an object: a connection is one record with all its edges. */
  rows: number;
  /** Of its texts, and one for every other value: the answer that they become has no fewer bytes. */
  characters: number;
}

/** Measures a record's values; no list of links is nested more deeply than the query is. */
export function recordSize(values: Iterable<unknown>): RecordSize {
  const size = { rows: 1, characters: 0 };
  for (const value of values) addSize(size, value);
  return size;
}

function addSize(size: RecordSize, value: unknown): void {
  if (typeof value === 'string') size.characters += value.length;
  else if (value === null || typeof value !== 'object') size.characters += 1;
  else if (Array.isArray(value)) {
    for (const element of value) {
      if (element !== null && typeof element === 'object' && !Array.isArray(element)) size.rows += 1;
      addSize(size, element);
    }
  } else for (const member of Object.values(value)) addSize(size, member);
}

export function tooManyRows(limit: number): LimitExceeded {
  const message = `The query found more than the limit of ${limit} rows; ask for pages with limit and offset`;
  return new LimitExceeded('too-many-rows', message, { limit });
}
