import type { Random } from '../../graph/qualify/random.ts';
import { country, subjects } from './filters.ts';
import { type Log, lineOf, populationAt } from './log.ts';

/** A condition on countries, and what it means, said once more without anything of the feed. */
export interface ClassFilter {
  where: Record<string, unknown>;
  test(id: string, population: number | undefined): boolean;
}

/** A condition of a subscriber's own. Nobody edits by hand what it reads, which is shown before it is a statement. */
export function classFilterOf(random: Random): ClassFilter {
  const ids = random.some(subjects, 0.6);
  const bound = 1 + random.below(3);
  return random.pick<ClassFilter>([
    { where: { id: { in: ids } }, test: (id) => ids.includes(id) },
    { where: { population: { gt: bound } }, test: (_, population) => population !== undefined && population > bound },
    { where: { population: { lte: bound } }, test: (_, population) => population !== undefined && population <= bound },
    {
      where: { AND: [{ id: { in: ids } }, { population: { eq: bound } }] },
      test: (id, population) => ids.includes(id) && population === bound,
    },
  ]);
}

/**
 * What a subscriber with this condition is to be told after a sequence number: each change of a country that meets it
 * then, with the country; without it, of one that has met it until then (docs/subscribe.md).
 */
export function expectedEntities(log: Log, { test }: ClassFilter, after: number): string[] {
  return log.changes.flatMap((change) => {
    const { sequence, revision, statement } = change;
    const { id } = statement.subject;
    if (sequence <= after || log.classes.get(id) !== country) return [];
    const population = populationAt(log, id, revision);
    const meets = test(id, population);
    if (!meets && !test(id, populationAt(log, id, revision - 1))) return [];
    const entity = meets ? { id, population: population ?? null } : null;
    return [lineOf(change, [id, statement.predicate.id, statement.object], entity)];
  });
}
