import { Part } from '@a2a-js/sdk';
import { z } from 'zod';
import { isObject } from '../../base/isObject.ts';
import { parseParams } from '../../calls/params.ts';
import { identifier, optional, text } from '../../knowledge/patch.ts';

const longestText = 1_000_000;
const metadata = optional(z.record(z.string(), z.unknown(), 'is not an object'));
const kinds = ['text', 'data', 'url', 'raw'] as const;

/** A part of a message, as A2A 1.0 writes it in JSON. */
const part = z
  .strictObject({
    text: optional(text(longestText)),
    data: z.unknown().optional(),
    url: optional(text(2_048)),
    raw: optional(z.string().regex(/^[A-Za-z0-9+/_-]*={0,2}$/, 'is not base64')),
    mediaType: optional(text(1_024)),
    filename: optional(text(1_024)),
    metadata,
  })
  .refine((given) => kinds.filter((kind) => given[kind] !== undefined).length === 1, {
    error: "has none of 'text', 'data', 'url' and 'raw', or several; give one of them",
  });

const message = z.union(
  [text(longestText).min(1, 'is empty'), z.array(part).min(1, 'is empty').max(100, 'has more than 100')],
  'is neither a text nor a list of parts',
);

const said = {
  message: optional(message),
  task: optional(text(200).min(1, 'is empty')),
  parameters: optional(z.record(z.string(), z.unknown(), 'is not an object')),
};

/** One member at least, for who describes it by JSON Schema too. */
const oneOf = (names: string[]) => ({
  anyOf: names.map((name) => ({ required: [name], properties: { [name]: { not: { type: 'null' } } } })),
});
const isSaid = (given: { message?: unknown; task?: unknown }) =>
  given.message !== undefined || given.task !== undefined;
const unsaid = { error: "and 'task' are both missing; give one of them", path: ['message'] };

/** How often, and after which waits, something is tried again. */
export const retry = z.strictObject({
  /** Attempts beyond the first. */
  max: z.int().min(0).max(10),
  backoff: z.enum(['linear', 'exponential']).default('exponential'),
});

/** The input of `delegate`. */
export const delegateParams = z
  .strictObject({
    /** Which agent, by its id. */
    to: optional(identifier),
    /** What the agent must have: the id or name of a skill, or a tag. */
    capability: optional(text(200).min(1, 'is empty')),
    ...said,
    deadline: optional(z.iso.datetime({ offset: true, error: 'is no point in time by ISO 8601' })),
    priority: optional(z.enum(['low', 'medium', 'high', 'critical'])),
    retry: optional(retry),
    /** What is done at once with what the agent states in its answer. */
    // biome-ignore lint/suspicious/noThenProperty: what callers know it by; it is no function
    then: optional(z.enum(['propose'])),
  })
  .meta({ allOf: [oneOf(['to', 'capability']), oneOf(['message', 'task'])] })
  .refine(({ to, capability }) => to !== undefined || capability !== undefined, {
    path: ['to'],
    error: "and 'capability' are both missing; give one of them",
  })
  .refine(isSaid, unsaid);

export type DelegateRequest = z.output<typeof delegateParams>;

/** What a further message to a task that waits says to the agent, where it is written as the input of `delegate`. */
const answerParams = z.looseObject(said).refine(isSaid, unsaid);

/** What a message is made of: a skill with its parameters, and what is said besides. */
export function partsOf({ message: given, task, parameters }: z.output<typeof answerParams>): Part[] {
  const asked = task === undefined ? [] : [Part.fromJSON({ data: { ...parameters, skill: task } })];
  const said = typeof given === 'string' ? [{ text: given }] : (given ?? []);
  return [...asked, ...said.map((each) => Part.fromJSON(each))];
}

/** A further message as it is, unless it is written as the input of `delegate`. */
export function answerParts(parts: Part[]): Part[] {
  for (const { content } of parts) {
    if (content?.$case !== 'data' || !isObject(content.value) || content.value.skill !== 'delegate') continue;
    return partsOf(parseParams(answerParams, content.value));
  }
  return parts;
}
