/** A row of an answer, by the names of its columns. */
export type Row = Record<string, unknown>;

/** A database that is looked at. */
export interface Source {
  dialect: 'postgresql' | 'mysql' | 'cypher';
  /**
   * The answer of one statement of Concord's own, in a transaction that only reads, for 30 seconds at most. Names are
   * written with their schema: PostgreSQL looks others up in `pg_catalog` alone.
   * @param values of the parameters, `$1` and on of PostgreSQL's, `?` of MySQL's
   * @throws Error of the database
   */
  rows<Found extends Row>(sql: string, values?: unknown[]): Promise<Found[]>;
  /**
   * The same of a statement that was looked at before, with limits.
   * @throws Error of the database; LimitExceeded
   */
  select(statement: { sql: string; values: (string | number | boolean)[] }, limits: SelectLimits): Promise<Selected>;
  /** Whether a statement ends at its time: without that it takes none of strangers. */
  stops: boolean;
  close(): Promise<void>;
}

export interface SelectLimits {
  /** Of the answer; there may be more. */
  rows: number;
  /** As they come over the wire; a longer answer is none. */
  bytes: number;
  /** Milliseconds. */
  timeoutMs: number;
  /** Ends it before its time. */
  signal: AbortSignal;
}

/** A table. */
export interface Selected {
  columns: { name: string; type: string }[];
  rows: Cell[][];
  /** Whether there is more. */
  truncated: boolean;
}

/** A number or boolean where that is exact; all else as the database writes it. */
export type Cell = string | number | boolean | null;

/** Milliseconds that one statement may take. */
export const statementMs = 30_000;

/** A name as a source's SQL has it. */
export function quotedName({ dialect }: Pick<Source, 'dialect'>, name: string): string {
  const mark = dialect === 'mysql' ? '`' : '"';
  return mark + name.replaceAll(mark, mark + mark) + mark;
}
