import { comparativeAt, fieldsFor, measurableAt, type OrderBy, superlativeAt } from './adjectives.ts';
import { numberAt } from './amounts.ts';
import { type Found, noted, type Reading, then } from './state.ts';

/** The first of some by an order. */
export interface First {
  by: OrderBy;
  descending: boolean;
}

/** How many are meant: `limit` is absent where the noun says it, one by its singular. */
export interface Ranking {
  /** Which adjective says it; undefined where a field does, in `by`. */
  adjective: string | undefined;
  by: OrderBy | undefined;
  descending: boolean;
  limit: number | undefined;
  offset: number;
}

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

/** Before a noun of a class: `five largest`, `second most populous`, `top 10`, `most populous`. */
export function rankingAt(reading: Reading, at: number, of: string): Found<Ranking>[] {
  const from = reading.past(at);
  const ordinal = ordinals.findIndex((word) => reading.isWord(from, word));
  const counted = ordinal >= 0 ? [reading.found<number | undefined>(undefined, from + 1)] : withNumber(reading, from);
  return noted(
    then(counted, (limit, next) =>
      then(kindAt(reading, next, of), (kind, after) => {
        const later = limit === undefined && ordinal < 0 ? withNumber(reading, after) : [reading.found(limit, after)];
        return later.map((each) => ({
          ...each,
          value: {
            ...kind,
            limit: ordinal >= 0 ? 1 : each.value,
            offset: Math.max(0, ordinal),
          },
        }));
      }),
    ),
    from,
    'the first of an order',
  );
}

function withNumber(reading: Reading, at: number): Found<number | undefined>[] {
  const numbers = numberAt(reading, at).filter(({ value }) => Number.isInteger(value) && value > 0 && value <= 100);
  return numbers.length > 0 ? numbers : [reading.found(undefined, at)];
}

function kindAt(reading: Reading, at: number, of: string): Found<Pick<Ranking, 'adjective' | 'by' | 'descending'>>[] {
  const most = [
    ...reading.eat(at, 'most', 'top').map((each) => ({ ...each, value: true })),
    ...reading.eat(at, 'least', 'fewest').map((each) => ({ ...each, value: false })),
  ];
  const byField = then(most, (descending, next) =>
    measurableAt(reading, next, of)
      .filter(({ value }) => value.kind === 'value')
      .map((each) => ({ ...each, value: { adjective: undefined, by: each.value, descending } })),
  );
  const byAdjective = superlativeAt(reading, at).map((each) => ({
    ...each,
    value: { adjective: each.value.adjective, by: undefined, descending: each.value.descending },
  }));
  return [...byField, ...byAdjective];
}

/** What a ranking orders by, once `by …` was read or not: a way for each field that may be meant. */
export function waysOf(reading: Reading, of: string, { adjective, by }: Ranking, said: OrderBy | undefined): OrderBy[] {
  if (said) return [said];
  if (by) return [by];
  return fieldsFor(reading, of, adjective).map(({ name }): OrderBy => ({ kind: 'value', field: name }));
}

/** `by population`, `in terms of area`. */
export function byAt(reading: Reading, at: number, of: string): Found<OrderBy>[] {
  const intro = reading.eat(at, 'in terms of', 'according to', 'by number of', 'by the number of', 'by', 'for', 'with');
  return then(
    intro.filter(({ value }) => value !== 'for' && value !== 'with'),
    (_, next) => measurableAt(reading, reading.past(next), of),
  );
}

/** After `with`, `has` or `is`: `the largest population`, `the most neighbours`, `the highest number of languages`. */
export function firstAt(reading: Reading, at: number, of: string): Found<First>[] {
  const from = reading.past(at);
  const most = [
    ...reading
      .eat(from, 'most', 'largest number of', 'highest number of', 'greatest number of')
      .map((each) => ({ ...each, value: true })),
    ...reading
      .eat(from, 'fewest', 'least', 'smallest number of', 'lowest number of')
      .map((each) => ({ ...each, value: false })),
    ...superlativeAt(reading, from).map((each) => ({ ...each, value: each.value.descending })),
  ];
  return noted(
    then(most, (descending, next) =>
      measurableAt(reading, next, of).map((each) => ({ ...each, value: { by: each.value, descending } })),
    ),
    from,
    'the first of an order',
  );
}

/** `larger than`, `more populous than`, `a larger population than`: which field, and whether more of it. */
export function comparedAt(reading: Reading, at: number, of: string): Found<First>[] {
  const from = reading.past(at);
  return then(comparativeAt(reading, from), ({ adjective, descending }, next) => {
    const named = measurableAt(reading, next, of);
    const implied = fieldsFor(reading, of, adjective).map(({ name }) =>
      reading.found<OrderBy>({ kind: 'value', field: name }, next),
    );
    return then([...named, ...(adjective === undefined ? [] : implied)], (by, after) =>
      then(reading.eat(after, 'than'), (_, end) => [reading.found({ by, descending }, end)]),
    );
  });
}
