import neo4j, { type RecordShape } from 'neo4j-driver';
import { dateTime } from '../statements/values.ts';

/** What was proposed, by whom and why. */
export interface ProposedUpdate {
  id: string;
  sourceAgentId: string;
  justification?: string;
  taskId?: string;
  sessionId?: string;
  traceId?: string;
  /** Of the span that it was proposed in, where that is sampled; 16 hex digits. */
  spanId?: string;
  idempotencyKey?: string;
  /** Milliseconds since 1970. */
  proposedAt: number;
  /** Why it is or was held or rejected. */
  verificationDetails?: string;
  /** Of an update that was not applied at once: the entities that it names, by which a purge finds it. */
  namedIds?: string[];
}

export interface AppliedUpdate extends ProposedUpdate {
  status: 'applied';
  revision: number;
  statementsAffected: number;
  affectedIds: string[];
  /** Where it was held before. */
  reviewedBy?: string;
}

export interface PendingUpdate extends ProposedUpdate {
  status: 'pending';
  /** The patches as JSON text. */
  proposal: string;
}

export interface RejectedUpdate extends ProposedUpdate {
  status: 'rejected';
  /** Where rules didn't reject it. */
  reviewedBy?: string;
}

/** An `Update` node: what was proposed and what became of it. */
export type UpdateRecord = AppliedUpdate | PendingUpdate | RejectedUpdate;
export type UpdateStatus = UpdateRecord['status'];

/** What an update is found by. */
export type UpdateKey = Pick<UpdateRecord, 'id' | 'sourceAgentId' | 'idempotencyKey'>;

/** An `Update` node as the database gives it. */
export interface StoredUpdate extends RecordShape {
  proposedAt: { toStandardDate(): Date };
}

export function updateRecordOf({ proposedAt, ...stored }: StoredUpdate): UpdateRecord {
  return { ...stored, proposedAt: proposedAt.toStandardDate().getTime() } as UpdateRecord;
}

/** As its node is written. */
export function storedUpdate(update: UpdateRecord) {
  const { id, sourceAgentId, taskId, idempotencyKey, proposedAt, ...said } = update;
  const integers = said.status === 'applied' && {
    revision: neo4j.int(said.revision),
    statementsAffected: neo4j.int(said.statementsAffected),
  };
  const rest = { ...said, justification: said.justification ?? null };
  return {
    id,
    sourceAgentId,
    taskId: taskId ?? null,
    idempotencyKey: idempotencyKey ?? null,
    proposedAt: dateTime(proposedAt),
    proposal: rest.status === 'pending' ? rest.proposal : null,
    properties: { ...rest, ...integers },
  };
}
