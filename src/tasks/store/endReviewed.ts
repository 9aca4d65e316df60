import { TaskState } from '@a2a-js/sdk';
import { fixedPlan, type Queryable } from '../../graph/database/queryable.ts';
import {
  type PendingUpdate,
  type StoredUpdate,
  type UpdateRecord,
  updateRecordOf,
} from '../../graph/updates/updateRecord.ts';
import { resultOf } from '../../knowledge/update/propose.ts';
import { readTask } from '../nodes/readTasks.ts';
import { keyText, type TaskKey } from '../nodes/taskNodes.ts';
import { deltaOf, type TaskDraft } from './draft.ts';
import { type Ending, endingDraft } from './endTask.ts';
import { type WriteOptions, writeTasks } from './writeTasks.ts';

type ReviewedUpdate = Exclude<UpdateRecord, PendingUpdate>;

/**
 * Ends a task that waits for its agent while none of its own proposals waits for review any more: as completed where
 * one of them was applied, else as rejected. It is part of the transaction that reviews and of the one that writes the
 * task as waiting; both lock the task's node, so whichever comes second finds what the first has left.
 * @param now milliseconds since 1970
 * @returns the task as it is then; nothing where it goes on waiting, or doesn't wait
 */
export async function endReviewed(
  tx: Queryable,
  key: TaskKey,
  options: WriteOptions,
  now: number,
): Promise<TaskDraft | undefined> {
  const reviewed = await readReviewed(tx, key);
  const ending = endingOf(reviewed);
  const found = ending && (await readTask(tx, key, undefined));
  if (!found) return undefined;
  const draft = endingDraft({ ...key, ...found }, ending, now);
  const { receivers } = await writeTasks(tx, [deltaOf(draft, now).delta], options);
  await wakeWorkflow(tx, key);
  return { ...draft, receivers: receivers.get(keyText(key)) };
}

/**
 * What became of the proposals of a task that waits, where all of them are reviewed. An update counts if the task's
 * owner made it, or the agent that the task was handed on to: others may name the task in theirs. The local principal's may be of any agent.
 */
async function readReviewed(tx: Queryable, { tenant, id }: TaskKey): Promise<ReviewedUpdate[]> {
  const { records } = await tx.run<{ update: StoredUpdate }>(
    `${fixedPlan} MATCH (t:Task {tenant: $tenant, id: $id}) USING INDEX SEEK t:Task(tenant, id)
     SET t.updatedAt = datetime()
     WITH t WHERE t.state = 'INPUT_REQUIRED'
     MATCH (t)-[:MADE]->(u:Update)
     WHERE (u.status = 'pending' OR u.reviewedBy IS NOT NULL) AND (u.sourceAgentId = t.owner OR t.owner = ''
       OR EXISTS { (t)-[:DELEGATED_TO {state: 'proposing'}]->(:Agent {id: u.sourceAgentId}) })
     RETURN u {.*} AS update ORDER BY u.proposedAt, u.id`,
    { tenant, id },
  );
  const updates = records.map((record) => updateRecordOf(record.get('update')));
  return updates.every((update): update is ReviewedUpdate => update.status !== 'pending') ? updates : [];
}

function endingOf(reviewed: ReviewedUpdate[]): Ending | undefined {
  if (reviewed.length === 0) return undefined;
  const isApplied = reviewed.some(({ status }) => status === 'applied');
  return {
    state: isApplied ? TaskState.TASK_STATE_COMPLETED : TaskState.TASK_STATE_REJECTED,
    text: reviewed.map(sentenceOf).join('\n'),
    artifacts: reviewed.map((update) => ({
      name: 'verdict',
      description: 'What became of the proposal',
      data: resultOf(update),
    })),
  };
}

function sentenceOf(update: ReviewedUpdate): string {
  const { id, reviewedBy, verificationDetails } = update;
  if (update.status === 'applied') return `${id}: approved by ${reviewedBy} and applied at revision ${update.revision}`;
  return `${id}: ${verificationDetails ?? `rejected by ${reviewedBy}`}`;
}

/** Has a workflow go on that waits for one of its steps: as of a replica that died, any takes it up. */
async function wakeWorkflow(tx: Queryable, { tenant, id }: TaskKey): Promise<void> {
  await tx.run(
    `${fixedPlan} MATCH (t:Task {tenant: $tenant, id: $id}) USING INDEX SEEK t:Task(tenant, id)
     MATCH (t)-[:PART_OF]->(w:Task)
     SET w.updatedAt = datetime()
     WITH w WHERE w.state = 'INPUT_REQUIRED' AND w.leaseUntil IS NULL
     SET w.state = 'WORKING', w.leaseUntil = datetime(), w.states = w.states + 'WORKING',
       w.stateTimes = w.stateTimes + datetime()`,
    { tenant, id },
  );
}
