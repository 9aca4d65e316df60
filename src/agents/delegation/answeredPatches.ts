import { Part } from '@a2a-js/sdk';
import canonicalize from 'canonicalize';
import { base64url } from 'jose';
import { z } from 'zod';
import { isObject } from '../../base/isObject.ts';
import { type KeySet, signedByOneOf } from '../cards/signature.ts';
import { brokenAnswer } from './protocols/failures.ts';

/** Of one answer: each is an update of its own. */
const most = 20;
const longestSignature = 4_096;

const signature = z.object({
  protected: z.string().max(longestSignature),
  signature: z.string().max(longestSignature),
});

/** A data part that states something: with the members `mutations` and `justification` of `propose`. */
const shape = z.looseObject({
  mutations: z.array(z.unknown()),
  justification: z.string().optional(),
  signature: signature.optional(),
});

/** What an agent states in one data part of its answer, of which nothing is known but its form. */
export type AnsweredPatches = z.output<typeof shape>;

/**
 * The data parts of an answer that have `mutations`, in their order.
 * @param parts as A2A 1.0 writes them in JSON
 * @throws ConcordError `agent-answer` for one that has another form, and for too many
 */
export function patchesIn(parts: readonly unknown[]): AnsweredPatches[] {
  const stated = parts.flatMap((part) => {
    const { content } = Part.fromJSON(part);
    return content?.$case === 'data' && isObject(content.value) && 'mutations' in content.value ? [content.value] : [];
  });
  if (stated.length > most) throw brokenAnswer(`it has more than ${most} parts with patches`);
  return stated.map((each) => {
    const parsed = shape.safeParse(each);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw brokenAnswer(`a part with patches is not as it should be: ${issue?.path.join('.')} ${issue?.message}`);
  });
}

/**
 * Whether the agent has signed what it states: by a detached JWS over the JSON (RFC 8785) of the id of the message that
 * it answers, the mutations and the justification. With the id nobody can pass on what it has signed for another.
 * @param keys that the agent has registered itself with; absent where there are none, and nothing is signed
 * @throws ConcordError `agent-answer` for a signature of another key
 */
export async function isSigned(
  { mutations, justification, signature }: AnsweredPatches,
  messageId: string,
  keys: KeySet | undefined,
): Promise<boolean> {
  if (signature === undefined || keys === undefined) return false;
  const said = { messageId, mutations, ...(justification !== undefined && { justification }) };
  const payload = base64url.encode(canonicalize(said) ?? '');
  const isTrue = await signedByOneOf({ payload, ...signature }, keys).catch(() => false);
  if (isTrue) return true;
  throw brokenAnswer('what it states is signed by none of the keys that the agent is registered with');
}
