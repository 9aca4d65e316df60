import type { Message, SendMessageRequest, Task } from '@a2a-js/sdk';
import { Role } from '@a2a-js/sdk';
import type { RequestContext } from '@a2a-js/sdk/server';
import { isObject } from '../base/isObject.ts';

/** Which skill a message asks for, with its input. */
export interface Assignment {
  name: string;
  input: Record<string, unknown>;
}

/** Which skill a request asks for; undefined where it asks for none. */
export function assignmentOf({ userMessage, request, task }: RequestContext): Assignment | undefined {
  const named = askedIn(userMessage, request.metadata?.skill);
  if (named) return named;
  // To a task that waits for something else, such as a review, a text is no question.
  const begun = task && beginOf(task);
  return begun === undefined || begun.name === 'ask' ? questionIn(userMessage) : undefined;
}

/** Which skill a message names; undefined where it names none. */
export function skillNamed({ message, metadata }: SendMessageRequest): string | undefined {
  return message && askedIn(message, metadata?.skill)?.name;
}

/** Which skill a task was begun with, as far as its first message says. */
export function beginOf({ history }: Task): Assignment | undefined {
  const first = history.find(({ role }) => role === Role.ROLE_USER);
  return first && askedIn(first);
}

/** The first data part with a `skill`, else the message's metadata with the first data part for an input. */
function askedIn({ parts, metadata }: Message, further?: unknown): Assignment | undefined {
  const data = parts.flatMap(({ content }) =>
    content?.$case === 'data' && isObject(content.value) ? [content.value] : [],
  );
  const own = data.find((each) => typeof each.skill === 'string');
  if (own) {
    const { skill, ...input } = own;
    return { name: skill as string, input };
  }
  const named: unknown = metadata?.skill ?? further;
  return typeof named === 'string' ? { name: named, input: data[0] ?? {} } : undefined;
}

/** A message of plain text asks, where there is somebody to ask. */
function questionIn({ parts }: Message): Assignment | undefined {
  const question = parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('\n');
  return question.trim() === '' ? undefined : { name: 'ask', input: { question } };
}
