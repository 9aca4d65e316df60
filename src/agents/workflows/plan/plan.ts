import { z } from 'zod';
import { identifier, optional, text } from '../../../knowledge/patch.ts';
import { retry } from '../../delegation/request.ts';
import { isPointer } from './pointer.ts';

/** What stands before Concord's own skills where agents are named. */
export const ownPrefix = 'concord/';

/** Steps of a workflow, and tasks of all of them: a step is one, a step for each of a list as many as its `max`. */
export const mostTasks = 1_000;
const mostConditions = 20;
/** Items of a step that says no `max`. */
const itemsUsual = 100;
const longestText = 1_000_000;

const stepId = text(200).min(1, 'is empty');
const pointer = z
  .string()
  .max(2_000)
  .refine(isPointer, 'is no JSON Pointer: it is empty, or each of its names begins with /')
  .default('');

const result = { $result: stepId, pointer };

const comparators = ['equals', 'notEquals', 'atLeast', 'atMost', 'exists'] as const;
const value = z.union([z.string(), z.number(), z.boolean(), z.null()], 'is not a text, number, boolean or null');
const bound = z.union([z.number(), z.string()], 'is neither a number nor a text');

const condition = z
  .strictObject({
    ...result,
    equals: value.optional(),
    notEquals: value.optional(),
    atLeast: bound.optional(),
    atMost: bound.optional(),
    exists: z.boolean().optional(),
  })
  .refine((given) => comparators.filter((name) => given[name] !== undefined).length === 1, {
    error: `has none or several of ${comparators.join(', ')}; give one`,
  });

const conditions = z
  .union(
    [condition, z.array(condition).min(1, 'is empty').max(mostConditions, `has more than ${mostConditions}`)],
    'is neither a condition nor a list of them',
  )
  .transform((given) => (Array.isArray(given) ? given : [given]));

const data = z.record(z.string(), z.unknown(), 'is not an object');
const message = z.union(
  [text(longestText).min(1, 'is empty'), z.array(data).min(1, 'is empty').max(100, 'has more than 100'), data],
  'is neither a text, nor a list of parts, nor a reference',
);

const step = z
  .strictObject({
    id: stepId,
    /** A registered agent by its id, or `concord/` and a skill of Concord's own. */
    agent: optional(identifier),
    capability: optional(text(200).min(1, 'is empty')),
    task: optional(text(200).min(1, 'is empty')),
    message: optional(message),
    parameters: optional(data),
    depends: optional(z.array(stepId).max(mostTasks, `has more than ${mostTasks}`)),
    retry: optional(retry),
    /** Milliseconds. */
    timeout: optional(z.int().min(1).max(2_147_483_647)),
    when: optional(conditions),
    forEach: optional(z.strictObject({ ...result, max: z.int().min(1).max(mostTasks).default(itemsUsual) })),
    optional: optional(z.boolean()),
  })
  .refine(({ agent, capability }) => agent !== undefined || capability !== undefined, {
    path: ['agent'],
    error: "and 'capability' are both missing; give one of them",
  });

/** The steps of a workflow, by their form alone. */
export const steps = z.array(step).min(1, 'is empty').max(mostTasks, `has more than ${mostTasks}`);

export type Step = z.output<typeof step>;
export type Condition = z.output<typeof condition>;
