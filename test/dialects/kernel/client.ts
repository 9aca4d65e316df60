import { createParser } from 'eventsource-parser';

/** A client of the first A2A, written from its description: of Concord it knows nothing but the address. */

export interface Part {
  type: string;
  text?: string;
  data?: Record<string, unknown>;
  file?: { name?: string; mimeType?: string; bytes?: string; uri?: string };
  metadata?: Record<string, unknown>;
}

export interface Message {
  role: string;
  parts: Part[];
  metadata?: Record<string, unknown>;
}

export interface Task {
  id: string;
  sessionId?: string;
  status: { state: string; message?: Message; timestamp: string };
  artifacts?: { parts: Part[]; name?: string; index?: number }[];
  history?: Message[];
  metadata?: Record<string, unknown>;
}

export interface StreamEvent {
  id: string;
  status?: Task['status'];
  final?: boolean;
  artifact?: { parts: Part[]; name?: string; index?: number; append?: boolean; lastChunk?: boolean };
}

export interface RpcError {
  code: number;
  message: string;
  data?: { reason?: string };
}

export interface RpcAnswer<Result> {
  jsonrpc: string;
  id: unknown;
  result: Result;
  error?: RpcError;
}

export class FirstClient {
  private requests = 0;

  constructor(
    private readonly url: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  /** Finds the service by the card of an agent's address. */
  static async at(address: string, headers: Record<string, string> = {}): Promise<FirstClient> {
    const card = await fetch(`${address}/.well-known/agent.json`);
    const { url } = (await card.json()) as { url: string };
    return new FirstClient(url, headers);
  }

  async call<Result = Task>(method: string, params: unknown): Promise<RpcAnswer<Result>> {
    return (await (await this.post(method, params)).json()) as RpcAnswer<Result>;
  }

  /** The result of a call that succeeds. */
  async done<Result = Task>(method: string, params: unknown): Promise<Result> {
    const { result, error } = await this.call<Result>(method, params);
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  /** The error of a call that fails. */
  async fault(method: string, params: unknown): Promise<RpcError> {
    const { result, error } = await this.call(method, params);
    if (!error) throw new Error(`${method} gave ${JSON.stringify(result)}`);
    return error;
  }

  /** The events of a stream until it ends, or as long as they are wanted. */
  async *stream(method: string, params: unknown): AsyncGenerator<StreamEvent, void, undefined> {
    const sent = this.post(method, params);
    const request = this.requests;
    const response = await sent;
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      throw new Error(await response.text());
    }
    const got: StreamEvent[] = [];
    const parser = createParser({
      onEvent: ({ data }) => {
        const { id, result, error } = JSON.parse(data) as RpcAnswer<StreamEvent>;
        if (error || id !== request) throw new Error(data);
        got.push(result);
      },
    });
    const text = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      parser.feed(text.decode(bytes, { stream: true }));
      yield* got.splice(0);
    }
  }

  private post(method: string, params: unknown): Promise<Response> {
    this.requests += 1;
    return fetch(this.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...this.headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: this.requests, method, params }),
    });
  }
}

/** Params of `tasks/send` with one part of data. */
export function sending(data: Record<string, unknown>, further: object = {}) {
  return { id: crypto.randomUUID(), message: { role: 'user', parts: [{ type: 'data', data }] }, ...further };
}
