import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { brokenAnswer, refused } from './failures.ts';

const answer = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number(), message: z.string(), data: z.unknown().optional() }).optional(),
});

/** An error that an agent answers with, by its code. */
export class RpcRefusal extends Error {
  constructor(
    readonly code: number,
    readonly said: string,
    readonly data: unknown,
  ) {
    super('The agent has answered with an error');
  }

  toConcordError() {
    return refused(this.said, { agentCode: this.code, ...retryableIn(this.data) });
  }
}

/** What an error of a stranger's says of whether the same may succeed later. */
export function retryableIn(data: unknown): { retryable?: boolean } {
  const found = z.looseObject({ retryable: z.boolean() }).safeParse(data);
  return found.success ? { retryable: found.data.retryable } : {};
}

/** A request of JSON-RPC over HTTP. @returns the answer's body, of which nothing is known yet */
export async function post(
  fetch: typeof globalThis.fetch,
  url: string,
  request: { method: string; params: object; streaming?: boolean },
  signal: AbortSignal,
): Promise<{ response: Response; id: string }> {
  const id = randomUUID();
  const { method, params, streaming } = request;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: streaming ? 'text/event-stream' : 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    signal,
  });
  return { response, id };
}

/** The result of an answer in JSON text. @throws RpcRefusal, ConcordError `agent-answer` */
export function resultIn(json: string, id: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw brokenAnswer('it is no JSON', error);
  }
  const parsed = answer.safeParse(value);
  if (!parsed.success) throw brokenAnswer('it is no JSON-RPC');
  const { error, result } = parsed.data;
  if (error) throw new RpcRefusal(error.code, error.message, error.data);
  if (parsed.data.id !== id) throw brokenAnswer('it has the id of another request');
  return result;
}

/** The results of a stream of server-sent events, each whole. */
export async function* resultsOf(response: Response, id: string): AsyncGenerator<unknown, void> {
  if (!response.body) return;
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = block.split('\n').filter((line) => line.startsWith('data:'));
      if (data.length > 0) yield resultIn(data.map((line) => line.slice('data:'.length)).join('\n'), id);
    }
  }
}

/** A stranger's value by its shape. @throws ConcordError `agent-answer` with the path of the first fault */
export function shaped<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw brokenAnswer(`${issue?.path.join('.') || 'it'} ${issue?.message}`);
}
