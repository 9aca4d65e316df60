import { folded } from '../graph/search/words.ts';
import type { Language } from './language.ts';

/** A word, number or sign of a question. */
export interface Token {
  /** As it is written. */
  text: string;
  /** In lower case, without accents. */
  word: string;
  /** What it comes of: `country` of `countries`. */
  root: string;
  /** Whether it stood in quotation marks, whole. */
  quoted: boolean;
}

/** Which words were taken for what. */
export interface Taken {
  /** The first token. */
  from: number;
  /** Tokens. */
  length: number;
  as: string;
}

/** Characters and tokens of a question. */
export const longestQuestion = 500;
export const mostTokens = 60;

const pattern =
  /"([^"]{1,100})"|“([^”]{1,100})”|(\p{N}(?:[\p{N}.,]*\p{N})?)|([\p{L}\p{M}][\p{L}\p{M}\p{N}]*)|['’](s)?(?![\p{L}\p{N}])|([<>]=?|[=%,;])/gu;

const contractions: [RegExp, string][] = [
  [/\bcan['’]?t\b/gi, 'can not'],
  [/\bwon['’]t\b/gi, 'will not'],
  [/\b(do|does|did|is|are|was|were|has|have|had)n['’]?t\b/gi, '$1 not'],
  [/\b(what|which|who|where|how|that|there)['’]s\b/gi, '$1 is'],
  [/\b(what|which|who|that|there)['’]re\b/gi, '$1 are'],
  [/\bi['’]d\b/gi, 'i would'],
  [/\bwich\b/gi, 'which'],
  [/\b(more|less|fewer|larger|smaller|bigger|greater|higher|lower) then\b/gi, '$1 than'],
  [/\bnon-(?=\p{L})/giu, 'not '],
];

/** The tokens of a question. A possessive is a token of its own, `'s`. */
export function tokensOf(question: string, { rootOf }: Language): Token[] {
  const plain = contractions.reduce((text, [from, to]) => text.replace(from, to), question.normalize('NFC'));
  return [...plain.matchAll(pattern)].map((match) => {
    const phrase = match[1] ?? match[2];
    const text = phrase ?? (/^['’]/.test(match[0]) ? "'s" : match[0]);
    const word = folded(text);
    return { text, word, root: phrase === undefined ? rootOf(word) : word, quoted: phrase !== undefined };
  });
}
