import type { EntitySet, Query } from '../query.ts';
import { unitAt, unitOf } from '../units.ts';
import { fieldsFor, positiveAt, superlativeAt } from './adjectives.ts';
import { askedOfAt } from './askedOf.ts';
import { literals } from './conditions.ts';
import { invertedAt } from './inverted.ts';
import { countedAt, groups, measuredAt, saidOfSet } from './measures.ts';
import { guessed, isPlural, nounPhraseAt, passiveAt, setOf } from './nouns.ts';
import { textAt } from './objects.ts';
import { byAt, firstAt, waysOf } from './order.ts';
import { type Found, fewest, map, noted, type Reading, then } from './state.ts';
import { truthAt } from './truths.ts';

const leads = [
  'can you tell me',
  'could you tell me',
  'tell me',
  'please tell me',
  'i want to know',
  'i would like to know',
  'do you know',
  'can you show me',
  'could you show me',
  'show me',
  'give me',
  'can you list',
  'could you list',
  'please list',
  'please show me',
  'list',
  'show',
  'find',
  'name',
  'get',
  'display',
  'enumerate',
  'find me',
  'list me',
  'return',
  'which are',
  'what are',
  'what is',
  'which is',
  'who are',
  'who is',
  'who was',
  'what was',
  'which',
  'what',
  'please',
  'of',
  'the names of',
  'the name of',
  'names of',
];

/** Every way to read a whole question, the surest first. */
export function questionAt(reading: Reading): Found<Query>[] {
  const starts = leadsAt(reading, 0);
  const found = starts.flatMap((at) => [
    ...listedAt(reading, at),
    ...countedAt(reading, at),
    ...measuredAt(reading, at),
    ...fieldsOfAt(reading, at),
    ...askedOfAt(reading, at),
    ...map(invertedAt(reading, at), (set): Query => ({ kind: 'list', set, show: [] })),
    ...howMuchAt(reading, at),
    ...mostGroupAt(reading, at),
    ...(at === 0 ? truthAt(reading, at) : []),
  ]);
  return fewest(found.flatMap((each) => inUnit(reading, each)).filter(({ at }) => at === reading.end));
}

/** `in square kilometres`, where that is the unit of what is shown. */
function inUnit(reading: Reading, found: Found<Query>): Found<Query>[] {
  const { value: query, at } = found;
  const field = query.kind === 'list' ? query.show[0] : query.kind === 'measure' ? query.field : undefined;
  const [word] = reading.eat(at, 'in');
  if (field === undefined || !word) return [found];
  const said = unitAt(reading.tokens.slice(word.at, word.at + 2).map((token) => token.word));
  const own = literals(reading, query.set.class).find(({ name }) => name === field);
  if (!said || !own || unitOf(own)?.symbol !== said.unit.symbol) return [found];
  const end = word.at + said.length;
  return [found, { ...found, at: end, taken: [...found.taken, { from: at, length: end - at, as: 'the unit' }] }];
}

/** Where a question may begin in earnest. */
function leadsAt(reading: Reading, at: number): number[] {
  const next = reading.eat(at, ...[...leads].sort((one, other) => other.length - one.length));
  return [at, ...next.flatMap((each) => leadsAt(reading, each.at))];
}

/** `which countries border France`, `the capitals of the countries in Europe and their populations`. */
function listedAt(reading: Reading, at: number): Found<Query>[] {
  const sets = then(nounPhraseAt(reading, at), (set, next) => [
    reading.found(set, next),
    ...saidOfSet(reading, next, set),
    ...firstOf(reading, next, set, at),
    ...(set.from || set.order ? [] : then(reading.eat(next, 'are', 'is'), (_, verb) => passiveAt(reading, verb, set))),
  ]);
  return then(sets, (set, next) => [
    reading.found<Query>({ kind: 'list', set, show: [] }, next),
    ...map(shownAt(reading, next, set.class), (show): Query => ({ kind: 'list', set, show })),
    ...map(sortedAt(reading, next, set), (inOrder): Query => ({ kind: 'list', set: inOrder, show: [] })),
  ]);
}

/** `has the most neighbours`, `is the largest by area`. */
function firstOf(reading: Reading, at: number, set: EntitySet, from: number): Found<EntitySet>[] {
  if (set.order) return [];
  const limit = isPlural(reading, nounBefore(reading, at, set.class) ?? from) ? 10 : 1;
  const having = then(reading.eat(at, 'has', 'have', 'had'), (_, next) => firstAt(reading, next, set.class));
  const being = then(reading.eat(at, 'is', 'are', 'was'), (_, next) => {
    const ranked = then(superlativeAt(reading, reading.past(next)), ({ adjective, descending }, after) => {
      const ways = waysOf(reading, set.class, { adjective, by: undefined, descending, limit, offset: 0 }, undefined);
      return [
        ...map(byAt(reading, after, set.class), (by) => ({ by, descending })),
        ...ways.map((by) => reading.found({ by, descending }, after)),
      ];
    });
    return [...firstAt(reading, next, set.class), ...noted(ranked, next, 'the first of an order')];
  });
  // `is spoken in the most countries`, `borders the most countries`.
  const linked = then(reading.fieldAt(reading.eat(at, 'is', 'are')[0]?.at ?? at, set.class), ({ field }, next) => {
    if (field.kind === 'literal' || (field.kind === 'link' && !field.list)) return [];
    const most = [
      ...reading.eat(next, 'the most', 'most').map((each) => ({ ...each, value: true })),
      ...reading.eat(next, 'the fewest', 'fewest').map((each) => ({ ...each, value: false })),
    ];
    return then(most, (descending, noun) =>
      reading
        .classAt(noun)
        .filter(({ value }) => value === field.target)
        .map((each) => ({ ...each, value: { by: { kind: 'count' as const, field: field.name }, descending } })),
    );
  });
  return map([...having, ...being, ...linked], ({ by, descending }) => ({
    ...set,
    order: { by, descending, limit, offset: 0 },
  }));
}

/** Where the noun of the class stands before a token. */
function nounBefore(reading: Reading, at: number, of: string): number | undefined {
  for (let token = 0; token < at; token++) if (reading.classAt(token).some(({ value }) => value === of)) return token;
  return undefined;
}

/** `and their capitals`, `with their population and area`. */
function shownAt(reading: Reading, at: number, of: string): Found<string[]>[] {
  const intro = reading.eat(
    at,
    'and their',
    'and its',
    'with their',
    'with its',
    'together with their',
    'along with their',
    ', with their',
    'and the',
  );
  return then(intro, (_, next) => fieldListAt(reading, next, of));
}

function fieldListAt(reading: Reading, at: number, of?: string): Found<string[]>[] {
  return then(reading.fieldAt(at, of), ({ class: owner, field }, next) => {
    const more = then(reading.eat(next, ', and', 'and', ','), (_, after) =>
      map(fieldListAt(reading, reading.past(after), owner), (fields) => [field.name, ...fields]),
    );
    return [reading.found([field.name], next), ...more];
  });
}

/** `sorted by population`, `ordered by area in descending order`. */
function sortedAt(reading: Reading, at: number, set: EntitySet): Found<EntitySet>[] {
  if (set.order) return [];
  const intro = reading.eat(at, 'sorted', 'ordered', 'ranked', 'sort', 'order');
  return then(intro, (word, next) =>
    then(byAt(reading, next, set.class), (by, after) => {
      const [down] = reading.eat(
        after,
        'descending',
        'in descending order',
        'from largest to smallest',
        'from highest to lowest',
        'from most to least',
        'from high to low',
      );
      const [up] = reading.eat(
        after,
        'ascending',
        'in ascending order',
        'from smallest to largest',
        'from lowest to highest',
        'from low to high',
      );
      const descending = down !== undefined || (up === undefined && word === 'ranked');
      const order = { by, descending, limit: undefined, offset: 0 };
      return [reading.found<EntitySet>({ ...set, order }, (down ?? up)?.at ?? after)];
    }),
  );
}

/** `population and area of France`, `France's population`, `population Germany`. */
function fieldsOfAt(reading: Reading, at: number): Found<Query>[] {
  const from = reading.past(at);
  const classes = reading.lexicon.vocabulary.classes.map(({ name }) => name);
  const fieldFirst = classes.flatMap((of) =>
    then(fieldListAt(reading, from, of), (show, next) => {
      const intro = reading.eat(next, 'of', 'for', 'in', 'from', 'does', 'do');
      const start = intro[0]?.at ?? next;
      const sets = nounPhraseAt(reading, start, of).filter(
        ({ value }) => intro.length > 0 || value.where?.kind === 'is',
      );
      const ended = intro[0]?.value.startsWith('do')
        ? then(sets, (set, end) => reading.eat(end, 'have').map((each) => ({ ...each, value: set })))
        : sets;
      return [
        ...map(ended, (set): Query => listOf(set, show)),
        ...sumInstead(reading, from, ended, show),
        ...wholePlace(reading, intro.length > 0 ? start : undefined, of, show),
      ];
    }),
  );
  const ownerFirst = then(nounPhraseAt(reading, from), (set, next) => {
    const owned = reading.eat(next, "'s");
    if (owned.length === 0 && set.where?.kind !== 'is') return [];
    return map(fieldListAt(reading, reading.past(owned[0]?.at ?? next), set.class), (show): Query => listOf(set, show));
  });
  return [
    ...fieldFirst.filter(({ value }) => hasLiteral(reading, value)),
    ...ownerFirst.filter(({ value }) => hasLiteral(reading, value)),
  ];
}

/** `total of the orders`, where they have a column `total`: that of each may be meant, or the sum. */
function sumInstead(
  reading: Reading,
  at: number,
  sets: Found<EntitySet>[],
  [field, ...more]: string[],
): Found<Query>[] {
  if (!reading.lexicon.ofTables || !reading.isWord(at, 'total') || field === undefined || more.length > 0) return [];
  return map(
    sets.filter(({ value }) => value.from || value.where?.kind !== 'is' || value.where.ids.length > 1),
    (set): Query => ({ kind: 'measure', set, field, measure: 'sum' }),
  );
}

const listOf = (set: EntitySet, show: string[]): Query => ({ kind: 'list', set, show });

/** Links alone are a road, which `listedAt` reads. */
function hasLiteral(reading: Reading, query: Query): boolean {
  return (
    query.kind !== 'list' ||
    query.show.length > 1 ||
    literals(reading, query.set.class).some(({ name }) => name === query.show[0])
  );
}

/** `population of Europe`: a number of what isn't one entity may be meant of each, or in all. */
function wholePlace(reading: Reading, at: number | undefined, of: string, show: string[]): Found<Query>[] {
  const [field] = show;
  if (at === undefined || field === undefined) return [];
  return then(textAt(reading, at, of), (text, end) => {
    const set = setOf(text);
    const ways: Query[] = [listOf(set, show), { kind: 'measure', set, field, measure: 'sum' }];
    const isNumber = literals(reading, of).some(
      ({ name, scalar }) => name === field && (scalar === 'Int' || scalar === 'Float'),
    );
    return (isNumber ? ways : ways.slice(0, 1)).map((way) => reading.found(way, end, guessed));
  });
}

/** `how large is France`, `how populous is it`. */
function howMuchAt(reading: Reading, at: number): Found<Query>[] {
  return then(reading.eat(at, 'how'), (_, next) => {
    const byAdjective = then(positiveAt(reading, next), ({ adjective }, after) =>
      then(reading.eat(after, 'is', 'are'), (_is, subject) =>
        then(nounPhraseAt(reading, subject), (set, end) =>
          fieldsFor(reading, set.class, adjective).map(({ name }) => reading.found<Query>(listOf(set, [name]), end)),
        ),
      ),
    );
    const byField = then(reading.fieldAt(next), ({ class: of, field }, after) =>
      then(reading.eat(after, 'is', 'are'), (_is, subject) =>
        map(nounPhraseAt(reading, subject, of), (set) => listOf(set, [field.name])),
      ),
    );
    return [...byAdjective, ...byField.filter(({ value }) => hasLiteral(reading, value))];
  });
}

/** `which region has the most countries`, `region with the largest total population`. */
function mostGroupAt(reading: Reading, at: number): Found<Query>[] {
  return then(reading.fieldAt(reading.past(at)), ({ class: of, field: key }, next) => {
    if (key.kind !== 'literal' || key.list || key.scalar !== 'String') return [];
    return then(reading.eat(next, 'has', 'have', 'with', 'contains'), (_, after) => {
      const most = [
        ...reading
          .eat(after, 'the most', 'the largest number of', 'the highest number of', 'most')
          .map((each) => ({ ...each, value: true })),
        ...reading
          .eat(after, 'the fewest', 'the smallest number of', 'the least', 'fewest')
          .map((each) => ({ ...each, value: false })),
      ];
      return then(most, (descending, noun) =>
        map(
          nounPhraseAt(reading, noun, of),
          (set): Query => ({
            ...(groups(set, key.name, { kind: 'count' }) as Extract<Query, { kind: 'groups' }>),
            order: { descending, limit: 1, offset: 0 },
          }),
        ),
      );
    });
  });
}
