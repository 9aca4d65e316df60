import { createHash } from 'node:crypto';
import { entitiesOf, isCertainty, type Statement, type Subject } from '../../graph/statements/statement.ts';
import type { Classes } from '../../graph/statements/statementReader.ts';
import { isoOf } from '../../graph/statements/values.ts';
import { jsonIn } from '../../graph/statements/voice.ts';
import type { LoggedChange } from '../../graph/updates/changeLog.ts';

/** A statement of a snapshot as a change that adds it; its sequence is that of the snapshot. */
export interface SnapshotChange extends LoggedChange {
  snapshot: true;
}

export function isOfSnapshot(change: LoggedChange): change is SnapshotChange {
  return 'snapshot' in change;
}

/** What is read of a statement, from the variables `s` (the edge), `subject` and `object`. */
export const statementRow = `RETURN s.statementId AS id, s.predicate AS predicate, s.graph AS graph,
  s.certainty AS certainty, s.provenance AS provenance, s.sourceAgentId AS sourceAgentId, s.taskId AS taskId,
  s.updateId AS updateId, s.recordedAt AS recordedAt, s.revision AS revision,
  {id: subject.id, type: subject.type} AS subject,
  CASE WHEN object:Literal THEN {value: object.value, type: object.datatype, language: object.language}
    ELSE {id: object.id, type: object.type} END AS object`;

export interface StatementRow {
  id: string;
  predicate: string;
  graph: string | null;
  certainty: unknown;
  provenance: string | null;
  sourceAgentId: string | null;
  taskId: string | null;
  updateId: string | null;
  recordedAt: unknown;
  revision: number;
  subject: Nullable<Subject>;
  object: Record<string, unknown>;
}

type Nullable<T> = { [Key in keyof T]: T[Key] | null } & { id: string };

/** @param sequence of the last change that the snapshot has */
export function snapshotChange(row: StatementRow, sequence: number): SnapshotChange {
  const { id, predicate, graph, certainty, provenance, taskId, recordedAt, revision } = row;
  const said = provenance === null ? undefined : jsonIn(provenance);
  return {
    sequence,
    snapshot: true,
    changeId: uuidOf(`${id} ${sequence}`),
    op: 'add',
    statement: {
      subject: present(row.subject) as unknown as Subject,
      predicate: { id: predicate },
      object: present(row.object) as unknown as Statement['object'],
      ...(graph !== null && { graph }),
      ...(isCertainty(certainty) && { certainty }),
      ...(said !== undefined && { provenance: said }),
    },
    timestamp: isoOf(recordedAt) ?? '',
    updateId: row.updateId ?? '',
    revision,
    sourceAgentId: row.sourceAgentId ?? '',
    ...(taskId !== null && { taskId }),
  };
}

function present(members: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

/** The classes that the graph has for the entities of a statement of a snapshot. */
export function classesIn(statement: Statement): Classes {
  return new Map(entitiesOf(statement).map(({ id, type }) => [id, { type }]));
}

/** The same for the same text, so that who reads a snapshot again knows what it has; RFC 9562, version 8. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
