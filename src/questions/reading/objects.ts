import type { Condition, EntitySet } from '../query.ts';
import type { ValueMatch } from '../values.ts';
import { guessed, nounPhraseAt } from './nouns.ts';
import { type Found, map, type Reading, then } from './state.ts';

/** One thing or several: all of them are meant, or any. */
export interface Things<Thing> {
  all: boolean;
  of: Thing[];
}

export type EntityValue = Extract<ValueMatch['value'], { kind: 'entity' }>;
export type TextValue = Extract<ValueMatch['value'], { kind: 'text' }>;

/** An entity that a name stands for. */
export function entityAt(reading: Reading, at: number, of?: string): Found<EntityValue>[] {
  const from = reading.past(at);
  return reading
    .valuesAt(from)
    .flatMap(({ value, length, cost }) =>
      value.kind === 'entity' && (of === undefined || value.class === of)
        ? [reading.found(value, from + length, cost, [{ from, length, as: `the ${value.class} ${value.label}` }])]
        : [],
    );
}

/** What entities of a class may have in a field. */
export function textAt(reading: Reading, at: number, of?: string, field?: string): Found<TextValue>[] {
  const from = reading.past(at);
  return reading
    .valuesAt(from)
    .flatMap(({ value, length, cost }) =>
      value.kind === 'text' &&
      (of === undefined || value.class === of) &&
      (field === undefined || value.field === field)
        ? [reading.found(value, from + length, cost, [{ from, length, as: `${value.field} "${value.value}"` }])]
        : [],
    );
}

/** One, or several joined by commas, `and` and `or`. Both in one list is left unread: it has two meanings. */
export function several<Thing>(
  reading: Reading,
  at: number,
  one: (at: number) => Found<Thing>[],
): Found<Things<Thing>>[] {
  const both = reading.eat(at, 'both');
  const any = reading.eat(at, 'either', 'any of');
  const from = both[0]?.at ?? any[0]?.at ?? at;
  const first = one(from);
  const joined = (all: boolean) =>
    then(first, (thing, next) => map(further(reading, next, one, all), (rest) => ({ all, of: [thing, ...rest] })));
  const alone = first.map((each) => ({ ...each, value: { all: true, of: [each.value] } }));
  if (both.length > 0) return joined(true);
  if (any.length > 0) return joined(false);
  return [...alone, ...joined(true), ...joined(false)];
}

/** `, B and C`: at least one more, the last of them after the word that joins. */
function further<Thing>(
  reading: Reading,
  at: number,
  one: (at: number) => Found<Thing>[],
  all: boolean,
): Found<Thing[]>[] {
  const word = all ? 'and' : 'or';
  const last = then(reading.eat(at, `, ${word}`, word), (_, next) => map(one(next), (thing) => [thing]));
  const more = then(reading.eat(at, ','), (_, next) =>
    then(one(next), (thing, after) => map(further(reading, after, one, all), (rest) => [thing, ...rest])),
  );
  return [...last, ...more];
}

/** What a link must lead to: named entities, or such as are described. Several of them are each to be linked. */
export function linkedTo(reading: Reading, at: number, link: string, target: string): Found<Condition>[] {
  const named = map(
    several(reading, at, (from) => entityAt(reading, from, target)),
    ({ all, of }) => linkOf(link, of, all),
  );
  const described = then(nounPhraseAt(reading, at, target), (set, next) => {
    const condition = asCondition(set);
    if (!condition) return [];
    // `a currency other than the euro` may also mean that the euro is none of them.
    const cost = condition.kind === 'not' && condition.of.kind === 'is' ? guessed : 0;
    return [reading.found<Condition>({ kind: 'link', field: link, of: condition }, next, cost)];
  });
  const without = then(named, (condition, next) =>
    then(reading.eat(next, 'but not', 'and not', ', but not', 'except'), (_, after) =>
      map(
        several(reading, after, (from) => entityAt(reading, from, target)),
        ({ of }): Condition => ({ kind: 'and', of: [condition, { kind: 'not', of: linkOf(link, of, false) }] }),
      ),
    ),
  );
  const any = then(reading.eat(at, 'any other', 'another', 'any', 'other', 'a', 'an'), (_, next) =>
    reading
      .classAt(next)
      .filter(({ value }) => value === target)
      .map((each) => ({ ...each, cost: each.cost + 0.5, value: { kind: 'known' as const, field: link } })),
  );
  return [...named, ...described, ...without, ...any];
}

function linkOf(field: string, entities: EntityValue[], all: boolean): Condition {
  if (!all || entities.length === 1) return { kind: 'link', field, of: isOf(entities) };
  return { kind: 'and', of: entities.map((each) => ({ kind: 'link', field, of: isOf([each]) })) };
}

export function isOf(entities: EntityValue[]): Condition {
  return { kind: 'is', ids: entities.map(({ id }) => id), label: entities.map(({ label }) => label).join(' or ') };
}

/** A set as a condition of its entities, where it is no more than that and no mere name. */
function asCondition({ where, from, order }: EntitySet): Condition | undefined {
  return from || order || where?.kind === 'is' ? undefined : where;
}

export function both(one: Condition | undefined, other: Condition): Condition {
  if (!one) return other;
  const parts = (each: Condition) => (each.kind === 'and' ? each.of : [each]);
  return { kind: 'and', of: [...parts(one), ...parts(other)] };
}
