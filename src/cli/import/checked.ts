import type { Patch } from '../../client/index.ts';
import { patch } from '../../knowledge/patch.ts';
import { Faulty, type Located } from './faulty.ts';

/**
 * A patch that the service will understand, or what is wrong with it: one fault would have it refuse the whole batch.
 */
export function checked(line: number, value: unknown): Located<Patch> | Faulty {
  const { success, error } = patch.safeParse(value);
  if (success) return { line, value: value as Patch };
  const [issue] = error.issues;
  return new Faulty(line, `${issue?.path.join('.')} ${issue?.message}`.trim());
}
