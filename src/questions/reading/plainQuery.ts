import type { Lexicon } from '../lexicon.ts';
import type { Condition, EntitySet, Query } from '../query.ts';
import { labelOf } from './labels.ts';

/**
 * The same query in one form, where it can be said in several: the orders of some customers are those whose customer is
 * one of them. For telling whether two ways to read a question differ.
 */
export function plainQuery(query: Query, parts: { lexicon: Lexicon }): Query {
  const set = plainSet(query.set, parts.lexicon);
  if (query.kind !== 'list') return { ...query, set };
  // What a row is called is shown in any case.
  const called = labelOf(parts.lexicon.classOf(set.class));
  return { ...query, set, show: query.show.filter((each) => each !== called) };
}

function plainSet({ where, from, ...set }: EntitySet, lexicon: Lexicon): EntitySet {
  const own = where ? [where] : [];
  if (!from) return { ...set, ...whereOf(own) };
  const before = plainSet(from.set, lexicon);
  const back = wayBack(lexicon, before.class, from.link);
  if (before.from || before.order || back === undefined)
    return { ...set, from: { ...from, set: before }, ...whereOf(own) };
  const reached: Condition = before.where
    ? { kind: 'link', field: back, of: before.where }
    : { kind: 'known', field: back };
  return { ...set, ...whereOf([...own, reached]) };
}

/** What a link is called from its other end. */
function wayBack(lexicon: Lexicon, of: string, link: string): string | undefined {
  const field = lexicon.classOf(of).fields.find(({ name }) => name === link);
  if (field?.kind === 'inverse') return field.of;
  if (field?.kind !== 'link') return undefined;
  return lexicon
    .classOf(field.target)
    .fields.find((each) => each.kind === 'inverse' && each.of === link && each.target === of)?.name;
}

function whereOf(conditions: Condition[]): { where?: Condition } {
  const flat = conditions.flatMap(partsOf).map(plainCondition);
  const [only] = flat;
  if (!only) return {};
  return { where: flat.length === 1 ? only : { kind: 'and', of: flat.toSorted(byText) } };
}

const byText = (one: Condition, other: Condition) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);

const partsOf = (condition: Condition): Condition[] =>
  condition.kind === 'and' ? condition.of.flatMap(partsOf) : [condition];

function plainCondition(condition: Condition): Condition {
  if (condition.kind === 'is') return { ...condition, label: '' };
  if (condition.kind === 'link') return { ...condition, of: whereOf([condition.of]).where ?? condition.of };
  if (condition.kind === 'not') return { ...condition, of: plainCondition(condition.of) };
  return condition;
}
