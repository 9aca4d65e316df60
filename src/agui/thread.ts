import { type Task, TaskState } from '@a2a-js/sdk';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { contextOf } from '../a2a/protocol/callContext.ts';
import type { ThreadRow } from '../agents/delegation/nodes/threadTasks.ts';
import type { Call } from '../calls/call.ts';
import { stateName } from '../tasks/nodes/taskState.ts';

export interface ThreadParts {
  /** The guarded handler of tasks. */
  handler: A2ARequestHandler;
  /** Looks at tasks of a tenant, and whether they have a message. */
  rowsOf(tenant: string, asked: { ids: string[]; messageId: string }): Promise<ThreadRow[]>;
}

/** A task of a thread, without its messages and what it has made. */
export interface ThreadTask extends Task {
  /** Who does it; undefined where Concord does. */
  agentId: string | undefined;
  /** Whether it was begun by the message that has come now, or has gone on with it. */
  hasMessage: boolean;
}

/** Tasks of a thread that are looked at, the newest first. */
const most = 20;

/**
 * The tasks of the caller that belong to a thread of AG-UI, which is their context, the last that changed first. Each
 * may have 1,000 messages as long as a body: none of them is read.
 * @param messageId of what has come now
 */
export async function tasksOfThread(
  { handler, rowsOf }: ThreadParts,
  threadId: string,
  messageId: string,
  call: Call,
): Promise<ThreadTask[]> {
  const asked = {
    tenant: '',
    contextId: threadId,
    status: TaskState.TASK_STATE_UNSPECIFIED,
    pageSize: most,
    pageToken: '',
    historyLength: 0,
    statusTimestampAfter: undefined,
    includeArtifacts: false,
  };
  const { tasks } = await handler.listTasks(asked, contextOf(call, '1.0'));
  if (tasks.length === 0) return [];
  const ids = tasks.map(({ id }) => id);
  const rows = new Map((await rowsOf(call.principal.tenant, { ids, messageId })).map((row) => [row.id, row]));
  return tasks.map((task) => {
    const { agentId = null, hasMessage = false } = rows.get(task.id) ?? {};
    return { ...task, agentId: agentId ?? undefined, hasMessage };
  });
}

/** Whether a task waits for what a person says. */
export const isWaiting = ({ status }: Pick<Task, 'status'>): boolean =>
  stateName(status?.state ?? 0) === 'INPUT_REQUIRED';
