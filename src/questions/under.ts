import type { ReadUnder } from './query.ts';
import type { Taken, Token } from './words.ts';

/** How certain is meant by a word. */
const certainties: [number, string[]][] = [
  [0.9, ['surely', 'certainly', 'definitely', 'for sure', 'for certain', 'undoubtedly', 'reliably']],
  [0.6, ['probably', 'likely', 'presumably']],
];

/** The rest of a question, and what its words say about how it is read. Tokens keep their places by `places`. */
export interface Apart {
  tokens: Token[];
  /** Of each token that is left its place in the question. */
  places: number[];
  under: ReadUnder;
  taken: Taken[];
}

/**
 * Takes out how certain an answer must be, and as of when it is meant.
 * @param now milliseconds since 1970
 */
export function takeApart(tokens: readonly Token[], now: number): Apart {
  const under: ReadUnder = {};
  const taken: Taken[] = [];
  const out = new Set<number>();
  for (let at = 0; at < tokens.length; at++) {
    if (out.has(at)) continue;
    const certainty = certaintyAt(tokens, at);
    const time = under.asOf === undefined ? timeAt(tokens, at, now) : undefined;
    const found = certainty ?? time;
    if (!found) continue;
    if (certainty) under.requiredCertainty = certainty.value;
    else if (time) under.asOf = time.value;
    const as = certainty ? `certainty of at least ${certainty.value}` : `as of ${time?.value}`;
    taken.push({ from: at, length: found.length, as });
    for (let each = at; each < at + found.length; each++) out.add(each);
  }
  const places = tokens.flatMap((_, at) => (out.has(at) ? [] : [at]));
  return { tokens: places.flatMap((at) => tokens[at] ?? []), places, under, taken };
}

interface Said<Value> {
  value: Value;
  length: number;
}

function saysAt(tokens: readonly Token[], at: number, phrase: string): number | undefined {
  const words = phrase.split(' ');
  const isSaid = words.every((word, index) => tokens[at + index]?.word === word && !tokens[at + index]?.quoted);
  return isSaid ? words.length : undefined;
}

function certaintyAt(tokens: readonly Token[], at: number): Said<number> | undefined {
  for (const [value, phrases] of certainties)
    for (const phrase of phrases) {
      const length = saysAt(tokens, at, phrase);
      if (length !== undefined) return { value, length };
    }
  for (const intro of [
    'with a certainty of at least',
    'with certainty of at least',
    'with certainty at least',
    'with a certainty above',
    'with certainty above',
    'with certainty over',
  ]) {
    const length = saysAt(tokens, at, intro);
    const share = length === undefined ? undefined : shareAt(tokens, at + length);
    if (length !== undefined && share) return { value: share.value, length: length + share.length };
  }
  const share = saysAt(tokens, at, 'at least') === undefined ? undefined : shareAt(tokens, at + 2);
  const end = share && ['certain', 'sure'].includes(tokens[at + 2 + share.length]?.word ?? '') ? share.length + 3 : 0;
  return share && end > 0 ? { value: share.value, length: end } : undefined;
}

/** `0.8`, `80 %`, `80 percent`. */
function shareAt(tokens: readonly Token[], at: number): Said<number> | undefined {
  const value = Number(tokens[at]?.text);
  if (!(value >= 0)) return undefined;
  const next = tokens[at + 1]?.word;
  const length = next === '%' || next === 'percent' ? 2 : next === 'per' && tokens[at + 2]?.word === 'cent' ? 3 : 1;
  const share = length > 1 ? value / 100 : value;
  return share <= 1 ? { value: share, length } : undefined;
}

const months = 'january february march april may june july august september october november december'.split(' ');
const spans: Record<string, number> = { day: 1, week: 7, month: 30, year: 365 };
const dayMs = 86_400_000;

/** `as of last year`, `as of 2024-05-01`, `as of March 2024`, `two weeks ago`. Days are UTC's, and a time is their end. */
function timeAt(tokens: readonly Token[], at: number, now: number): Said<string> | undefined {
  const intro = saysAt(tokens, at, 'as of') ?? saysAt(tokens, at, 'as at') ?? saysAt(tokens, at, 'as known');
  if (intro !== undefined) {
    const time = momentAt(tokens, at + intro, now);
    return time && { value: new Date(time.value).toISOString(), length: intro + time.length };
  }
  const ago = agoAt(tokens, at, now);
  return ago && { value: new Date(ago.value).toISOString(), length: ago.length };
}

function momentAt(tokens: readonly Token[], at: number, now: number): Said<number> | undefined {
  const today = new Date(now);
  const [year, month, day] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()];
  const said: [string, number][] = [
    ['now', now],
    ['today', now],
    ['yesterday', Date.UTC(year, month, day) - 1],
    ['last week', now - 7 * dayMs],
    ['last month', Date.UTC(year, month, 1) - 1],
    ['the end of last year', Date.UTC(year, 0, 1) - 1],
    ['last year', Date.UTC(year, 0, 1) - 1],
  ];
  for (const [phrase, value] of said) {
    const length = saysAt(tokens, at, phrase);
    if (length !== undefined) return { value, length };
  }
  return agoAt(tokens, at, now) ?? dateAt(tokens, at);
}

function agoAt(tokens: readonly Token[], at: number, now: number): Said<number> | undefined {
  const words = ['a', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
  const word = tokens[at]?.word ?? '';
  const number = words.includes(word) ? Math.max(1, words.indexOf(word)) : Number(word);
  const span = spans[tokens[at + 1]?.root ?? ''];
  const isAgo = tokens[at + 2]?.word === 'ago';
  return isAgo && span !== undefined && number >= 0 && word !== ''
    ? { value: now - number * span * dayMs, length: 3 }
    : undefined;
}

function dateAt(tokens: readonly Token[], at: number): Said<number> | undefined {
  const [one, two, three] = [0, 1, 2].map((index) => tokens[at + index]?.word ?? '');
  const yearOf = (word: string | undefined) => (/^\d{4}$/.test(word ?? '') ? Number(word) : undefined);
  const year = yearOf(one);
  if (year !== undefined) {
    const [month, day] = [Number(two), Number(three)];
    if (/^\d\d$/.test(two ?? '') && /^\d\d$/.test(three ?? '') && month <= 12 && day <= 31)
      return { value: Date.UTC(year, month - 1, day + 1) - 1, length: 3 };
    return { value: Date.UTC(year + 1, 0, 1) - 1, length: 1 };
  }
  const month = months.indexOf(one ?? '');
  if (month >= 0) {
    const only = yearOf(two);
    if (only !== undefined) return { value: Date.UTC(only, month + 1, 1) - 1, length: 2 };
    const whole = yearOf(three);
    if (whole !== undefined && Number(two) >= 1 && Number(two) <= 31)
      return { value: Date.UTC(whole, month, Number(two) + 1) - 1, length: 3 };
  }
  const second = months.indexOf(two ?? '');
  const whole = yearOf(three);
  return second >= 0 && whole !== undefined && Number(one) >= 1 && Number(one) <= 31
    ? { value: Date.UTC(whole, second, Number(one) + 1) - 1, length: 3 }
    : undefined;
}
