import type { z } from 'zod';
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
  const issues = parsed.error.issues
    .slice(0, namedFaults)
    .map(({ path, message }) => ({ path: pathText(path), message }));
  const more = parsed.error.issues.length - issues.length;
  const [first] = issues;
  throw refuse('invalid-params', `Invalid params: ${first?.path} ${first?.message}`, {
    issues,
    ...(more > 0 && { furtherIssues: more }),
  });
}

/** `['mutations', 3, 'statement']` → `mutations[3].statement` */
export function pathText(path: PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : text === '' ? String(key) : `${text}.${String(key)}`,
    '',
  );
}
