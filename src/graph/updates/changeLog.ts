import neo4j, { type DateTime } from 'neo4j-driver';
import type { MadeIn } from '../../telemetry/links.ts';
import type { Queryable } from '../database/queryable.ts';
import type { Statement } from '../statements/statement.ts';

/** One change of the graph, as the change log keeps it. */
export interface Change {
  /** Position in the tenant's log, from 1. */
  sequence: number;
  /** UUID. */
  changeId: string;
  op: 'add' | 'remove' | 'replace';
  statement: Statement;
  /** The statements whose place this one took. */
  previous?: Statement[];
}

/** A change together with what its update says about it. */
export interface LoggedChange extends Change {
  /** ISO 8601, UTC. */
  timestamp: string;
  updateId: string;
  revision: number;
  sourceAgentId: string;
  taskId?: string;
  justification?: string;
}

/** A change that was erased for good: its place in the log is all that is left. */
interface ErasedChange {
  sequence: number;
  erased: true;
}

const spans = new WeakMap<LogEntry, MadeIn>();

/** The span in which the update of a change was proposed, where that was sampled. No subscriber is told of it. */
export function madeIn(change: LogEntry): MadeIn | undefined {
  return spans.get(change);
}

/** An entry of the change log. */
export type LogEntry = LoggedChange | ErasedChange;

export function isErased(entry: LogEntry): entry is ErasedChange {
  return 'erased' in entry;
}

/**
 * The changes of a tenant after a sequence number, in sequence, at most `limit`. They come in the order of the index, of
 * which the tenant is the first part: without it all that follow would be read to find the first.
 */
export async function readChanges(tx: Queryable, tenant: string, after: number, limit: number): Promise<LogEntry[]> {
  const { records } = await tx.run<ChangeRow>(
    `MATCH (c:Change {tenant: $tenant}) WHERE c.sequence > $after
     WITH c ORDER BY c.tenant, c.sequence LIMIT $limit
     MATCH (u:Update)-[:CONTAINS]->(c)
     RETURN c.sequence AS sequence, c.changeId AS changeId, c.op AS op, c.statement AS statement, c.previous AS previous,
       c.timestamp AS timestamp, u.id AS updateId, u.revision AS revision, u.sourceAgentId AS sourceAgentId, u.taskId AS taskId,
       u.justification AS justification, c.erased AS erased, u.traceId AS traceId, u.spanId AS spanId
     ORDER BY sequence`,
    { tenant, after: neo4j.int(after), limit: neo4j.int(limit) },
  );
  return records.map((record) => {
    const { statement, previous, timestamp, taskId, justification, erased, traceId, spanId, ...row } =
      record.toObject();
    if (erased) return { sequence: row.sequence, erased };
    const change: LoggedChange = {
      ...row,
      statement: JSON.parse(statement),
      ...(previous !== null && { previous: JSON.parse(previous) }),
      timestamp: timestamp.toStandardDate().toISOString(),
      ...(taskId !== null && { taskId }),
      ...(justification !== null && { justification }),
    };
    if (traceId !== null && spanId !== null) spans.set(change, { traceId, spanId });
    return change;
  });
}

/** The last sequence number of each of these tenants; a tenant that nothing was written for has none. */
export async function readSequences(tx: Queryable, tenants: string[]): Promise<Map<string, number>> {
  const { records } = await tx.run<{ tenant: string; sequence: number }>(
    'UNWIND $in.tenants AS tenant MATCH (l:Ledger {tenant: tenant}) RETURN l.tenant AS tenant, l.sequence AS sequence',
    { in: { tenants } },
  );
  return new Map(records.map((record) => [record.get('tenant'), record.get('sequence')]));
}

/**
 * The last sequence number of each tenant whose ledger says that it has changed since a time, of these; by one look-up,
 * however many tenants there are. The clocks of replicas differ, and a transaction takes its time: what it doesn't tell
 * may have changed too.
 * @param since milliseconds since 1970
 */
export async function readSequencesSince(tx: Queryable, since: number): Promise<Map<string, number>> {
  const { records } = await tx.run<{ tenant: string; sequence: number }>(
    `MATCH (l:Ledger) WHERE l.changedAt >= datetime({epochMillis: $since})
     RETURN l.tenant AS tenant, l.sequence AS sequence`,
    { since: neo4j.int(since) },
  );
  return new Map(records.map((record) => [record.get('tenant'), record.get('sequence')]));
}

/** Where a tenant's graph stands: its revision, and the sequence number of the last change that it has. */
export interface LedgerPlace {
  sequence: number;
  revision: number;
}

/** Both of one moment. */
export async function readLedgerPlace(tx: Queryable, tenant: string): Promise<LedgerPlace> {
  const { records } = await tx.run<LedgerPlace>(
    'MATCH (l:Ledger {tenant: $tenant}) RETURN l.sequence AS sequence, l.revision AS revision',
    { tenant },
  );
  return records[0]?.toObject() ?? { sequence: 0, revision: 0 };
}

/** A place in the log, and its time in milliseconds since 1970. */
export interface LogPlace {
  sequence: number;
  at: number;
}

/** The tenant's first place in the log after a sequence number; undefined where there is none. */
export async function readPlace(tx: Queryable, tenant: string, after: number): Promise<LogPlace | undefined> {
  const { records } = await tx.run<LogPlace>(
    `MATCH (c:Change {tenant: $tenant}) WHERE c.sequence > $after
     RETURN c.sequence AS sequence, c.timestamp.epochMillis AS at ORDER BY c.tenant, c.sequence LIMIT 1`,
    { tenant, after: neo4j.int(after) },
  );
  return records[0]?.toObject();
}

type ChangeRow = Omit<LoggedChange, 'statement' | 'previous' | 'timestamp' | 'taskId' | 'justification'> & {
  statement: string;
  previous: string | null;
  timestamp: DateTime<number>;
  taskId: string | null;
  justification: string | null;
  erased: true | null;
  traceId: string | null;
  spanId: string | null;
};
