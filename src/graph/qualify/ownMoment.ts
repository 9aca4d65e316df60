import { prefix } from './conditions.ts';
import { after, type Tree } from './tree.ts';

/**
 * Whether a relationship pattern is read as of a point in time of its own, whatever the query is read as of. `vocabulary/typedefs.ts` writes it so:
 *
 *     -[s WHERE $asOf IS NULL OR s.__concordAsOf = $asOf]->
 *
 * which asks nothing where there is no such point, for `@neo4j/graphql` writes an absent argument as `NULL`.
 * @returns the point in time as text, nothing where there is none; undefined where the pattern isn't of this form
 */
export function ownMoment(of: Tree): { moment?: string } | undefined {
  if (of.rule !== 'relationshipPattern') return undefined;
  const where = after(of, 'WHERE');
  const [, said] = (where && form.exec(where.source)) ?? [];
  if (said === undefined) return undefined;
  // The library hands the argument on as it was written: as text.
  return said === 'NULL' ? {} : { moment: `datetime(${said})` };
}

const form = new RegExp(`^(NULL|\\$\\w+) IS NULL OR \\w+\\.${prefix}AsOf = \\1$`);
