import { distance } from './likeness.ts';
import { isUnspaced } from './words.ts';

/** What a text must have: each of the words, and each of the phrases. */
export interface Matching {
  words: string[];
  /** Words that stand side by side, as they are. */
  phrases: string[][];
}

/** Characters of what is asked for, and its words: each is several clauses for the index. */
const longest = 200;
const mostWords = 12;

/**
 * What is asked for by a text: its words, and what stands between quotation marks as a phrase.
 * @returns what is wrong with it, where it can't be asked for
 */
export function matchingOf(text: string): Matching | string {
  if (text.length > longest) return `has ${text.length} characters, more than ${longest}`;
  const phrases = [...text.matchAll(/"([^"]*)"/g)]
    .map(([, phrase = '']) => partsOf(phrase))
    .filter(({ length }) => length);
  const words = [...new Set(partsOf(text.replace(/"[^"]*"/g, ' ')))];
  const found = words.length + phrases.flat().length;
  if (found === 0) return 'has no word';
  if (found > mostWords) return `has ${found} words, more than ${mostWords}`;
  return { words, phrases };
}

/** As the index parts words (Unicode's UAX #29): what joins letters or digits within one is of it, as in `o'hara`. */
const wordPattern =
  /[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}_]|(?<=[\p{L}\p{M}])['’.](?=\p{L})|(?<=\p{N})['’.,](?=\p{N}))*/gu;

/** The words of a text in lower case: nothing in them means something to Lucene. */
const partsOf = (text: string): string[] => text.toLowerCase().match(wordPattern) ?? [];

/** Whether a text has what is asked for. A word is there too where one begins with it, or differs by a letter. */
export function hasMatching({ words, phrases }: Matching, text: string): boolean {
  const parts = partsOf(text);
  return (
    words.every((word) => parts.some((each) => isLike(word, each))) && phrases.every((each) => follow(parts, each))
  );
}

function isLike(word: string, other: string): boolean {
  if (other.startsWith(word) || (isUnspaced(word) && other.includes(word))) return true;
  return isMisspelt(word) && distance(word, other, 1) !== undefined;
}

/** In a short word another letter makes another word; a very long one makes an expression too large for the index. */
const isMisspelt = (word: string) => /^[\p{L}\p{M}\p{N}]{4,24}$/u.test(word);

const follow = (parts: string[], phrase: string[]) =>
  parts.some((_, at) => phrase.every((word, index) => parts[at + index] === word));

/**
 * A query of the full-text index for entities that may have what is asked for in a property: every one that
 * `hasMatching` is true of, by words as the index parts them. What is misspelt is asked for by an expression: of words
 * that differ by a letter Lucene would take the fifty most frequent, whoever they are of.
 */
export function matchingQuery(property: string, { words, phrases }: Matching): string {
  return [
    ...words.map((word) => [word, `${word}*`, ...(isMisspelt(word) ? [`/${misspelt([...word])}/`] : [])]),
    ...phrases.map((phrase) => [`"${phrase.join(' ')}"`]),
  ]
    .map((ways) => `+(${ways.map((each) => `${property}:${each}`).join(' ')})`)
    .join(' ');
}

/** An expression for the words that differ from this one by a letter more, less or another, or by two swapped. */
function misspelt(letters: string[]): string {
  const ways = letters.flatMap((letter, at) => {
    const [before, after] = [letters.slice(0, at).join(''), letters.slice(at + 1).join('')];
    const next = letters[at + 1];
    const swapped = next === undefined ? [] : [`${before}${next}${letter}${letters.slice(at + 2).join('')}`];
    return [`${before}.?${after}`, `${before}.${letter}${after}`, ...swapped];
  });
  return [...ways, `${letters.join('')}.`].join('|');
}
