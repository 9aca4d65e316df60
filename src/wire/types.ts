/** What travels over the wire, for the client and the service. Knowledge graph extension 1.0, sections 2 to 4. */

/** KGSubject. */
export interface Subject {
  /** IRI or other identifier, 1 to 2,048 characters. */
  id: string;
  /** Class IRI. */
  type?: string;
}

export type EntityObject = Subject;

export interface LiteralObject {
  value: string | number | boolean;
  /** Datatype IRI; left out, it is what the value is: `xsd:string`, `xsd:integer`, `xsd:double` or `xsd:boolean`. */
  type?: string;
  /** BCP 47 tag; beyond the specification. */
  language?: string;
}

/** KGStatement. */
export interface Statement {
  subject: Subject;
  predicate: { id: string };
  object: EntityObject | LiteralObject;
  /** Named graph IRI; absent means the default graph. */
  graph?: string;
  /** 0 to 1; absent means not stated and counts as 1. */
  certainty?: number;
  provenance?: Record<string, unknown>;
}

/**
 * `add` states a statement, `remove` takes back what the agent said of it, and with the last agent's voice the
 * statement, `replace` puts it in the place of all with its subject, predicate and graph.
 */
export type PatchOperation = 'add' | 'remove' | 'replace';

/** KnowledgeGraphPatch. */
export interface Patch {
  op: PatchOperation;
  statement: Statement;
}

/**
 * A value of a literal field: text, number or boolean; of a DateTime ISO 8601 with its offset, of a Date `2026-02-28`.
 */
export type FieldValue = LiteralObject['value'] | { value: string; language: string };

/** The values of a class's key by the names of its fields. */
export type EntityKey = Record<string, string | number>;

/** What a link points at: an id, or the key of an entity of the class that the field takes. */
export type EntityReference =
  | { id: string; class?: string; key?: undefined }
  | { key: EntityKey; class?: string; id?: undefined };

export type FieldInput = FieldValue | EntityReference;

/** What is said of an entity by the vocabulary's names; it becomes patches. */
export interface EntityInput extends Pick<Statement, 'graph' | 'certainty' | 'provenance'> {
  /**
   * `put`, if it is left out, gives a single field its value in place of others and adds to a list; `add` states values
   * beside others, `replace` makes them the only ones, `remove` takes them back.
   */
  op?: 'put' | PatchOperation;
  /** Name of a class of the vocabulary. */
  class: string;
  /** Without an id, the key of its class says which entity it is, here or among the fields. */
  id?: string;
  key?: EntityKey;
  /** By the names of the vocabulary's fields; null takes back every value that the field has. */
  fields?: Record<string, FieldInput | FieldInput[] | null>;
  /** `provenance.source` */
  source?: string;
  /** `provenance.timestamp`, ISO 8601. */
  observedAt?: string;
}

/** KnowledgeUpdateParams: `mutations`, `entities` or both. */
export interface Update {
  mutations?: Patch[];
  /** Beyond the specification. */
  entities?: EntityInput[];
  justification?: string;
  taskId?: string;
  sessionId?: string;
  /** The client's `agentId`, unless it is given here. */
  sourceAgentId?: string;
  metadata?: UpdateMetadata;
}

export interface UpdateMetadata {
  /** The same key is applied once; the client makes one for each update that has none. */
  idempotencyKey?: string;
  /** Nothing is applied if the graph has moved on from this revision. */
  expectedRevision?: number;
  /** Refuses, and names, what would bring back what a purge has erased, where it would be held for review. */
  onSuppressed?: 'refuse';
  [further: string]: unknown;
}

/** A row of an alignment rule that an update violates. */
export interface Violation {
  rule: string;
  severity: 'reject' | 'review' | 'forbid' | 'warn';
  message: string;
  subject?: string;
  predicate?: string;
  object?: string;
}

/** KnowledgeUpdateResponseResult, and what Concord adds to it. */
export interface UpdateResult {
  /** False if a rule rejected the update: then nothing was applied, and `verificationDetails` says why. */
  success: boolean;
  /** Statements stated anew, revised or retracted. */
  statementsAffected: number;
  /** Entities created or with a statement that changed. */
  affectedIds: string[];
  verificationStatus: 'Verified' | 'Pending Review' | 'Rejected - Constraint Violation';
  verificationDetails?: string;
  violations?: Violation[];
  /** Absent where nothing changed, for then nothing is recorded. */
  updateId?: string;
  /** Of the graph with this update, or as it is if nothing changed. */
  revision?: number;
}

/** `metadata` of a query. */
export interface QueryWishes {
  /** Reads what held then: ISO 8601 with an offset. */
  asOf?: string;
  /** Reads what the updates up to this revision had made of the graph; not together with `asOf`. */
  asOfRevision?: number;
  /** A revision that an update has answered with: what is read is that or newer. */
  afterRevision?: number;
  /** Whether to tell how many statements the answer rests on, and the lowest certainty among them. */
  consulted?: boolean;
  [further: string]: unknown;
}

/** What a query is written in. */
export type QueryLanguage = 'graphql' | 'cypher';

export interface QueryMetadata {
  /** What the query saw is this revision or newer. */
  revision: number;
  /** Milliseconds, in all and waiting for the database. */
  durationMs: number;
  databaseMs: number;
  /** Database queries run, without those by which `matching` chooses. */
  queries: number;
  /**
   * Whether every query could begin at indexes, as far as its text tells: where not, more was scanned than the tenant's
   * own. Absent where nothing was run.
   */
  usedIndex?: boolean;
  /**
   * Set where rows were left out, because a list or connection at the root of the query has no `limit` or `first`; ask
   * for pages.
   */
  truncated?: true;
  /**
   * Asked for by `metadata.consulted`: how many statements the answer rests on (those that its patterns have matched
   * and those whose values it shows, not those that filters only ask), and the lowest certainty among them. Absent
   * where it can't be told.
   */
  consulted?: { statements: number; lowestCertainty?: number };
  /**
   * Set where edits that somebody makes in Neo4j by hand are to be seen (`CAPTURE`) and aren't: what was read may differ from the history and
   * from what subscribers were told.
   */
  editsUnseen?: true;
  /** What every statement that was read had to meet; beyond the specification. */
  conditions?: {
    requiredCertainty?: number;
    observedSince?: string;
    asOf?: string;
    asOfRevision?: number;
    graphs?: { default: boolean; named: string[] };
  };
  [further: string]: unknown;
}

/** KnowledgeQueryResponseResult. */
export interface QueryResult<Data> {
  data: Data;
  queryMetadata: QueryMetadata;
}

/** KnowledgeGraphChangeEvent. */
export interface ChangeEvent<Kept extends Statement = Statement> {
  op: PatchOperation;
  statement: Kept;
  /** UUID. */
  changeId: string;
  /** ISO 8601, UTC. */
  timestamp: string;
  changeMetadata: {
    /** The cursor: give it as `after` to go on behind this event. Of a snapshot the last change that it has. */
    sequence: number;
    /** Set where the statement is of a snapshot, whose cursor is the event's id; beyond the specification. */
    snapshot?: true;
    revision: number;
    updateId: string;
    sourceAgentId: string;
    taskId?: string;
    justification?: string;
    /** The statements whose place this one took; among them itself as it was, if it held already. */
    previous?: Kept[];
  };
}

/** What comes between a snapshot and the changes behind it; beyond the specification. */
export interface SnapshotEnd {
  snapshot: 'complete';
  /** Of the last change that the snapshot has, and of the graph that it is of. */
  sequence: number;
  revision: number;
}

/** What a live query answers; beyond the specification. */
export interface LiveAnswer<Data = Record<string, unknown> | null> {
  /** Every change up to this one is in the answer; later ones may be. */
  sequence: number;
  /** What the query saw is this revision or newer. */
  revision: number;
  data?: Data;
  /** RFC 6902: what makes this answer's `data` of that before, in the place of `data`. */
  patch?: { op: string; path: string; value?: unknown }[];
}

export type ReviewStatus = 'pending' | 'applied' | 'rejected';

/** A proposal that waits for review, or waited once. */
export interface Proposal {
  updateId: string;
  status: ReviewStatus;
  sourceAgentId: string;
  /** ISO 8601, UTC. */
  proposedAt: string;
  justification?: string;
  verificationDetails?: string;
  reviewedBy?: string;
  /** The patches of a pending proposal. */
  mutations?: Patch[];
}

/** Where the changes of a subscription are sent, and what the receiver wants to be shown; beyond the specification. */
export interface SubscriptionReceiver {
  /** https, unless the service lets the receiver in otherwise. */
  url: string;
  /** Comes as `X-A2A-Notification-Token`. It is never told again. */
  token?: string;
  /** Comes as `Authorization: <scheme> <credentials>`. They are never told again. */
  authentication?: { scheme: string; credentials: string };
}

/** A subscription that is kept, and whose changes are sent to a receiver. Points in time are ISO 8601. */
export interface ChangeSubscription {
  /** UUID. */
  id: string;
  state: 'active' | 'paused';
  subscriptionQuery: string;
  variables?: Record<string, unknown>;
  metadata?: { requiredCertainty?: number; maxAgeSeconds?: number };
  receiver: Pick<SubscriptionReceiver, 'url'>;
  createdAt: string;
  /** The sequence number of the last change that was acknowledged; before the first, what it began after. */
  cursor?: number;
  /** When the receiver last acknowledged something. */
  deliveredAt?: string;
  /** While attempts fail: what the last one failed with, how many have in a row, and since when. */
  failure?: { reason: string; attempts: number; since: string };
  /** Of one that is paused: why, since when and, where the log has let go of changes, what it begins with now. */
  pause?: { reason: string; at: string; oldest?: number };
}
