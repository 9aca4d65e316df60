import { type Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutionEvent } from '@a2a-js/sdk/server';

/** An event as JSON text; null for a task as a whole, which stands on its nodes. */
export function eventText(event: AgentExecutionEvent): string | null {
  if (event.kind === 'statusUpdate') return JSON.stringify({ statusUpdate: TaskStatusUpdateEvent.toJSON(event.data) });
  if (event.kind === 'artifactUpdate')
    return JSON.stringify({ artifactUpdate: TaskArtifactUpdateEvent.toJSON(event.data) });
  return null;
}

export function eventOf(text: string): AgentExecutionEvent {
  const { statusUpdate, artifactUpdate } = JSON.parse(text);
  if (statusUpdate) return AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON(statusUpdate));
  return AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON(artifactUpdate));
}

/** Whether the task shows what the event says. */
export function shows(task: Task, event: AgentExecutionEvent): boolean {
  if (event.kind === 'message') return true;
  if (event.kind === 'artifactUpdate') {
    const { artifact } = event.data;
    const last = (parts: object[] = []) => JSON.stringify(parts.at(-1));
    return task.artifacts.some(
      ({ artifactId, parts }) => artifactId === artifact?.artifactId && last(parts) === last(artifact.parts),
    );
  }
  const { status } = event.data;
  return (
    status?.state === task.status?.state &&
    status?.timestamp === task.status?.timestamp &&
    status?.message?.messageId === task.status?.message?.messageId
  );
}
