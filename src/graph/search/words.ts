/** More are not looked for: each is several clauses for each field. */
const mostWords = 8;

const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * The words of a text in lower case, without the characters that mean something to Lucene, which are no letters, marks
 * or digits. Of more than eight those that say most by their length.
 */
export function wordsOf(text: string): string[] {
  const words = [...new Set(text.toLowerCase().match(wordPattern) ?? [])];
  const best = words.toSorted((one, other) => weightOf(other) - weightOf(one)).slice(0, mostWords);
  return words.filter((word) => best.includes(word));
}

/** Whether a word is of a script that puts no spaces between words, or for each word one character. */
export function isUnspaced(word: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(
    word,
  );
}

const fullLength = 5;

/**
 * What a word says by its length, above 0 and at most 1: in every language the shortest say least. How rare it is says
 * more, but in few texts no word is frequent.
 */
export function weightOf(word: string): number {
  return isUnspaced(word) ? 1 : Math.min(1, word.length / fullLength) ** 1.5;
}

/** Letters that may differ: none in a short word, where one makes another word. */
export function editsFor(word: string): number {
  return word.length < 4 ? 0 : word.length < 7 ? 1 : 2;
}

/**
 * A full-text query for texts that have one of the words, or begin one with it; the whole of them first.
 * @param words as `wordsOf` gives them: nothing else may stand in a query
 * @param fuzzy whether words that differ in a few letters are found too
 * @param prefix what every word begins with in the index
 */
export function luceneQuery(words: string[], fuzzy: boolean, prefix = ''): string {
  const each = words.map((word) => {
    const [edits, weight, term] = [editsFor(word), weightOf(word), prefix + word];
    const likes = [`${term}^${boost(4 * weight)}`, `${term}*^${boost(weight / 2)}`];
    if (fuzzy && edits > 0) likes.push(`${term}~${edits}^${boost(3 * weight)}`);
    return likes.join(' ');
  });
  const all = words.map((word) => prefix + word).join(' ');
  return [...each, ...(words.length > 1 ? [`"${all}"~2^4`] : [])].join(' ');
}

const boost = (value: number) => Number(value.toFixed(2));

/** What a text is compared by. */
export interface Tokens {
  /** Its words in their order: in lower case, without accents. */
  words: string[];
  /** What punctuation parts, as one: `nukualofa` of `Nukuʻalofa`, `uae` of `U.A.E.`. */
  joined: string[];
}

/** Characters of a text that are compared. */
const compared = 2_000;

export function tokensOf(text: string): Tokens {
  const parts = folded(text.slice(0, compared))
    .split(/\s+/)
    .map((part) => part.match(wordPattern) ?? []);
  return {
    words: parts.flat(),
    joined: parts.filter((part) => part.length > 1).map((part) => part.join('')),
  };
}

/** In lower case, without the accents of Latin, Greek and Cyrillic letters. */
export function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase();
}
