import type { z } from 'zod';
import type { ConcordError } from '../base/errors.ts';
import { refuse } from '../base/reasons.ts';

/** Faults named in one answer; a list of 10,000 faulty patches needn't come back whole. */
const namedFaults = 20;

/**
 * Params as a method takes them.
 * @throws ConcordError -32602 with the path of each fault
 */
export function parseParams<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const parsed = schema.safeParse(params ?? {});
  if (parsed.success) return parsed.data;
  throw invalidParams(parsed.error.issues);
}

/** The error -32602 for one fault or more. */
export function invalidParams(faults: readonly { path: PropertyKey[]; message: string }[]): ConcordError {
  const issues = faults.slice(0, namedFaults).map(({ path, message }) => ({ path: pathText(path), message }));
  const more = faults.length - issues.length;
  const [first] = issues;
  return refuse('invalid-params', `Invalid params: ${first?.path} ${first?.message}`, {
    issues,
    ...(more > 0 && { furtherIssues: more }),
  });
}

/** `['mutations', 3, 'statement']` → `mutations[3].statement` */
export function pathText(path: PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? String(key) : `${text}.${String(key)}`),
    '',
  );
}
