import { invalidParams } from '../../calls/params.ts';
import { isLiteral } from '../../graph/statements/statement.ts';
import type { Patch } from '../patch.ts';

/**
 * What is removed may be of any length.
 * @param patches as they were said; those of entities, which their place would not tell, are told by what they are of
 * @param longest text of a literal, in characters as JavaScript counts them
 * @throws ConcordError -32602 where a text is too long to be kept
 */
export function requireTexts(
  { mutations, entities }: { mutations: readonly Patch[]; entities: readonly Patch[] },
  longest: number,
): void {
  const message = `is longer than ${longest} characters`;
  const isTooLong = ({ op, statement: { object } }: Patch) =>
    op !== 'remove' && isLiteral(object) && typeof object.value === 'string' && object.value.length > longest;
  const faults = mutations.flatMap((patch, index) =>
    isTooLong(patch) ? [{ path: ['mutations', index, 'statement', 'object', 'value'], message }] : [],
  );
  const ofEntities = entities.filter(isTooLong).map(({ statement: { subject, predicate } }) => {
    return { path: ['entities'], message: `${predicate.id} of ${subject.id} ${message}` };
  });
  if (faults.length + ofEntities.length > 0) throw invalidParams([...faults, ...ofEntities]);
}
