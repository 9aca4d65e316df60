import type { Condition, EntitySet } from '../query.ts';
import { ownCost } from './belonging.ts';
import { agentAt, exceptAt, linksOf } from './conditions.ts';
import { isOfSeveral } from './measures.ts';
import { both, entityAt, isOf, several, textAt } from './objects.ts';
import { byAt, firstAt, type Ranking, rankingAt, waysOf } from './order.ts';
import { type Found, fewest, map, noted, type Reading, then } from './state.ts';
import { booleanAt, modifierAt, verbPhraseAt } from './verbs.ts';

/** How many are shown of what is put in order by a plural without a number. */
const firstOfMany = 10;
/** What is only a guess: it is asked about. */
export const guessed = 3;
const mostModifiers = 4;

/** Entities, by name, by class, or by the road to them: `the currencies of the neighbours of Switzerland`. */
export function nounPhraseAt(reading: Reading, at: number, of?: string): Found<EntitySet>[] {
  const found = reading.once(`noun ${at}`, () => {
    const from = reading.past(at);
    return fewest(
      then([...namedAt(reading, from), ...classNounAt(reading, from), ...roadAt(reading, from)], (set, next) =>
        possessedAt(reading, next, set),
      ),
    );
  });
  return of === undefined ? found : found.filter(({ value }) => value.class === of);
}

/** `Switzerland`, `France and Germany`. */
function namedAt(reading: Reading, at: number): Found<EntitySet>[] {
  return several(reading, at, (from) => entityAt(reading, from)).flatMap((each) => {
    const [first, ...others] = each.value.of;
    if (!first || others.some((other) => other.class !== first.class)) return [];
    return [{ ...each, value: { class: first.class, where: isOf(each.value.of) } }];
  });
}

/** A class with what stands before and after it: `the five largest landlocked countries in Africa`. */
function classNounAt(reading: Reading, at: number): Found<EntitySet>[] {
  const classes = reading.lexicon.vocabulary.classes.map(({ name }) => name);
  return classes.flatMap((of) => {
    const ranked = rankingAt(reading, at, of);
    const plain = then(beforeClass(reading, at, of), (where, next) => classAfter(reading, next, of, where));
    const inOrder = then(ranked, (ranking, next) =>
      then(beforeClass(reading, next, of), (where, noun) =>
        then(classAfter(reading, noun, of, where), (set, end) => ordered(reading, end, set, ranking, noun)),
      ),
    );
    return [...plain, ...inOrder];
  });
}

function classAfter(reading: Reading, at: number, of: string, where: Condition | undefined): Found<EntitySet>[] {
  const nouns = reading.classAt(at).filter(({ value }) => value === of);
  const set: EntitySet = { class: of, ...(where && { where }) };
  return then(nouns, (_, next) => {
    const apposed = entityAt(reading, reading.eat(next, 'of')[0]?.at ?? next, of).map((each) => ({
      ...each,
      value: { class: of, where: both(where, isOf([each.value])) },
    }));
    return [...modified(reading, next, set), ...apposed];
  });
}

/** What stands before the noun: `landlocked`, `European`, `German-speaking`, `French` of a language. */
function beforeClass(reading: Reading, at: number, of: string): Found<Condition | undefined>[] {
  const from = reading.past(at, 'other', 'different');
  const none = reading.found<Condition | undefined>(undefined, from);
  const [not] = reading.eat(from, 'not');
  const start = not?.at ?? from;
  const one: Found<Condition>[] = [
    ...booleanAt(reading, start, of),
    ...textAt(reading, start, of).map((each) => ({
      ...each,
      value: { kind: 'compare' as const, field: each.value.field, op: 'eq' as const, value: each.value.value },
    })),
    ...entityAt(reading, start, of).map((each) => ({ ...each, value: isOf([each.value]) })),
    ...linkBefore(reading, start, of),
  ];
  const said = not ? one.map((each) => ({ ...each, value: negated(each.value) })) : one;
  const more = then(said, (condition, next) => {
    const [and] = reading.eat(next, 'and', ',');
    return map(beforeClass(reading, and?.at ?? next, of), (rest) => (rest ? both(condition, rest) : condition));
  });
  return [none, ...more];
}

const negated = (condition: Condition): Condition =>
  condition.kind === 'compare' && typeof condition.value === 'boolean'
    ? { ...condition, value: !condition.value }
    : { kind: 'not', of: condition };

/** `German-speaking`; `euro` of a country is a guess, for no word says what the one has to do with the other. */
/** `Rock tracks`: rows of tables belong to what is named before them, else nothing says so. */
const byItselfCost = ({ lexicon }: Reading) => (lexicon.ofTables ? ownCost : guessed);

function linkBefore(reading: Reading, at: number, of: string): Found<Condition>[] {
  return linksOf(reading, of).flatMap(({ name, target }) =>
    then(entityAt(reading, at, target), (entity, next) => {
      const condition: Condition = { kind: 'link', field: name, of: isOf([entity]) };
      const verbs = reading.fieldAt(next, of).filter(({ value }) => value.field.name === name);
      return [
        ...verbs.map((each) => ({ ...each, value: condition })),
        ...noted([reading.found(condition, next)], at, `the field ${of}.${name}`, byItselfCost(reading)),
      ];
    }),
  );
}

/** With what stands after it, in any order. */
function modified(reading: Reading, at: number, set: EntitySet, left = mostModifiers): Found<EntitySet>[] {
  const plain = [reading.found(set, at)];
  if (left === 0) return plain;
  const [comma] = reading.eat(at, ',');
  const [and] = reading.eat(comma?.at ?? at, 'and', 'but');
  const from = and && set.where ? and.at : (comma?.at ?? at);
  const that = reading.eat(from, 'that', 'which', 'who');
  const conditions = [
    ...modifierAt(reading, from, set.class),
    ...exceptAt(reading, from, set.class),
    ...then(that, (_, next) => verbPhraseAt(reading, next, set.class)),
  ];
  const further = then(conditions, (condition, next) =>
    modified(reading, next, { ...set, where: both(set.where, condition) }, left - 1),
  );
  const first = set.order
    ? []
    : then(reading.eat(at, 'with', 'having', 'that has', 'that have'), (_, next) =>
        then(firstAt(reading, next, set.class), ({ by, descending }, end) =>
          modified(reading, end, { ...set, order: { by, descending, limit: undefined, offset: 0 } }, left - 1),
        ),
      );
  const passive = set.from
    ? []
    : passiveAt(reading, that[0] ? (reading.eat(that[0].at, 'are', 'is')[0]?.at ?? at) : at, set);
  return [...plain, ...further, ...sized(reading, first, at), ...passive];
}

/** `used by France`: the set is reached by the link of the other; so it is by `spoken in the neighbours of France`. */
export function passiveAt(reading: Reading, at: number, set: EntitySet): Found<EntitySet>[] {
  const inverse = then(reading.fieldAt(at, set.class), ({ field }, next) =>
    field.kind !== 'inverse'
      ? []
      : then(nounPhraseAt(reading, next, field.target), (from, end) =>
          from.from || from.order
            ? [reading.found<EntitySet>({ ...set, from: { set: from, link: field.of } }, end)]
            : [],
        ),
  );
  const by = then(reading.fieldAt(at), ({ class: of, field }, next) => {
    if (field.kind === 'literal' || field.target !== set.class) return [];
    return then(agentAt(reading, next), (from, end) =>
      from.class === of ? [reading.found<EntitySet>({ ...set, from: { set: from, link: field.name } }, end)] : [],
    );
  });
  return [...inverse, ...by];
}

/** One by the singular, else some. */
function sized(reading: Reading, found: Found<EntitySet>[], noun: number): Found<EntitySet>[] {
  return found.map((each) => {
    const { order } = each.value;
    if (order?.limit !== undefined || !order) return each;
    return {
      ...each,
      value: { ...each.value, order: { ...order, limit: isPlural(reading, noun - 1) ? firstOfMany : 1 } },
    };
  });
}

export function isPlural(reading: Reading, at: number): boolean {
  const token = reading.tokens[at];
  return token?.word.endsWith('s') === true && token.word !== token.root;
}

function ordered(reading: Reading, at: number, set: EntitySet, ranking: Ranking, noun: number): Found<EntitySet>[] {
  const said = byAt(reading, at, set.class);
  const limit = ranking.limit ?? (isPlural(reading, noun) ? firstOfMany : 1);
  const order = (by: (typeof said)[number]['value']): EntitySet => ({
    ...set,
    order: { by, descending: ranking.descending, limit, offset: ranking.offset },
  });
  const named = then(said, (by, end) => modified(reading, end, order(by), 1));
  const implied = waysOf(reading, set.class, ranking, undefined).map((by) => reading.found(order(by), at));
  return [...named, ...implied];
}

/** `neighbours of Switzerland`, `Swiss currency`, `capital Japan`. */
function roadAt(reading: Reading, at: number): Found<EntitySet>[] {
  const from = reading.past(at, 'official', 'different', 'common');
  const links = then(reading.fieldAt(from), ({ class: of, field }, next) => {
    if (field.kind === 'literal') return [];
    const step = (set: EntitySet): EntitySet => ({ class: field.target, from: { set, link: field.name } });
    const [word] = reading.eat(next, 'of', 'for', 'in', 'from');
    const start = word?.at ?? (reading.tokens[next] ? next : undefined);
    if (start === undefined) return [];
    return then(nounPhraseAt(reading, start, of), (set, end) => {
      if (!word && set.where?.kind !== 'is') return [];
      const reached = modified(reading, end, step(set));
      // `neighbours of France and Germany` may mean those of each, or of both.
      return isOfSeveral(set, field.name) ? noted(reached, from, 'those of each', guessed) : reached;
    });
  });
  const adjective = then(textAt(reading, from), (text, next) =>
    then(reading.fieldAt(next, text.class), ({ field }, end) =>
      field.kind === 'literal'
        ? []
        : modified(reading, end, { class: field.target, from: { set: setOf(text), link: field.name } }),
    ),
  );
  return [...links, ...adjective];
}

export function setOf({ class: of, field, value }: { class: string; field: string; value: string }): EntitySet {
  return { class: of, where: { kind: 'compare', field, op: 'eq', value } };
}

/** `Switzerland's neighbours' currencies`. */
function possessedAt(reading: Reading, at: number, set: EntitySet): Found<EntitySet>[] {
  const [owned] = reading.eat(at, "'s");
  const start = owned?.at ?? (set.where?.kind === 'is' && !set.from ? at : undefined);
  const further =
    start === undefined
      ? []
      : then(reading.fieldAt(reading.past(start, 'official'), set.class), ({ field }, next) => {
          if (field.kind === 'literal') return [];
          return then(
            modified(reading, next, { class: field.target, from: { set, link: field.name } }),
            (reached, end) => possessedAt(reading, end, reached),
          );
        });
  return [reading.found(set, at), ...further];
}
