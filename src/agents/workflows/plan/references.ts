import { isObject } from '../../../base/isObject.ts';
import type { Step } from './plan.ts';
import { pointedAt } from './pointer.ts';

/**
 * What stands in the parameters or the message of a step for something that is known only later:
 * `{"$result": "step", "pointer": "/0/name", "default": …}`, `{"$item": "/name"}` or `{"$parameter": "name"}`.
 */
export type Reference =
  | { kind: 'result'; step: unknown; pointer: unknown; fallback?: { value: unknown } }
  | { kind: 'item'; pointer: unknown }
  | { kind: 'parameter'; name: unknown };

/** Levels of what a step says, its references, and characters of what these point by. */
export const deepest = 32;
export const mostReferences = 1_000;
export const longestPointer = 2_000;

/** An object that is a reference, whatever it refers to. */
export function referenceIn(value: unknown): Reference | undefined {
  if (!isObject(value)) return undefined;
  const { pointer = '' } = value;
  if (Object.hasOwn(value, '$result')) {
    const fallback = Object.hasOwn(value, 'default') ? { fallback: { value: value.default } } : {};
    return { kind: 'result', step: value.$result, pointer, ...fallback };
  }
  if (Object.hasOwn(value, '$item')) return { kind: 'item', pointer: value.$item };
  if (Object.hasOwn(value, '$parameter')) return { kind: 'parameter', name: value.$parameter };
  return undefined;
}

/** All references in a value, which are not looked for within one another. */
export function referencesIn(value: unknown): Reference[] {
  const found = referenceIn(value);
  if (found) return [found];
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  return isObject(value) ? Object.values(value).flatMap(referencesIn) : [];
}

/** Whether a value has no more levels than this. */
export function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((each) => isWithin(each, levels - 1));
}

/** The same value with something else in the place of each reference. */
export function replaced(value: unknown, by: (reference: Reference) => unknown): unknown {
  const found = referenceIn(value);
  if (found) return by(found);
  if (Array.isArray(value)) return value.map((each) => replaced(each, by));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaced(each, by)]));
}

/** The steps whose results a step needs, each once: it has none of what it does before they have. */
export function resultsNeeded({ parameters, message, when = [], forEach }: Step): string[] {
  const said = referencesIn([parameters, message]);
  const named = said.flatMap((each) => (each.kind === 'result' && typeof each.step === 'string' ? [each.step] : []));
  const asked = [...when, ...(forEach ? [forEach] : [])].map(({ $result }) => $result);
  return [...new Set([...named, ...asked])];
}

/** All steps that come before a step. */
export function stepsBefore(step: Step): string[] {
  return [...new Set([...(step.depends ?? []), ...resultsNeeded(step)])];
}

/** A reference leads to nothing. */
export class NothingThere extends Error {
  constructor(
    readonly step: string,
    readonly pointer: string,
  ) {
    super(`The result of ${step} has nothing at "${pointer}"`);
  }
}

/** Results by step; a step that has none is not in it. */
export type Results = ReadonlyMap<string, unknown>;

/**
 * A value with what its references refer to.
 * @param item of the list that the step is for each of
 * @throws NothingThere
 */
export function resolved(value: unknown, results: Results, item?: unknown): unknown {
  return replaced(value, (reference) => referredTo(reference, results, item));
}

/** What a reference refers to. @throws NothingThere */
export function referredTo(reference: Reference, results: Results, item: unknown): unknown {
  if (reference.kind === 'parameter') return undefined;
  const [step, from, pointer] =
    reference.kind === 'item'
      ? ['the list', item, String(reference.pointer)]
      : [String(reference.step), results.get(String(reference.step)), String(reference.pointer)];
  const found = from === undefined ? undefined : pointedAt(from, pointer);
  if (found !== undefined) return found;
  if (reference.kind === 'result' && reference.fallback) return reference.fallback.value;
  throw new NothingThere(step, pointer);
}
