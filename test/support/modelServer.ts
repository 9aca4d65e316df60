import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** What a request has asked. */
export interface ModelRequest {
  path: string;
  headers: IncomingHttpHeaders;
  model: string;
  messages: { role: string; content: string }[];
  response_format?: { type: string; json_schema: { name: string; strict: boolean; schema: object } };
}

/** What is answered: what the model says, a status without a body, or whatever is done to the response. */
export type ModelReply = string | number | ((response: ServerResponse) => void);

/** A server compatible with OpenAI's chat completions, which says what its test wants, and misbehaves as it wants. */
export class ModelServer {
  readonly asked: ModelRequest[] = [];
  /** What comes next; without any it answers 500. */
  replies: ModelReply[] = [];
  /** What answers where there is no reply. */
  otherwise: ((request: ModelRequest) => ModelReply) | undefined;

  private constructor(private readonly server = createServer()) {
    server.on('request', async (request, response) => {
      const asked = {
        path: request.url,
        headers: request.headers,
        ...((await json(request)) as object),
      } as ModelRequest;
      this.asked.push(asked);
      const reply = this.replies.shift() ?? this.otherwise?.(asked) ?? 500;
      if (typeof reply === 'function') return reply(response);
      if (typeof reply === 'number') return response.writeHead(reply).end('{"error": {"message": "busy"}}');
      sayCompletion(response, { content: reply });
    });
  }

  static async start(): Promise<ModelServer> {
    const model = new ModelServer();
    await new Promise<void>((resolve) => model.server.listen(0, '127.0.0.1', resolve));
    return model;
  }

  /** As `MODEL_URL` takes it. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1/`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Answers with a message of the model, and with what is said of it. */
export function sayCompletion(
  response: ServerResponse,
  message: { content?: string | null; refusal?: string },
  further: { finish_reason?: string; usage?: unknown } = {},
): void {
  const { finish_reason = 'stop', ...rest } = further;
  const choices = [{ message: { role: 'assistant', ...message }, finish_reason }];
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ choices, ...rest }));
}

/** A query as a model with structured output says it. */
export const saying = (query: string | null, reading = 'as it was asked') => JSON.stringify({ query, reading });
