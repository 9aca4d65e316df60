/** Properties of a node or relationship, as the driver reads them. */
export type Properties = Readonly<Record<string, unknown>>;

/** What all edits of one element by hand tell. */
interface Edited {
  /** Place among the tenant's edits, from 1. */
  number: number;
  /** Of the transaction in which it was made. */
  transaction: string;
  /** The user of Neo4j; empty where authentication is off. */
  user: string;
  /** Milliseconds since 1970. */
  at: number;
  /** What its user worked with, where that tells its name. */
  client?: string;
  op: 'created' | 'changed' | 'deleted';
  /** Neo4j's id of the element. */
  element: string;
  /** Absent where it was made. */
  before?: Properties;
  /** Absent where it was deleted. */
  after?: Properties;
}

/** What a relationship begins or ends at. */
export type End =
  | { kind: 'entity'; id: string; type?: string }
  | { kind: 'literal'; value: unknown; datatype?: string; language?: string };

export interface RelationshipEdit extends Edited {
  kind: 'relationship';
  /** Its type in Neo4j. */
  type: string;
  /** Absent where there is no such entity or literal any more, or never was. */
  start?: End;
  end?: End;
  /** Set where its ends are of different tenants, which are not told. */
  joinsTenants?: true;
}

export interface NodeEdit extends Edited {
  kind: 'node';
  labelsBefore: readonly string[];
  labelsAfter: readonly string[];
  /** Of a literal: the statement that it is the object of. */
  statement?: { start?: End; type: string; properties: Properties };
}

/** An edit of what only Concord writes; what it was before is not kept. */
export interface SystemEdit extends Edited {
  kind: 'system';
  labelsBefore: readonly string[];
  labelsAfter: readonly string[];
  type?: string;
}

/** An edit of one node or relationship that somebody made in Neo4j by hand. */
export type Edit = RelationshipEdit | NodeEdit | SystemEdit;
