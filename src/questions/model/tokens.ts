import { z } from 'zod';

/** Tokens of one call: what was sent, and what was said. */
export interface Tokens {
  input: number;
  output: number;
}

const count = z.int().min(0);
const claims = z.object({ prompt_tokens: count, completion_tokens: count });

/** What a text comes to by rule of thumb. */
const bytesPerToken = 4;
/** What roles, names and a schema of an answer add to what is sent. */
const framing = 2_000;
/** More than a model thinks and says within an answer that is read. */
const mostOutput = 200_000;

/** @param bytes of a text in UTF-8 */
export function estimated(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

/**
 * The tokens of a call as its endpoint claims them in `usage`, as far as that can be: a token has a byte at least. Where
 * it claims none, or what is no count, they are estimated.
 */
export function tokensOf(usage: unknown, { sent, said }: { sent: number; said: number }): Tokens {
  const claimed = claims.safeParse(usage);
  if (!claimed.success) return { input: estimated(sent), output: estimated(said) };
  const { prompt_tokens: input, completion_tokens: output } = claimed.data;
  return { input: Math.min(input, sent + framing), output: Math.min(output, mostOutput) };
}
