import { createParser } from 'eventsource-parser';
import type { ChangeEvent } from '../../src/knowledge/subscribe/subscribe.ts';
import type { SnapshotEnd } from '../../src/wire/types.ts';

/** An error as a stream carries it. */
export interface StreamError {
  code: number;
  message: string;
  data: Record<string, unknown>;
}

export interface Follower {
  status: number;
  /** The events so far, with the SSE id of each. */
  events: (ChangeEvent & { cursor: string })[];
  /** What says that a snapshot was told, once it has come. */
  snapshotEnd: SnapshotEnd | undefined;
  /** The error that ended the stream, or refused it. */
  error: StreamError | undefined;
  heartbeats: number;
  /** Whether the stream has ended, for whatever reason. */
  ended: boolean;
  /** Waits until there are so many events; throws with what there is after ten seconds. */
  until(condition: number | ((follower: Follower) => boolean)): Promise<ChangeEvent[]>;
  /** Stops reading and closes the connection. */
  close(): void;
}

const patienceMs = 60_000;

/**
 * Subscribes over HTTP as any agent would, and collects what comes. It settles once the stream stands or is refused.
 */
export async function follow(url: string, params: object, headers: Record<string, string> = {}): Promise<Follower> {
  const connection = new AbortController();
  const response = await fetch(`${url}/a2a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'sub', method: 'knowledge/subscribe', params }),
    signal: connection.signal,
  });
  const follower: Follower = {
    status: response.status,
    events: [],
    snapshotEnd: undefined,
    error: undefined,
    heartbeats: 0,
    ended: false,
    async until(condition) {
      const met = typeof condition === 'number' ? () => follower.events.length >= condition : condition;
      for (const end = Date.now() + patienceMs; !met(follower); ) {
        if (Date.now() > end) {
          const { events, error, ended } = follower;
          throw new Error(`Not within ${patienceMs} ms: ${JSON.stringify({ n: events.length, error, ended })}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return follower.events;
    },
    close: () => connection.abort(),
  };
  if (response.headers.get('content-type') !== 'text/event-stream') {
    follower.error = ((await response.json()) as { error: StreamError }).error;
    follower.ended = true;
    return follower;
  }
  read(response, follower).catch(() => {
    follower.ended = true;
  });
  return follower;
}

async function read(response: Response, follower: Follower): Promise<void> {
  const parser = createParser({
    onEvent: ({ id, data }) => {
      const { result, error } = JSON.parse(data) as { result: ChangeEvent | SnapshotEnd; error?: StreamError };
      if (error) follower.error = error;
      else if ('snapshot' in result) follower.snapshotEnd = result;
      else follower.events.push({ ...result, cursor: id ?? '' });
    },
    onComment: () => {
      follower.heartbeats += 1;
    },
  });
  const text = new TextDecoder();
  for await (const chunk of response.body ?? []) parser.feed(text.decode(chunk, { stream: true }));
  follower.ended = true;
}
