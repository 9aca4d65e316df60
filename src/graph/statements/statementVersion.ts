import neo4j, { type DateTime, type QueryResult, type RecordShape } from 'neo4j-driver';

/** Which versions to read: `first` of them after the newest `offset`. */
export interface VersionsAsked {
  /** Id of the entity. */
  subject: string;
  /** IRI; absent means any. */
  predicate?: string | null;
  first: number;
  offset: number;
}

/** An update as a version tells of it. Times are ISO 8601, UTC. */
export interface VersionUpdate {
  id: string;
  sourceAgentId: string | null;
  justification: string | null;
  taskId: string | null;
  sessionId: string | null;
  /** W3C trace id, 32 hex digits. */
  traceId: string | null;
  proposedAt: string | null;
  /** Who approved it, where a rule had held it for review. */
  reviewedBy: string | null;
  revision: number | null;
}

/**
 * What was stated from one update until another: a statement with its certainty and provenance. Times are ISO 8601,
 * UTC.
 */
export interface StatementVersion {
  id: string;
  subject: string;
  predicate: string;
  object: Record<string, unknown>;
  graph: string | null;
  certainty: number | null;
  /** JSON text. */
  provenance: string | null;
  sourceAgentId: string | null;
  taskId: string | null;
  updateId: string | null;
  observedAt: string | null;
  recordedAt: string | null;
  revision: number | null;
  /** Who states it and what each says, as on the edge (`graph/voice.ts`); absent where there is but one. */
  sources: string[] | null;
  sourceDetails: string[] | null;
  /** Absent from a version that holds. */
  retractedAt: string | null;
  retractedBy: string | null;
  retractedRevision: number | null;
  update: VersionUpdate | null;
  retraction: VersionUpdate | null;
}

type Moment = DateTime<number> | null;
type StoredUpdate = Omit<VersionUpdate, 'proposedAt'> & { proposedAt: Moment };
type Told = Omit<
  StatementVersion,
  'observedAt' | 'recordedAt' | 'retractedAt' | 'retractedBy' | 'retractedRevision' | 'update' | 'retraction'
>;

export interface VersionRow extends RecordShape, Told {
  observedAt: Moment;
  recordedAt: Moment;
  end: { retractedAt: Moment; retractedBy: string | null; retractedRevision: number | null } | null;
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
      observedAt: iso(observedAt),
      recordedAt: iso(recordedAt),
      retractedAt: iso(end?.retractedAt ?? null),
      retractedBy: end?.retractedBy ?? null,
      retractedRevision: end?.retractedRevision ?? null,
      update: updateOf(made),
      retraction: updateOf(ended),
    };
  });
}

function updateOf(stored: StoredUpdate | null): VersionUpdate | null {
  return stored && { ...stored, proposedAt: iso(stored.proposedAt) };
}

function iso(moment: Moment): string | null {
  return moment === null ? null : moment.toStandardDate().toISOString();
}
