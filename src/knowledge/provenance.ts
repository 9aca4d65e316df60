import { z } from 'zod';

const longest = 8_192;
const deepest = 50;

/** When something was observed. */
export const timestamp = z.union(
  [z.iso.datetime({ offset: true, local: true }), z.iso.date()],
  'is not an ISO 8601 date or time',
);

/**
 * Where a statement comes from, in the agent's own members; `timestamp`, ISO 8601, says when it was observed. It is
 * kept as JSON text, so it must come back from there as it was.
 */
export const provenance = z.looseObject({}).superRefine((value, context) => {
  const fault = faultOf(value, 0) ?? (JSON.stringify(value).length > longest ? tooLong : undefined);
  if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  else if (value.timestamp != null && !timestamp.safeParse(value.timestamp).success) {
    context.addIssue({ code: 'custom', message: 'is not an ISO 8601 date or time', path: ['timestamp'] });
  }
});

const tooLong = `is longer than ${longest} characters as JSON`;

function faultOf(value: unknown, depth: number): string | undefined {
  // JSON such as 1e400 is read as infinite and would be kept as null.
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'holds a number beyond 1.8e308';
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === deepest) return `is nested deeper than ${deepest} levels`;
  for (const member of Object.values(value)) {
    const fault = faultOf(member, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
