import type { Field } from '../../vocabulary/vocabulary.ts';
import type { EntitySet, GroupMeasure, Measure, Query } from '../query.ts';
import { numericFields } from './adjectives.ts';
import { doneAt } from './belonging.ts';
import { literals } from './conditions.ts';
import { placeAfter, sharedAt } from './inverted.ts';
import { guessed, nounPhraseAt } from './nouns.ts';
import { type Found, map, noted, type Reading, then } from './state.ts';
import { verbPhraseAt } from './verbs.ts';

const words: [Measure, string[]][] = [
  ['average', ['average', 'mean']],
  ['sum', ['total', 'sum of the', 'sum of', 'combined', 'overall', 'summed']],
  ['max', ['maximum', 'largest', 'highest', 'greatest', 'biggest', 'max']],
  ['min', ['minimum', 'smallest', 'lowest', 'min', 'least']],
];

function measureAt(reading: Reading, at: number): Found<Measure>[] {
  return words.flatMap(([measure, said]) =>
    noted(
      map(reading.eat(at, ...said.map((word) => `${word} of the`), ...said), () => measure),
      at,
      measure,
    ),
  );
}

/** A number of a class. */
function numberFieldAt(reading: Reading, at: number, of?: string): Found<{ class: string; field: string }>[] {
  return then(reading.fieldAt(at, of), ({ class: owner, field }, next) =>
    numericFields(reading, owner).some(({ name }) => name === field.name)
      ? [reading.found({ class: owner, field: field.name }, next)]
      : [],
  );
}

/** `average population of the countries in Europe`, `total area by region`. */
export function measuredAt(reading: Reading, at: number): Found<Query>[] {
  return then(measureAt(reading, reading.past(at)), (measure, next) =>
    then(numberFieldAt(reading, reading.past(next)), ({ class: of, field }, after) => {
      const grouped = then(keyAt(reading, after, of), (key, end) =>
        map(setAfter(reading, end, of), (set): Query => groups(set, key, { kind: 'measure', field, measure })),
      );
      const plain = then(setAfter(reading, after, of), (set, end) => [
        reading.found<Query>({ kind: 'measure', set, field, measure }, end),
        ...map(keyAt(reading, end, of), (key): Query => groups(set, key, { kind: 'measure', field, measure })),
      ]);
      return [...grouped, ...plain.filter(({ value, at: end }) => value.kind === 'groups' || end > after)];
    }),
  );
}

/** Of which entities: those that are named, else all of the class. */
function setAfter(reading: Reading, at: number, of: string): Found<EntitySet>[] {
  const named = then(reading.eat(at, 'of', 'in', 'for', 'among', 'across'), (_, next) =>
    nounPhraseAt(reading, next, of),
  );
  return [reading.found<EntitySet>({ class: of }, at), ...named];
}

/** `per region`, `for each region`, `by region`. */
export function keyAt(reading: Reading, at: number, of: string): Found<string>[] {
  const intro = reading.eat(
    at,
    'for each',
    'for every',
    'in each',
    'in every',
    'of each',
    'of every',
    'per',
    'by',
    'grouped by',
    'each',
    'does each',
  );
  return then(intro, (said, next) =>
    then(keyNameAt(reading, next, of), (key, end) => {
      const [have] = said === 'does each' ? reading.eat(end, 'have') : [];
      return [reading.found(key, have?.at ?? end)];
    }),
  );
}

/** A text or a boolean that several entities have in common. */
function keyNameAt(reading: Reading, at: number, of: string): Found<string>[] {
  return then(reading.fieldAt(at, of), ({ field }, next) =>
    literals(reading, of).some(({ name, scalar, list }) => name === field.name && !list && scalar !== 'Float') ||
    isOneRow(reading, field)
      ? [reading.found(field.name, next)]
      : [],
  );
}

/** A link to one row of a table, as each has one that it belongs to. */
function isOneRow({ lexicon }: Reading, field: Field): boolean {
  return lexicon.ofTables && field.kind === 'link' && !field.list;
}

export function groups(set: EntitySet, key: string, measure: GroupMeasure): Query {
  return { kind: 'groups', set, key, measure };
}

/** `how many countries border France`, `how many neighbours does Switzerland have`, `number of countries per region`. */
export function countedAt(reading: Reading, at: number): Found<Query>[] {
  const intro = reading.eat(
    at,
    'how many',
    'the number of',
    'number of',
    'count of',
    'count the',
    'count',
    'the total number of',
    'total number of',
  );
  const places = then(reading.eat(at, 'in how many'), (_, next) =>
    map(placeAfter(reading, next), (set): Query => ({ kind: 'count', set })),
  );
  const counted = then(intro, (_, next) => {
    const from = reading.past(next, 'different', 'other', 'of');
    const shared = map(sharedAt(reading, from), (set): Query => ({ kind: 'count', set }));
    return [...shared, ...countedSet(reading, from), ...countedOf(reading, from), ...statedNumberOf(reading, from)];
  });
  return [...counted, ...places];
}

function countedSet(reading: Reading, at: number): Found<Query>[] {
  const sets = then(nounPhraseAt(reading, at), (set, next) => {
    if (set.where?.kind === 'is' && !set.from) return [];
    const [there] = reading.eat(
      next,
      'are there',
      'there are',
      'exist',
      'do exist',
      'are known',
      'do we know',
      'do you know',
    );
    const after = there?.at ?? next;
    const verbs = saidOfSet(reading, next, set);
    const placed = there ? saidOfSet(reading, after, set) : [];
    return [reading.found(set, after), ...verbs, ...placed];
  });
  return then(sets, (set, next) => [
    reading.found<Query>({ kind: 'count', set }, next),
    ...map(keyAt(reading, next, set.class), (key) => groups(set, key, { kind: 'count' })),
  ]);
}

/** A set with what is said of it. Of the first of an order nothing further is: it would change which they are. */
export function saidOfSet(reading: Reading, at: number, set: EntitySet): Found<EntitySet>[] {
  return set.order ? [] : map(verbPhraseAt(reading, at, set.class), (where) => joined(set, where));
}

export function joined(set: EntitySet, where: NonNullable<EntitySet['where']>): EntitySet {
  return { ...set, where: set.where ? { kind: 'and', of: [set.where, where] } : where };
}

/** `how many neighbours does Switzerland have`, `how many countries does Russia border`. */
function countedOf(reading: Reading, at: number): Found<Query>[] {
  const byClass = then(reading.classAt(at), (target, next) =>
    then(reading.eat(next, 'does', 'do', 'did'), (_, subject) =>
      then(nounPhraseAt(reading, subject), (set, verb) =>
        then(doneAt(reading, verb, set.class, target), (field, end) => {
          const after = reading.eat(end, 'with', 'in', 'to')[0]?.at ?? end;
          const cost = isOfSeveral(set, field.name) ? guessed : 0;
          return [
            reading.found<Query>(
              { kind: 'count', set: { class: target, from: { set, link: field.name } } },
              after,
              cost,
            ),
          ];
        }),
      ),
    ),
  );
  const byField = then(reading.fieldAt(at), ({ class: of, field }, next) => {
    if (field.kind === 'literal') return [];
    const owners = ownerAt(reading, next, of, field.name);
    return map(
      owners,
      (set): Query => ({ kind: 'count', set: { class: field.target, from: { set, link: field.name } } }),
    );
  });
  return [...byField, ...byClass];
}

/** `how many people live in France`: a number that is stated, and not a count. */
function statedNumberOf(reading: Reading, at: number): Found<Query>[] {
  return then(numberFieldAt(reading, at), ({ class: of, field }, next) => {
    const living = reading.eat(next, 'live in', 'live on', 'are in', 'are there in', 'in', 'are living in', 'of');
    const placed = then(living, (_, after) => nounPhraseAt(reading, after, of));
    return map(
      [...placed, ...ownerAt(reading, next, of, field)],
      (set): Query => ({ kind: 'list', set, show: [field] }),
    );
  });
}

/** Whether it is unclear of which of some entities the links are meant. */
export function isOfSeveral({ where, from }: EntitySet, link: string): boolean {
  return !from && where?.kind === 'is' && where.ids.length > 1 && link.endsWith('s');
}

/** `does Switzerland have`, `do the neighbours of Switzerland speak`: whose links or values are meant. */
export function ownerAt(reading: Reading, at: number, of: string, field: string): Found<EntitySet>[] {
  return then(reading.eat(at, 'does', 'do', 'did'), (_, next) =>
    then(nounPhraseAt(reading, next, of), (set, after) => {
      const verbs = [
        ...reading.eat(after, 'have', 'has', 'got').map((each) => reading.found(true, each.at)),
        ...reading
          .fieldAt(after, of)
          .filter(({ value }) => value.field.name === field)
          .map((each) => reading.found(true, each.at)),
      ];
      // `languages do Austria and Germany have` may mean those of each, or of both.
      const cost = isOfSeveral(set, field) ? guessed : 0;
      return verbs.map((each) => ({ ...each, value: set, cost: each.cost + cost }));
    }),
  );
}
