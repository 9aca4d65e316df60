import type { LiteralField } from '../../vocabulary/vocabulary.ts';
import type { Comparison } from '../query.ts';
import { type Unit, unitAt, unitOf } from '../units.ts';
import { type Found, map, type Reading, then } from './state.ts';

/** A number as it is said. */
export interface Amount {
  value: number;
  unit: Unit | undefined;
}

const scales: Record<string, number> = {
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  mn: 1e6,
  million: 1e6,
  millions: 1e6,
  bn: 1e9,
  billion: 1e9,
  billions: 1e9,
  trillion: 1e12,
};
const numberWords =
  /^(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\p{L}+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|dozen)$/u;

/** A number in digits or words, with its unit where one follows. */
export function amountAt(reading: Reading, at: number): Found<Amount>[] {
  return then(numberAt(reading, at), (value, next) => {
    const unit = unitAt(reading.tokens.slice(next, next + 2).map(({ word }) => word));
    const end = next + (unit?.length ?? 0);
    const said = unit ? `${value} ${unit.unit.symbol}` : String(value);
    return [
      reading.found({ value, unit: unit?.unit }, end, 0, [{ from: at, length: end - at, as: `the number ${said}` }]),
    ];
  });
}

export function numberAt(reading: Reading, at: number): Found<number>[] {
  const token = reading.tokens[at];
  if (!token || token.quoted) return [];
  if (/^\p{N}/u.test(token.text)) {
    const plain = token.text.replace(/,(?=\d{3}(?:\D|$))/g, '');
    const value = /^\d+(?:\.\d+)?$/.test(plain) ? Number(plain) : Number.NaN;
    if (!Number.isFinite(value)) return [];
    const scale = scales[reading.tokens[at + 1]?.word ?? ''];
    return scale === undefined ? [reading.found(value, at + 1)] : [reading.found(rounded(value * scale), at + 2)];
  }
  let end = at;
  const isPart = (word: string | undefined) => word !== undefined && numberWords.test(word);
  if (
    reading.isWord(end, 'a') &&
    /^(?:hundred|thousand|million|billion|dozen)$/.test(reading.tokens[end + 1]?.word ?? '')
  )
    end += 1;
  const from = end;
  while (isPart(reading.tokens[end]?.word)) end += 1;
  if (end === from) return [];
  const words = reading.tokens.slice(from, end).map(({ word }) => word);
  const value = words.join(' ') === 'dozen' ? 12 : wordsAsNumber(words, reading, from !== at);
  return value === undefined ? [] : [reading.found(value, end)];
}

function wordsAsNumber(words: string[], reading: Reading, isOne: boolean): number | undefined {
  const said =
    isOne || /^(?:hundred|thousand|million|billion)$/.test(words[0] ?? '') ? `one ${words.join(' ')}` : words.join(' ');
  return reading.language.numberOf(said);
}

const rounded = (value: number) => Number(value.toPrecision(12));

const comparisons: [Comparison, string[]][] = [
  ['gte', ['at least', 'no less than', 'not less than', 'no fewer than', 'a minimum of', 'minimum', '>=']],
  ['lte', ['at most', 'no more than', 'not more than', 'up to', 'a maximum of', 'maximum', '<=']],
  ['gt', ['more than', 'greater than', 'higher than', 'larger than', 'bigger than', 'over', 'above', 'exceeding', '>']],
  ['lt', ['less than', 'fewer than', 'lower than', 'smaller than', 'under', 'below', '<']],
  ['eq', ['exactly', 'equal to', 'precisely', '=']],
];

/** How something is compared, as `more than`. */
export function comparisonAt(reading: Reading, at: number): Found<Comparison>[] {
  return comparisons.flatMap(([op, phrases]) =>
    reading.eat(at, ...phrases).map((each) => ({
      ...each,
      value: op,
      taken: [{ from: at, length: each.at - at, as: inSigns[op] }],
    })),
  );
}

const inSigns: Record<Comparison, string> = {
  eq: 'equal to',
  gt: 'greater than',
  gte: 'at least',
  lt: 'less than',
  lte: 'at most',
  contains: 'contains',
  startsWith: 'begins with',
  endsWith: 'ends with',
};

/** How texts are compared. */
export function textComparisonAt(reading: Reading, at: number): Found<Comparison>[] {
  const said = (op: Comparison, ...phrases: string[]) =>
    reading.eat(at, ...phrases).map((each) => ({
      ...each,
      value: op,
      taken: [{ from: at, length: each.at - at, as: inSigns[op] }],
    }));
  const verbs = (...stems: string[]) => stems.flatMap((stem) => [`${stem}`, `${stem}s`]);
  return [
    ...said(
      'startsWith',
      ...verbs('start', 'begin').flatMap((verb) => [`${verb} with`]),
      'starting with',
      'beginning with',
    ),
    ...said('endsWith', ...verbs('end').flatMap((verb) => [`${verb} with`, `${verb} in`]), 'ending with', 'ending in'),
    ...said('contains', 'contain', 'contains', 'containing', 'include', 'includes'),
  ];
}

/**
 * An amount in the unit of a field, as the field's scalar takes it.
 * @returns undefined where the units don't belong together
 */
export function amountFor(field: LiteralField, { value, unit }: Amount): number | undefined {
  if (field.scalar !== 'Int' && field.scalar !== 'Float') return undefined;
  if (!unit) return value;
  const own = unitOf(field);
  return own?.of === unit.of ? rounded((value * unit.factor) / own.factor) : undefined;
}

/** A comparison with two bounds or one: `between 5 and 10 million`, `over 10 million`. */
export function rangeAt(reading: Reading, at: number): Found<{ op: Comparison; amount: Amount }[]>[] {
  const between = then(reading.eat(at, 'between', 'from'), (_, from) =>
    then(amountAt(reading, from), (low, and) =>
      then(reading.eat(and, 'and', 'to'), (_and, to) =>
        map(amountAt(reading, to), (high) => bounds(low, high, reading, from)),
      ),
    ),
  );
  const one = then(comparisonAt(reading, at), (op, next) =>
    map(amountAt(reading, reading.past(next)), (amount) => [{ op, amount }]),
  );
  return [...between, ...one];
}

/** `5 and 10 million` means both in millions. */
function bounds(low: Amount, high: Amount, reading: Reading, from: number): { op: Comparison; amount: Amount }[] {
  const unit = high.unit ?? low.unit;
  const isScaled = (at: number) => scales[reading.tokens[at + 1]?.word ?? ''] !== undefined;
  const scale = [1e3, 1e6, 1e9].find((each) => high.value / each >= 1 && high.value / each < 1000);
  const scaled =
    !isScaled(from) && low.value < 1000 && scale !== undefined && high.value >= 1e6 ? low.value * scale : low.value;
  return [
    { op: 'gte', amount: { value: scaled, unit } },
    { op: 'lte', amount: { value: high.value, unit } },
  ];
}
