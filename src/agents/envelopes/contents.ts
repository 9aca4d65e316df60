import { z } from 'zod';
import { identifier, optional, text } from '../../knowledge/patch.ts';
import { address, instant } from './envelope.ts';

/*
 * What messages of ONE say, by their type. An absent member may be written as null, and what isn't named here is passed
 * over.
 */

const object = z.record(z.string(), z.unknown(), 'is not an object');
const parameters = optional(object);
const skill = text(200).min(1, 'is empty');
const taskId = text(512).min(1, 'is empty');
const most = 1_000;

/** Where what comes of it is sent, and until when it is of use. */
const told = { callback: optional(address), deadline: optional(instant) };

export const taskDelegation = z.looseObject({ task: skill, parameters, ...told });

/** A step is done after those of the agents, or of the ids, that it depends on. */
const step = z.looseObject({
  id: optional(text(200).min(1, 'is empty')),
  agent: identifier,
  task: optional(skill),
  depends: optional(z.array(text(200)).max(most, `has more than ${most}`)),
});

export const coordination = z.looseObject({
  coordinator: optional(identifier),
  participants: optional(z.array(identifier).max(most, `has more than ${most}`)),
  workflow: z.looseObject({ steps: z.array(step).min(1, 'is empty').max(most, `has more than ${most}`) }),
  ...told,
});

const longestText = 1_000_000;

/** How a task stands; a question for a skill, or for the skill `query`; or one in words. */
const asked = z
  .looseObject({
    taskId: optional(taskId),
    task: optional(skill),
    parameters,
    query: optional(text(longestText)),
    question: optional(text(longestText).min(1, 'is empty')),
  })
  .refine((given) => [given.taskId, given.task, given.query, given.question].some((each) => each !== undefined), {
    path: ['question'],
    error: "and 'taskId', 'task' and 'query' are all missing; give one of them",
  });

export const query = z.union(
  [
    text(longestText)
      .min(1, 'is empty')
      .transform((question) => ({ question })),
    asked,
  ],
  {
    error: "is neither a text nor an object with 'question', 'query', 'task' or 'taskId'",
  },
);

/** What a task is answered that needed to know more: in words, in data, or both. */
export const response = z
  .looseObject({ taskId, answer: z.unknown().optional(), data: optional(object) })
  .refine(({ answer, data }) => answer != null || data !== undefined, {
    path: ['answer'],
    error: "and 'data' are both missing; give one of them",
  });
