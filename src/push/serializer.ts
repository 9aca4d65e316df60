import type { StreamResponse, Task } from '@a2a-js/sdk';
import type { Caller } from '../tasks/nodes/caller.ts';

/** A push notification as it is sent. */
export interface Serialized {
  body: string;
  contentType: string;
  /** Beside those that every receiver gets. */
  headers?: Record<string, string>;
}

/** How an event of a task is told to the receivers of one version or dialect; undefined where it tells nothing. */
export interface Serializer {
  serialize(
    event: StreamResponse,
    task: Task | undefined,
    caller: Caller,
  ): Serialized | undefined | Promise<Serialized | undefined>;
}
