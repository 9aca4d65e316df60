import type { Task as CoreTask, StreamResponse } from '@a2a-js/sdk';
import type { ArtifactEvent, StatusEvent } from './messages.ts';
import { isResting, writeArtifact, writeMessage, writeStatus } from './write.ts';

type Event = StatusEvent | ArtifactEvent;

/** The events of one stream. An artifact is known by its place in the task, where A2A 1.0 has an id. */
export class StreamEvents {
  private readonly indexes = new Map<string, number>();
  private last: StatusEvent | undefined;

  /** @param taskId for an answer that is of no task */
  constructor(private readonly taskId: string) {}

  /** What an event of A2A 1.0 is here: of a task as a whole, its artifacts and its status. */
  take({ payload }: StreamResponse): Event[] {
    if (payload?.$case === 'task') return this.task(payload.value);
    if (payload?.$case === 'statusUpdate') {
      const { taskId: id, metadata } = payload.value;
      const status = writeStatus(payload.value.status);
      return [this.status({ id, status, final: isResting(status), ...(metadata && { metadata }) })];
    }
    if (payload?.$case === 'artifactUpdate') {
      const { taskId: id, artifact, append, lastChunk, metadata } = payload.value;
      if (!artifact) return [];
      const written = writeArtifact(artifact, this.indexOf(artifact.artifactId));
      return [{ id, artifact: { ...written, append, lastChunk }, ...(metadata && { metadata }) }];
    }
    if (payload?.$case !== 'message') return [];
    const message = writeMessage(payload.value);
    const status = { state: 'completed' as const, message, timestamp: new Date().toISOString() };
    return [this.status({ id: this.taskId, status, final: true })];
  }

  /** What a stream that has ended still owes: its last event says that it is. */
  owed(): Event[] {
    return this.last && !this.last.final ? [{ ...this.last, final: true }] : [];
  }

  private task({ id, status, artifacts }: CoreTask): Event[] {
    const written = artifacts.map((artifact) => ({
      id,
      artifact: { ...writeArtifact(artifact, this.indexOf(artifact.artifactId)), append: false },
    }));
    return [...written, this.status({ id, status: writeStatus(status), final: false })];
  }

  private status(event: StatusEvent): StatusEvent {
    this.last = event;
    return event;
  }

  private indexOf(artifactId: string): number {
    const index = this.indexes.get(artifactId) ?? this.indexes.size;
    this.indexes.set(artifactId, index);
    return index;
  }
}
