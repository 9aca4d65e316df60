import { isDeepStrictEqual } from 'node:util';
import { groupBy } from '../../base/groupBy.ts';
import type { Queryable } from '../../graph/database/queryable.ts';
import type { Dictionary } from '../../graph/names/dictionary.ts';
import { type EdgeRow, edgesByStatement, endedSince } from '../../graph/reconcile/edgePages.ts';
import { changesOfUpdate, type LogRow, logAfter } from '../../graph/reconcile/logPages.ts';
import { isCertainty, type Statement, statementIdOf } from '../../graph/statements/statement.ts';
import { jsonIn } from '../../graph/statements/voice.ts';
import { statementOf } from './checkEdges.ts';
import type { Found } from './difference.ts';

/** A part of a tenant's log: what follows a number, up to one that the ledger has reached. */
export interface LogPart {
  after: number;
  limit: number;
  /** Where the ledger stands. */
  sequence: number;
  /** Whether the log begins here: what is before was let go of. */
  isFirst: boolean;
}

export interface CheckedLog {
  found: Found[];
  count: number;
  /** The last number of the part; undefined where there is no more. */
  next?: number;
  /** Whether a gap is so long that mending fills a part of it only. */
  isLong: boolean;
}

/** Changes of the log that state something, with the identity of their statements. */
interface Stating {
  row: LogRow;
  statement: Statement;
  statementId: string;
}

/** Most places of one gap that are filled at a time. */
const longestFilling = 1_000;

/** Where a part of the log has gaps, or says otherwise than the edges. */
export async function checkLog(
  tx: Queryable,
  tenant: string,
  part: LogPart,
  dictionary: Dictionary,
): Promise<CheckedLog> {
  const rows = await logAfter(tx, tenant, part);
  const last = rows.at(-1)?.sequence;
  const isEnd = rows.length < part.limit;
  const end = isEnd ? Math.max(part.sequence, last ?? 0) : (last ?? 0);
  const found: Found[] = [
    ...gaps(tenant, rows, part, end),
    ...orphans(tenant, rows),
    ...(isEnd && last !== undefined && last > part.sequence
      ? [{ difference: { kind: 'ledger', tenant, sequence: last } as const, ledger: { sequence: last } }]
      : []),
    ...(await checkStatements(tx, tenant, rows, dictionary)),
  ];
  const isLong = found.some(({ difference: { count = 0 }, fill }) => count > (fill?.missing.length ?? count));
  return { found, count: rows.length, isLong, ...(!isEnd && last !== undefined && { next: last }) };
}

function gaps(tenant: string, rows: LogRow[], { after, isFirst }: LogPart, end: number): Found[] {
  const found: Found[] = [];
  let expected = isFirst ? (rows[0]?.sequence ?? end + 1) : after + 1;
  // A log that has nothing left though its ledger counts has lost all of it.
  if (isFirst && rows.length === 0 && end > 0) expected = end;
  const gap = (from: number, to: number) => {
    const missing = Array.from({ length: Math.min(to - from, longestFilling) }, (_, index) => from + index);
    const difference = { kind: 'log-gap', tenant, sequence: from, count: to - from } as const;
    found.push({ difference, fill: { missing, orphans: [] } });
  };
  for (const { sequence } of rows) {
    if (sequence > expected) gap(expected, sequence);
    expected = sequence + 1;
  }
  if (rows.length === 0 || rows.at(-1)?.sequence !== end) if (end >= expected) gap(expected, end + 1);
  return found;
}

const orphans = (tenant: string, rows: LogRow[]): Found[] =>
  rows
    .filter(({ updateId }) => updateId === null)
    .map(({ sequence }) => ({
      difference: { kind: 'log-orphan', tenant, sequence },
      fill: { missing: [], orphans: [sequence] },
    }));

async function checkStatements(
  tx: Queryable,
  tenant: string,
  rows: LogRow[],
  dictionary: Dictionary,
): Promise<Found[]> {
  const predicates = dictionary.predicatesByType();
  const found: Found[] = [];
  for (const [type, group] of groupBy(stating(tenant, rows), ({ statement }) =>
    dictionary.findRelationshipType(statement.predicate.id),
  )) {
    if (type === undefined) continue;
    const last = [...new Map(group.map((each) => [each.statementId, each])).values()];
    const edges = new Map<unknown, EdgeRow>();
    for (const row of await edgesByStatement(
      tx,
      type,
      last.map(({ statementId }) => statementId),
    )) {
      const said = statementOf(row, predicates);
      if (said !== undefined && statementIdOf(tenant, said) === row.edge.statementId)
        edges.set(row.edge.statementId, row);
    }
    const gone = last.filter(({ statementId }) => !edges.has(statementId));
    found.push(...(await lostOnes(tx, tenant, type, gone)));
    for (const { row, statement, statementId } of last) {
      const edge = edges.get(statementId);
      if (edge === undefined || edge.edge.updateId !== row.updateId || !saysOther(edge, statement)) continue;
      if (await isLastOfItsUpdate(tx, tenant, row, statementId, statement.subject.id))
        found.push(other(edge, tenant, statement, statementId));
    }
  }
  return found;
}

function stating(tenant: string, rows: LogRow[]): Stating[] {
  return rows.flatMap((row) => {
    const statement =
      row.op === 'add' || row.op === 'replace' ? (jsonIn(row.statement) as Statement | undefined) : undefined;
    if (statement === undefined || row.updateId === null) return [];
    return [{ row, statement, statementId: statementIdOf(tenant, statement) }];
  });
}

/** Those that have not ended in history. */
async function lostOnes(tx: Queryable, tenant: string, type: string, gone: Stating[]): Promise<Found[]> {
  if (gone.length === 0) return [];
  const asked = gone.map(({ row, statement, statementId }) => ({
    subject: statement.subject.id,
    statementId,
    revision: row.revision ?? 0,
  }));
  const ended = await endedSince(tx, tenant, asked);
  return gone
    .filter(({ statementId }) => !ended.has(statementId))
    .map(({ row, statement, statementId }) => ({
      difference: {
        kind: 'edge-missing',
        tenant,
        id: statement.subject.id,
        of: type,
        statementId,
        sequence: row.sequence,
      },
      lost: {
        ...{ statementId, type, statement },
        updateId: row.updateId ?? '',
        revision: row.revision ?? 0,
        sourceAgentId: row.sourceAgentId ?? '',
        ...(row.taskId !== null && { taskId: row.taskId }),
        at: row.timestamp?.toStandardDate().getTime() ?? 0,
      },
    }));
}

/** What cannot be a certainty or provenance at all is told by the edge alone. */
function saysOther({ edge }: EdgeRow, { certainty, provenance }: Statement): boolean {
  const isReadable = edge.provenance === undefined || jsonIn(edge.provenance) !== undefined;
  const hasCertainty = edge.certainty === undefined || isCertainty(edge.certainty);
  if (!isReadable || !hasCertainty) return false;
  return (
    edge.certainty !== certainty ||
    !isDeepStrictEqual(edge.provenance === undefined ? undefined : jsonIn(edge.provenance), provenance)
  );
}

/** An update may say something of the same statement twice. */
async function isLastOfItsUpdate(
  tx: Queryable,
  tenant: string,
  { updateId, sequence }: LogRow,
  statementId: string,
  subject: string,
): Promise<boolean> {
  const changes = await changesOfUpdate(tx, updateId ?? '', subject);
  return !stating(tenant, changes).some((each) => each.row.sequence > sequence && each.statementId === statementId);
}

function other(row: EdgeRow, tenant: string, statement: Statement, statementId: string): Found {
  const { element, type, startElement: start, endElement: end } = row;
  const correction = {
    certainty: statement.certainty ?? null,
    provenance: statement.provenance === undefined ? null : JSON.stringify(statement.provenance),
  };
  return {
    difference: { kind: 'edge-log', tenant, id: statement.subject.id, of: type, statementId },
    edits: [{ kind: 'relationship', op: 'changed', element, type, start, end, correction }],
  };
}
