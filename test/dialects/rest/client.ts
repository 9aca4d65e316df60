import { createParser } from 'eventsource-parser';
import type { z } from 'zod';
import {
  agentCard,
  refusal,
  sent,
  type TaskEvent,
  taskAnswer,
  taskEvents,
} from '../../../src/dialects/rest/messages.ts';

/** A client of the dialect, which looks at the form of each answer. */
export class RestClient {
  constructor(
    private readonly url: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  async card() {
    return agentCard.parse(await (await fetch(`${this.url}/agent-card`)).json());
  }

  async send(body: unknown) {
    return sent.parse(await this.done('/tasks/send', body));
  }

  async get(id: string) {
    return taskAnswer.parse(await this.done(`/tasks/${encodeURIComponent(id)}`)).task;
  }

  async cancel(id: string) {
    return taskAnswer.parse(await this.done(`/tasks/${encodeURIComponent(id)}/cancel`, '')).task;
  }

  /** What a request that is refused is answered with. */
  async fault(path: string, body?: unknown): Promise<{ status: number; headers: Headers } & Fault> {
    const response = await this.fetch(path, body);
    if (response.ok) throw new Error(`${path} is answered with ${await response.text()}`);
    const { error } = refusal.parse(await response.json());
    return { status: response.status, headers: response.headers, ...error };
  }

  /** The events of a stream until it ends, or as long as they are wanted. */
  async *events(body: unknown, signal?: AbortSignal): AsyncGenerator<TaskEvent, void, undefined> {
    const response = await this.fetch('/tasks/sendSubscribe', body, signal);
    if (!response.ok) throw new Error(await response.text());
    const got: TaskEvent[] = [];
    const parser = createParser({
      onEvent: ({ event, data }) => {
        const name = event as TaskEvent['event'];
        got.push({ event: name, data: taskEvents[name].parse(JSON.parse(data)) } as TaskEvent);
      },
    });
    const text = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      parser.feed(text.decode(bytes, { stream: true }));
      yield* got.splice(0);
    }
  }

  fetch(path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    return fetch(this.url + path, {
      ...(body !== undefined && { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }),
      headers: { 'Content-Type': 'application/json', ...this.headers },
      ...(signal && { signal }),
    });
  }

  private async done(path: string, body?: unknown): Promise<unknown> {
    const response = await this.fetch(path, body);
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return response.json();
  }
}

type Fault = z.output<typeof refusal>['error'];

/** A request of one message. */
export const asking = (...parts: object[]) => ({ input: { messages: [{ role: 'user', parts }] } });

/** A request of one data part. */
export const askingFor = (data: object, further: object = {}) => ({ ...asking({ type: 'data', data }), ...further });
