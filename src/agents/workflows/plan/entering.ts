import { allHold } from './conditions.ts';
import type { Course, Entry, StepError } from './course.ts';
import type { Step } from './plan.ts';
import { pointedAt } from './pointer.ts';
import { NothingThere, type Results, referencesIn, resolved, resultsNeeded } from './references.ts';

/** What a step is to be done with: its parameters and message, once for each task of it. */
export interface StepInput {
  parameters?: unknown;
  message?: unknown;
}

/** What is known of the steps before one. */
type Known = Pick<Course, 'standing'>;

/**
 * What becomes of a step whose turn it is.
 * @param optional whether a step may be missing
 * @param results of the steps that it needs and that have one
 */
export function entryOf(step: Step, course: Known, optional: (id: string) => boolean, results: Results): Entry {
  const hasFailed = (id: string) => course.standing(id).phase === 'failed';
  const needed = [...(step.depends ?? []), ...resultsNeeded(step)];
  const lacking = needed.find((id) => hasFailed(id) && !optional(id));
  if (lacking !== undefined) return needs(lacking);
  if (step.when && !allHold(step.when, results)) return { kind: 'skip' };
  const missing = resultsWanted(step).find((id) => !results.has(id));
  if (missing !== undefined) return hasFailed(missing) ? needs(missing) : { kind: 'skip' };
  try {
    const items = itemsOf(step, results);
    for (const item of items ?? [undefined]) inputOf(step, results, item);
    return { kind: 'run', ...(items && { items: items.length }) };
  } catch (error) {
    if (error instanceof NothingThere) return fails('step-nothing', error.message);
    if (error instanceof OddList) return fails('step-items', error.message);
    throw error;
  }
}

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
