import { getOrInsert } from '../../base/getOrInsert.ts';
import { likeness } from './likeness.ts';
import { folded, tokensOf, wordsOf } from './words.ts';

/** What is asked, as texts are compared with it. */
export interface Question {
  /** Each once, folded. */
  words: string[];
  /** Indices of words that stand side by side. */
  pairs: [number, number][];
  /** How like each of the words a folded word is, 0 to 1; each is compared once. */
  like(word: string): number[];
}

/** How a text is like the words of a question. */
export interface Alike {
  /** Of each word of the question how like it the likest word of the text is. */
  words: number[];
  /** Where in the text that stands; -1 where it is none, or is parted there by punctuation. */
  places: number[];
  /** 0 to 1: how much of the text is like the question. */
  density: number;
}

/** Something that may be meant. */
export interface Candidate {
  id: string;
  /** What it is found by, each with what its field says, 0 to 1: 1 for the name. */
  texts: { value: string; weight: number }[];
  /** Names of its kind, such as its class: they help what is found by a text, and nothing else. */
  kinds: string[];
}

/** A candidate that is found by one of its texts at least. */
export interface Compared {
  id: string;
  texts: (Alike & { weight: number })[];
  kinds: Alike[];
}

export function questionOf(text: string): Question {
  // Folded first: a word of marks folds to nothing, and one character to several, of which some mean something to Lucene.
  const words = wordsOf(folded(text));
  const said = tokensOf(text).words.map((word) => words.indexOf(word));
  const pairs = said.slice(1).map((second, index): [number, number] => [said[index] ?? -1, second]);
  const known = new Map<string, number[]>();
  const like = (word: string) => getOrInsert(known, word, () => words.map((each) => likeness(each, word)));
  return { words, pairs: pairs.filter(([one, other]) => one >= 0 && other >= 0), like };
}

/** Those of the candidates that have a text that is like one of the words. */
export function compare(question: Question, candidates: Candidate[]): Compared[] {
  return candidates.flatMap(({ id, texts, kinds }) => {
    const found = texts.map(({ value, weight }) => ({ weight, ...alike(question, value) }));
    if (!found.some(({ words }) => words.some(Boolean))) return [];
    return [{ id, texts: found, kinds: kinds.map((kind) => alike(question, kind)) }];
  });
}

export function alike({ words: asked, like }: Question, text: string): Alike {
  const { words: tokens, joined } = tokensOf(text);
  const words = asked.map(() => 0);
  const places = asked.map(() => -1);
  let sum = 0;
  for (const [place, token] of [...tokens, ...joined].entries()) {
    const found = like(token);
    if (place < tokens.length) sum += Math.max(0, ...found);
    for (const [index, value] of found.entries()) {
      if (value <= (words[index] ?? 0)) continue;
      words[index] = value;
      places[index] = place < tokens.length ? place : -1;
    }
  }
  return { words, places, density: sum / Math.max(1, tokens.length) };
}
