import { randomUUID } from 'node:crypto';
import type { Task, TaskState } from '@a2a-js/sdk';
import type { AgentExecutionEvent } from '@a2a-js/sdk/server';
import { TaskEvents } from '../../skills/events.ts';
import type { DataArtifact } from '../../skills/skill.ts';
import { knownOf, type TaskDraft } from './draft.ts';

/** What Concord says of a task that nobody executes, to end it. */
export interface Ending {
  state: TaskState;
  text: string;
  /** For programs, beside the text. */
  data?: object;
  artifacts?: DataArtifact[];
}

/**
 * A task with a last status that Concord gives it, as it was just read.
 * @param at milliseconds since 1970
 */
export function endingDraft(
  { tenant, owner, task }: { tenant: string; owner: string; task: Task },
  { state, text, data, artifacts = [] }: Ending,
  at: number,
): TaskDraft {
  const said = new TaskEvents({ uuid: randomUUID, now: () => at });
  const ids = { taskId: task.id, contextId: task.contextId };
  const events = [
    ...artifacts.map((artifact) => said.artifact(ids, artifact)),
    said.status(ids, state, said.message(ids, text, data)),
  ];
  const ended = events.reduce(after, task);
  return { tenant, id: task.id, owner, task: ended, known: knownOf(task), passed: [], events };
}

function after(task: Task, event: AgentExecutionEvent): Task {
  if (event.kind === 'artifactUpdate' && event.data.artifact)
    return { ...task, artifacts: [...task.artifacts, event.data.artifact] };
  if (event.kind !== 'statusUpdate' || !event.data.status) return task;
  const { status } = event.data;
  return { ...task, status, history: [...task.history, ...(status.message ? [status.message] : [])] };
}
