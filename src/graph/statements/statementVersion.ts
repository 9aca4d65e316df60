import neo4j, { type DateTime, type QueryResult, type RecordShape } from 'neo4j-driver';
import { isoOf } from './values.ts';

/** Which versions to read: `first` of them after the newest `offset`. */
export interface VersionsAsked {
  /** Id of the entity. */
  subject: string;
  /** IRI; absent means any. */
  predicate?: string | null;
  first: number;
  offset: number;
}

/** A `StatementVersion` of the schema (`schema/history.ts`). Times are ISO 8601, UTC. */
export type StatementVersion = Record<string, unknown>;

type Moment = DateTime<number> | null;
interface StoredUpdate {
  proposedAt: Moment;
}

/** What the query for versions gives, as far as it is more than handed on. */
export interface VersionRow extends RecordShape {
  observedAt: Moment;
  recordedAt: Moment;
  end: { retractedAt: Moment } | null;
  made: StoredUpdate | null;
  ended: StoredUpdate | null;
}

/** The parameters of the query for versions. */
export function parametersOf({ subject, predicate, first, offset }: VersionsAsked): Record<string, unknown> {
  return { subject, predicate: predicate ?? null, first: neo4j.int(first), offset: neo4j.int(offset) };
}

export function versionsOf({ records }: QueryResult<VersionRow>): StatementVersion[] {
  return records.map((record) => {
    const { end, made, ended, observedAt, recordedAt, ...told } = record.toObject();
    return {
      ...told,
      observedAt: isoOf(observedAt),
      recordedAt: isoOf(recordedAt),
      ...end,
      retractedAt: isoOf(end?.retractedAt ?? null),
      update: updateOf(made),
      retraction: updateOf(ended),
    };
  });
}

function updateOf(stored: StoredUpdate | null) {
  return stored && { ...stored, proposedAt: isoOf(stored.proposedAt) };
}
