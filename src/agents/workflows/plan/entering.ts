import { allHold } from './conditions.ts';
import type { Course, Entry, StepError } from './course.ts';
import type { Step } from './plan.ts';
import { pointedAt } from './pointer.ts';
import { NothingThere, type Results, referencesIn, referredTo, resolved, resultsNeeded } from './references.ts';
import { resultsTooLong } from './tooLong.ts';

/** What a step is to be done with: its parameters and message, once for each task of it. */
export interface StepInput {
  parameters?: unknown;
  message?: unknown;
}

/** What is known of the steps before one. */
type Known = Pick<Course, 'standing'>;

/** What a step is looked at with whose turn it is. */
export interface EnteringParts {
  course: Known;
  /** Whether a step may be missing. */
  optional(id: string): boolean;
  /** Of the steps that it needs and that have one. */
  results: Results;
  /** Characters of what its references come to, in all of its tasks. */
  longest: number;
}

/**
 * What becomes of a step whose turn it is.
 * @throws ConcordError `workflow-results` where what its tasks would be begun with is too long
 */
export function entryOf(step: Step, { course, optional, results, longest }: EnteringParts): Entry {
  const hasFailed = (id: string) => course.standing(id).phase === 'failed';
  const needed = [...(step.depends ?? []), ...resultsNeeded(step)];
  const lacking = needed.find((id) => hasFailed(id) && !optional(id));
  if (lacking !== undefined) return needs(lacking);
  if (step.when && !allHold(step.when, results)) return { kind: 'skip' };
  const missing = resultsWanted(step).find((id) => !results.has(id));
  if (missing !== undefined) return hasFailed(missing) ? needs(missing) : { kind: 'skip' };
  try {
    const items = itemsOf(step, results);
    requireRoom(step, results, items, longest);
    return { kind: 'run', ...(items && { items: items.length }) };
  } catch (error) {
    if (error instanceof NothingThere) return fails('step-nothing', error.message);
    if (error instanceof OddList) return fails('step-items', error.message);
    throw error;
  }
}

/**
 * A few references to one long result, in a step for each of a long list, would take all memory: each is counted as
 * often as it stands somewhere, and what stands around them once for each task.
 * @throws NothingThere, ConcordError `workflow-results`
 */
function requireRoom({ parameters, message }: Step, results: Results, items: unknown[] | undefined, longest: number) {
  const references = referencesIn([parameters, message]);
  const own = items ? lengthOf([parameters, message]) : 0;
  let length = 0;
  for (const item of items ?? [undefined]) {
    length += own;
    for (const reference of references) {
      if (length > longest) throw resultsTooLong(longest);
      length += lengthOf(referredTo(reference, results, item));
    }
  }
  if (length > longest) throw resultsTooLong(longest);
}

const lengthOf = (value: unknown) => JSON.stringify(value)?.length ?? 0;

/** @throws NothingThere */
export function inputOf({ parameters, message }: Step, results: Results, item: unknown): StepInput {
  return {
    ...(parameters !== undefined && { parameters: resolved(parameters, results, item) }),
    ...(message !== undefined && { message: resolved(message, results, item) }),
  };
}

/** The list that a step is for each of; undefined where it is for none. @throws NothingThere, OddList */
export function itemsOf({ forEach }: Step, results: Results): unknown[] | undefined {
  if (!forEach) return undefined;
  const { $result, pointer, max } = forEach;
  const list = pointedAt(results.get($result), pointer);
  if (list === undefined) throw new NothingThere($result, pointer);
  if (!Array.isArray(list)) throw new OddList(`What ${$result} has at "${pointer}" is no list`);
  if (list.length > max) throw new OddList(`The list has ${list.length} items, and ${max} are allowed by its max`);
  return list;
}

class OddList extends Error {}

/** The steps whose results it cannot do without. */
function resultsWanted({ parameters, message, forEach }: Step): string[] {
  const said = referencesIn([parameters, message]).flatMap((each) =>
    each.kind === 'result' && !each.fallback ? [String(each.step)] : [],
  );
  return [...said, ...(forEach ? [forEach.$result] : [])];
}

const fails = (reason: StepError['reason'], message: string): Entry => ({ kind: 'fail', error: { reason, message } });
const needs = (id: string) => fails('step-needed', `It needs ${id}, which has failed`);
