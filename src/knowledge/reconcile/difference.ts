import type { UnseenEdit } from '../../graph/reconcile/writtenEdits.ts';
import type { Statement } from '../../graph/statements/statement.ts';

/** Where the graph, its history and its log don't say the same. */
export type DifferenceKind =
  /** A node of a class's label that is no entity. */
  | 'node'
  /** An edge that isn't the statement that it is kept as, or none at all. */
  | 'edge'
  /** A property of an edge that cannot be what it is: a certainty that is no number, a time that is none. */
  | 'edge-value'
  /** An edge that says another certainty or provenance than the log. */
  | 'edge-log'
  /** The log says that a statement holds, and there is no edge. */
  | 'edge-missing'
  /** An entity shows another value than its statements say. */
  | 'projection'
  /** An entity has another label than its class. */
  | 'class'
  /** Places in the log that have no change. */
  | 'log-gap'
  /** A change of no update. */
  | 'log-orphan'
  /** The ledger says less than the log. */
  | 'ledger';

/** What differs, for people and programs: names and ids, no values. */
export interface Difference {
  kind: DifferenceKind;
  tenant: string;
  /** Of an entity. */
  id?: string;
  /** Its property, or the relationship type and the properties of an edge. */
  of?: string;
  statementId?: string;
  sequence?: number;
  /** How many, where it is more than one in a row. */
  count?: number;
}

/** What differs, and what mends it. */
export interface Found {
  difference: Difference;
  /** Edits by hand that explain it; they are taken as any. */
  edits?: UnseenEdit[];
  /** A statement that is to stand there again, so that its removal has a place in history and log. */
  lost?: LostStatement;
  /** What statements say and an entity doesn't show any more: its properties. */
  project?: { id: string; properties: Record<string, unknown> };
  /** Of the log. */
  fill?: { missing: number[]; orphans: number[] };
  ledger?: { sequence: number };
}

/** A statement as the log tells it, whose edge is gone. */
export interface LostStatement {
  statementId: string;
  type: string;
  statement: Statement;
  updateId: string;
  revision: number;
  sourceAgentId: string;
  taskId?: string;
  /** Milliseconds since 1970. */
  at: number;
}
