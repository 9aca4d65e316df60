import type { Database } from '../database/database.ts';
import type { Queryable } from '../database/queryable.ts';

/** How all changes after `$from` are asked for. */
export const queryChanges = 'CALL db.cdc.query($from, []) YIELD id, txId, seq, metadata, event';

/** Where the reading of change data capture stands; there is one for the whole graph. */
export interface CaptureCursor {
  /** Change identifier of Neo4j: all up to it is written down. */
  cursor: string;
  /** Milliseconds since 1970. */
  movedAt: number;
  /** Since when edits may have been missed, in ISO 8601, and why; absent where none were. */
  missedSince?: string;
  missedWhy?: string;
}

const told =
  'c.cursor AS cursor, c.movedAt.epochMillis AS movedAt, toString(c.missedSince) AS missedSince, c.missedWhy AS missedWhy';

/** Undefined where nothing has been read yet. */
export async function readCursor(database: Database): Promise<CaptureCursor | undefined> {
  const [row] = await database.run<CursorRow>('READ', `MATCH (c:CaptureCursor {key: 'cdc'}) RETURN ${told}`);
  return row && cursorOf(row);
}

/** Begins at a place, where nothing has been read yet. */
export async function beginCursor(database: Database, cursor: string): Promise<void> {
  await database.run(
    'WRITE',
    `MERGE (c:CaptureCursor {key: 'cdc'}) ON CREATE SET c.cursor = $cursor, c.movedAt = datetime()`,
    { cursor },
  );
}

/** Takes the cursor until the transaction ends. @returns whether it still stands where its reader believes */
export async function lockCursor(tx: Queryable, from: string): Promise<boolean> {
  const { records } = await tx.run<{ cursor: string }>(
    `MATCH (c:CaptureCursor {key: 'cdc'}) SET c.lockedAt = datetime() RETURN c.cursor AS cursor`,
  );
  return records[0]?.get('cursor') === from;
}

export async function moveCursor(tx: Queryable, cursor: string): Promise<void> {
  await tx.run(`MATCH (c:CaptureCursor {key: 'cdc'}) SET c.cursor = $cursor, c.movedAt = datetime()`, { cursor });
}

/** Goes on at a place beyond edits that are lost to capture, and keeps that they are until somebody has reconciled. */
export async function skipMissed(database: Database, from: string, cursor: string, why: string): Promise<void> {
  await database.run(
    'WRITE',
    `MATCH (c:CaptureCursor {key: 'cdc', cursor: $from})
     SET c.missedSince = coalesce(c.missedSince, c.movedAt), c.missedWhy = $why, c.cursor = $cursor, c.movedAt = datetime()`,
    { from, cursor, why },
  );
}

/** Another source sees edits from now on, or none: to read them once more later would state them twice. */
export async function dropCursor(database: Database): Promise<void> {
  await database.run('WRITE', 'MATCH (c:CaptureCursor) DELETE c');
}

/** What was missed has been reconciled. */
export async function forgetMissed(database: Database): Promise<void> {
  await database.run('WRITE', 'MATCH (c:CaptureCursor) REMOVE c.missedSince, c.missedWhy');
}

interface CursorRow {
  cursor: string;
  movedAt: number;
  missedSince: string | null;
  missedWhy: string | null;
}

function cursorOf({ cursor, movedAt, missedSince, missedWhy }: CursorRow): CaptureCursor {
  return { cursor, movedAt, ...(missedSince !== null && missedWhy !== null && { missedSince, missedWhy }) };
}
