import { z } from 'zod';
import { ConcordError, StartupError } from '../base/errors.ts';
import { refuse } from '../base/reasons.ts';
import { withDeadline } from '../base/withDeadline.ts';
import type { Config } from '../config/config.ts';

export interface ModelMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** Says what comes next in a conversation. @throws ConcordError -32010 `model-unavailable` */
export type Model = (messages: ModelMessage[], signal: AbortSignal) => Promise<string>;

interface ModelOptions {
  /** The base URL of an endpoint that is compatible with OpenAI's, such as `https://model.example.org/v1`. */
  url: string;
  name: string;
  key: string | undefined;
}

/** Bytes of an answer, and milliseconds that the endpoint takes for it. */
const longestAnswer = 200_000;
const mostMs = 60_000;

const answer = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
});

/** A model behind `POST <url>/chat/completions`. */
function chatModel({ url, name, key }: ModelOptions): Model {
  const address = `${url.replace(/\/+$/, '')}/chat/completions`;
  const headers = {
    'content-type': 'application/json',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  return async (messages, signal) => {
    const body = JSON.stringify({ model: name, messages });
    // A redirect would carry the key elsewhere.
    const request: RequestInit = { method: 'POST', headers, body, redirect: 'error' };
    try {
      return await withDeadline(mostMs, signal, async (within) => {
        const response = await fetch(address, { ...request, signal: within });
        if (!response.ok) throw unavailable(`answers with status ${response.status}`);
        const parsed = answer.safeParse(await jsonOf(response));
        if (!parsed.success) throw unavailable('answers what is no chat completion');
        return parsed.data.choices[0]?.message.content ?? '';
      });
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof ConcordError ? error : unavailable('cannot be reached', error);
    }
  };
}

/** What is no JSON, or too long, is undefined: the endpoint is a stranger, and its answer is read as it comes. */
async function jsonOf({ body }: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > longestAnswer) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}

/**
 * The model of the settings, if there is one.
 * @throws StartupError where one of the two that it needs is missing
 */
export function configuredModel({ MODEL_URL: url, MODEL_NAME: name, MODEL_KEY: key }: Config): Model | undefined {
  if (url === undefined && name === undefined && key === undefined) return undefined;
  if (url === undefined || name === undefined)
    throw new StartupError('A language model needs both MODEL_URL and MODEL_NAME');
  return chatModel({ url, name, key });
}

/** What the endpoint itself says isn't told: it may name accounts or keys. */
function unavailable(what: string, cause?: unknown): ConcordError {
  return refuse(
    'model-unavailable',
    `The language model ${what}; try again later, or ask by the skill query`,
    {},
    { cause },
  );
}
