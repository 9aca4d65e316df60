/** A row of an answer, by the names of its columns. */
export type Row = Record<string, unknown>;

/** A database that is looked at. */
export interface Source {
  dialect: 'postgresql';
  /**
   * The answer of one statement of Concord's own, in a transaction that only reads, for 30 seconds at most. Names are
   * looked up in `pg_catalog` alone, so others are written with their schema.
   * @param values of the parameters `$1` and on
   * @throws Error of the database
   */
  rows<Found extends Row>(sql: string, values?: unknown[]): Promise<Found[]>;
  close(): Promise<void>;
}

/** Milliseconds that one statement may take. */
export const statementMs = 30_000;

/** A name as SQL has it. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
