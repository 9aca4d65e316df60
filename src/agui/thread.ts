import { type Task, TaskState } from '@a2a-js/sdk';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { contextOf } from '../a2a/protocol/callContext.ts';
import type { Call } from '../calls/call.ts';
import { stateName } from '../tasks/nodes/taskState.ts';

/** Tasks of a thread that are looked at, the newest first. */
const most = 20;

/** The tasks of the caller that belong to a thread of AG-UI, which is their context, the last that changed first. */
export async function tasksOfThread(handler: A2ARequestHandler, threadId: string, call: Call): Promise<Task[]> {
  const asked = {
    tenant: '',
    contextId: threadId,
    status: TaskState.TASK_STATE_UNSPECIFIED,
    pageSize: most,
    pageToken: '',
    historyLength: 100,
    statusTimestampAfter: undefined,
    includeArtifacts: false,
  };
  const { tasks } = await handler.listTasks(asked, contextOf(call, '1.0'));
  return tasks;
}

/** The task that a message has begun or gone on with, where it has come before. */
export const taskOfMessage = (tasks: readonly Task[], messageId: string): Task | undefined =>
  tasks.find(({ history }) => history.some((message) => message.messageId === messageId));

/** Whether a task waits for what a person says. */
export const isWaiting = ({ status }: Pick<Task, 'status'>): boolean =>
  stateName(status?.state ?? 0) === 'INPUT_REQUIRED';
