import { randomUUID } from 'node:crypto';
import { Message, type Task, type TaskState } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutionEvent } from '@a2a-js/sdk/server';
import { type Draft, knownOf } from './draft.ts';

/** A task with a last status that Concord gives it, as it was just read. */
export function endingDraft(
  { tenant, owner, task }: { tenant: string; owner: string; task: Task },
  state: TaskState,
  text: string,
  at: number,
): Draft {
  const { id: taskId, contextId } = task;
  const message: Message = Message.fromJSON({
    messageId: randomUUID(),
    contextId,
    taskId,
    role: 'ROLE_AGENT',
    parts: [{ text }],
  });
  const status = { state, message, timestamp: new Date(at).toISOString() };
  const event: AgentExecutionEvent = AgentEvent.statusUpdate({
    taskId,
    contextId,
    status,
    metadata: undefined,
  });
  return {
    tenant,
    id: taskId,
    owner,
    task: { ...task, status, history: [...task.history, message] },
    known: knownOf(task),
    passed: [],
    events: [event],
  };
}
