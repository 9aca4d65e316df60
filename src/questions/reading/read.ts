import { functionWords } from '../functionWords.ts';
import type { Language } from '../language.ts';
import type { Lexicon } from '../lexicon.ts';
import type { Query, ReadUnder } from '../query.ts';
import { takeApart } from '../under.ts';
import { type SeenText, type ValueMatch, valuesIn } from '../values.ts';
import { inWordsOf } from '../wording.ts';
import { longestQuestion, mostTokens, type Taken, type Token, tokensOf } from '../words.ts';
import { guessed } from './nouns.ts';
import { plainQuery } from './plainQuery.ts';
import { questionAt } from './questions.ts';
import { type Found, Reading, TooInvolved } from './state.ts';

/** One way to understand a question. */
export interface Understood {
  query: Query;
  under: ReadUnder;
  /** What is asked, in plain words. */
  inWords: string;
  /** What each word was taken for, in their order. */
  taken: { words: string; as: string }[];
  /** Words that say nothing here, such as articles. */
  leftOver: string[];
  /** 0 to 1: how sure it is. */
  certainty: number;
}

export type ReadQuestion =
  | { kind: 'understood'; reading: Understood }
  /** It may mean several things, or one that is only a guess. */
  | { kind: 'choice'; readings: Understood[] }
  /** Some of it isn't understood. */
  | { kind: 'unknown'; words: string[]; nearest: string[] }
  | { kind: 'too-long' };

/** Ways to read a question that are offered. */
const mostChoices = 5;
/** Ways that are no less sure than this beside the surest are as good. */
const asGood = 0.35;

/** What a question is about, before any value is looked up. */
export interface Words {
  tokens: Token[];
  /** What may be values: words that the vocabulary doesn't have, and that don't say how others belong together. */
  unknown: string[];
}

/** @returns undefined where the question is too long */
export function wordsOfQuestion(question: string, lexicon: Lexicon, language: Language): Words | undefined {
  if (question.length > longestQuestion) return undefined;
  const tokens = tokensOf(question, language);
  if (tokens.length > mostTokens) return undefined;
  const unknown = tokens.flatMap((token, at) => {
    if (token.quoted) return [token.text.replace(/^["“]|["”]$/g, '')];
    if (!/\p{L}/u.test(token.word) || token.word === "'s") return [];
    const isCode = token.text.length >= 2 && token.text === token.text.toUpperCase();
    if (functionWords.has(token.word) && !isCode) return [];
    return lexicon.termsAt(tokens, at).some(({ cost }) => cost === 0) && !/^\p{Lu}/u.test(token.text)
      ? []
      : [token.word];
  });
  return { tokens, unknown: [...new Set(unknown)] };
}

export interface ReadParts {
  lexicon: Lexicon;
  language: Language;
  /** Milliseconds since 1970. */
  now: number;
}

/** Reads a question. Nothing but the vocabulary and what is seen has an influence. */
export function readQuestion(question: string, seen: readonly SeenText[], parts: ReadParts): ReadQuestion {
  const words = wordsOfQuestion(question, parts.lexicon, parts.language);
  if (!words) return { kind: 'too-long' };
  const { tokens, places, under, taken } = takeApart(words.tokens, parts.now);
  // A word of the vocabulary is no part of a name: `country` isn't Curaçao for `Country of Curaçao`.
  const isTerm = (at: number) => parts.lexicon.termsAt(tokens, at).some((term) => term.cost === 0);
  const values = valuesIn(tokens, seen).filter(({ cost, from }) => cost < 3 || !isTerm(from));
  const reading = new Reading(tokens, parts.lexicon, values, parts.language, ({ word }) => functionWords.has(word));
  const found = waysOf(reading);
  const [surest] = found;
  if (!surest) return unknownOf(reading, values);
  const told = (each: Found<Query>): Understood => {
    const all = [...taken, ...each.taken.map((one) => ({ ...one, from: places[one.from] ?? 0 }))];
    return understood({ ...each, taken: all }, words.tokens, under);
  };
  const best = found.filter(({ cost }) => cost <= surest.cost + asGood);
  const plain = ({ value }: Found<Query>) => JSON.stringify(parts.lexicon.ofTables ? plainQuery(value, parts) : value);
  const isOther = new Map(best.toReversed().map((each) => [plain(each), each]));
  const different = [...isOther.values()].toReversed().slice(0, mostChoices);
  if (different.length > 1 || surest.cost >= guessed) return { kind: 'choice', readings: different.map(told) };
  return { kind: 'understood', reading: told(surest) };
}

function waysOf(reading: Reading): Found<Query>[] {
  try {
    return questionAt(reading);
  } catch (error) {
    if (error instanceof TooInvolved) return [];
    throw error;
  }
}

function understood({ value: query, cost, taken }: Found<Query>, tokens: Token[], under: ReadUnder): Understood {
  const used = new Set(taken.flatMap(({ from, length }) => Array.from({ length }, (_, index) => from + index)));
  return {
    query,
    under,
    inWords: inWordsOf(query, under),
    taken: [...taken, ...structureOf(tokens, used)]
      .toSorted((one, other) => one.from - other.from)
      .map(({ from, length, as }) => ({
        words: tokens
          .slice(from, from + length)
          .map(({ text }) => text)
          .join(' '),
        as,
      })),
    leftOver: tokens.flatMap(({ text, word }, at) => (!used.has(at) && idle.has(word) ? [text] : [])),
    certainty: Math.max(0, Math.round((1 - cost * 0.15) * 100) / 100),
  };
}

/** Words that say nothing here. */
const idle = new Set(['the', 'a', 'an', 'all', 'any', 'every', 'their', 'its', 'please', 'different', 'me', ',']);

/** Words that are neither a class, a field nor a value: they say how these belong together. */
function structureOf(tokens: readonly Token[], used: ReadonlySet<number>): Taken[] {
  return tokens.flatMap(({ word }, from) =>
    used.has(from) || idle.has(word) ? [] : [{ from, length: 1, as: 'how the others belong together' }],
  );
}

/** Which words nothing is known of; where all are known, from where on they make no sense together. */
function unknownOf(reading: Reading, values: readonly ValueMatch[]): ReadQuestion {
  const { tokens, lexicon, furthest } = reading;
  const isKnown = (at: number) =>
    functionWords.has(tokens[at]?.word ?? '') ||
    !/\p{L}/u.test(tokens[at]?.word ?? '') ||
    lexicon.termsAt(tokens, at).length > 0 ||
    values.some(({ from, length }) => from <= at && at < from + length);
  const unknown = tokens.filter((_, at) => !isKnown(at));
  const words = unknown.length > 0 ? unknown : tokens.slice(furthest);
  return {
    kind: 'unknown',
    words: words.map(({ text }) => text),
    nearest: [...new Set(unknown.flatMap(({ root }) => lexicon.nearest(root)))].slice(0, 5),
  };
}
