import neo4j from 'neo4j-driver';
import { Batches } from '../../base/batches.ts';
import { KeyedLimits } from '../../base/keyedLimits.ts';
import { LimitExceeded } from '../../base/limitExceeded.ts';
import type { ChangeFilter } from '../../changes/filter.ts';
import type { Bounds } from '../../changes/view.ts';
import { type ReadParts, ReadTransaction } from '../../graph/reading/readTransaction.ts';
import { type Principal, rightsText } from '../../security/principal.ts';
import { type ClosedTo, conditionsOf } from '../conditions.ts';
import { classesIn, type SnapshotChange, type StatementRow, snapshotChange, statementRow } from './snapshotChange.ts';
import { type SnapshotPlace, type SnapshotPosition, snapshotCursor } from './snapshotPlace.ts';

/** One statement of a snapshot, and the cursor to go on behind it. */
export interface SnapshotEvent {
  change: SnapshotChange;
  cursor: string;
}

export interface SnapshotAsked {
  principal: Principal;
  filter: ChangeFilter;
  bounds: Bounds;
  /** Where it begins. */
  place: SnapshotPlace;
  signal: AbortSignal;
}

/** Reads the statements of a snapshot, page by page as they are asked for. */
export type ReadSnapshot = (asked: SnapshotAsked) => Batches<SnapshotEvent>;

export interface SnapshotParts extends ReadParts {
  closedTo: ClosedTo;
  now(): number;
}

/** Pages of one agent that are read at the same time. */
const mostReads = 2;
/** Subjects that are looked at together. */
const subjectsAtOnce = 300;
/** Statements of a page; fewer where they are long. */
const mostStatements = 500;

/**
 * The statements of a tenant that meet a filter and bounds, as they were at one revision: however long it takes to read
 * them, and whatever is written meanwhile. They are what a query of the principal under `metadata.asOfRevision` could
 * read, by the policy as it is at each page.
 */
export function snapshotReader(parts: SnapshotParts): ReadSnapshot {
  const turns = new KeyedLimits(mostReads);
  return (asked) => {
    const { principal } = asked;
    const read: Read = (query, parameters) =>
      turns.run(rightsText(principal), () => readPage(parts, asked, query, parameters));
    const pages = new Pages(asked, read);
    return new Batches(
      () => pages.next(),
      () => {},
    );
  };
}

type Read = <Row>(query: string, parameters: Record<string, unknown>) => Promise<Row[]>;

async function readPage<Row>(
  { closedTo, now, ...parts }: SnapshotParts,
  { principal, bounds, place: { revision }, signal }: SnapshotAsked,
  query: string,
  parameters: Record<string, unknown>,
): Promise<Row[]> {
  const conditions = conditionsOf(
    principal,
    {
      requiredCertainty: bounds.requiredCertainty,
      maxAgeSeconds: bounds.maxAgeSeconds,
      metadata: { asOfRevision: revision, asOf: undefined, afterRevision: undefined, consulted: undefined },
    },
    closedTo(principal),
    now(),
  );
  const tx = new ReadTransaction(parts, conditions, signal);
  try {
    const { records } = await tx.run(query, parameters);
    return records.map((record) => record.toObject() as Row);
  } finally {
    tx.end();
  }
}

/** Reads on from where it stands. */
class Pages {
  private position: SnapshotPosition | undefined;
  /** The subjects whose statements are being told; empty where the next are to be looked for. */
  private subjects: string[] = [];
  private limit = mostStatements;
  /** The subjects that the filter names. */
  private readonly named: string[] | undefined;

  constructor(
    private readonly asked: SnapshotAsked,
    private readonly read: Read,
  ) {
    this.position = asked.place.position;
    this.named = asked.filter.subjects?.toSorted();
  }

  /** Those of the next page that has any; undefined where there are no more. */
  async next(): Promise<SnapshotEvent[] | undefined> {
    while (!this.asked.signal.aborted) {
      if (this.subjects.length === 0) this.subjects = await this.nextSubjects();
      const last = this.subjects.at(-1);
      if (last === undefined) return undefined;
      const rows = await this.statements();
      const end = rows.at(-1);
      const isWhole = end === undefined || rows.length < this.limit;
      this.subjects = isWhole ? [] : this.subjects.slice(this.subjects.indexOf(end.subject.id));
      const events = rows.flatMap((row) => this.event(row));
      this.position = isWhole ? { subject: last } : { subject: end.subject.id, statement: end.id };
      if (events.length > 0) return events;
    }
    return undefined;
  }

  private async nextSubjects(): Promise<string[]> {
    const { filter } = this.asked;
    const { subject = '', statement } = this.position ?? {};
    const isNext = (id: string) => id > subject || (statement !== undefined && id === subject);
    if (this.named) return this.named.filter(isNext).slice(0, subjectsAtOnce);
    const conditions = [
      // Always there: by a bound Neo4j takes the index in its order, and reads no more than the page.
      `subject.id ${statement === undefined ? '>' : '>='} $subject`,
      ...(filter.subjectClasses ? ['subject.type IN $classes'] : []),
    ];
    const rows = await this.read<{ id: string }>(
      `MATCH (subject:Entity) WHERE ${conditions.join(' AND ')}
       RETURN subject.id AS id ORDER BY subject.tenant, subject.id LIMIT $limit`,
      {
        subject,
        ...(filter.subjectClasses && { classes: filter.subjectClasses }),
        limit: neo4j.int(subjectsAtOnce),
      },
    );
    return rows.map(({ id }) => id);
  }

  /** In the order of `subjects`: Neo4j compares texts of the graph by code points, but parameters by UTF-16 units. */
  private async statements(): Promise<StatementRow[]> {
    const { predicates } = this.asked.filter;
    const { subject = '', statement } = this.position ?? {};
    try {
      return await this.read<StatementRow>(
        `UNWIND range(0, size($subjects) - 1) AS place WITH place, $subjects[place] AS id
         MATCH (subject:Entity {id: id})-[s]->(object) WHERE s.statementId IS NOT NULL
           ${statement === undefined ? '' : 'AND (id <> $subject OR s.statementId > $statement)'}
           ${predicates ? 'AND s.predicate IN $predicates' : ''}
         WITH s, subject, object, place ORDER BY place, s.statementId LIMIT $limit
         ${statementRow}`,
        {
          subjects: this.subjects,
          ...(statement !== undefined && { subject, statement }),
          ...(predicates && { predicates }),
          limit: neo4j.int(this.limit),
        },
      );
    } catch (error) {
      if (!(error instanceof LimitExceeded) || !tooMuch.has(error.data.reason ?? '') || this.limit === 1) throw error;
      this.limit = Math.ceil(this.limit / 4);
      return this.statements();
    }
  }

  /** The event of a row; none where it doesn't meet the filter. */
  private event(row: StatementRow): SnapshotEvent[] {
    const { filter, place } = this.asked;
    const change = snapshotChange(row, place.sequence);
    if (!filter.test(change, classesIn(change.statement))) return [];
    const position = { subject: row.subject.id, statement: row.id };
    return [{ change, cursor: snapshotCursor({ ...place, position }) }];
  }
}

/** Why a page is read again in smaller parts. */
const tooMuch = new Set(['answer-too-large', 'too-many-rows', 'too-much-memory']);
