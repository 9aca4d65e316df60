import { editsFor, isUnspaced } from './words.ts';

/**
 * How like a word another is: 1 the same, above 0 where it begins with the word, is another number of it (`cities` of
 * `city`), or differs in as few letters as `luceneQuery` lets it; else 0.
 * @param word what is asked for, folded
 * @param other what there is, folded
 */
export function likeness(word: string, other: string): number {
  if (word === other) return 1;
  return Math.max(
    singularOf(word) === singularOf(other) ? 0.95 : 0,
    asBeginning(word, other),
    asMisspelling(word, other),
    singularOf(word) === word ? 0 : 0.95 * asMisspelling(singularOf(word), singularOf(other)),
  );
}

/** The more of the other word is there the better; a few letters begin many words. */
function asBeginning(word: string, other: string): number {
  const share = word.length / other.length;
  if (other.startsWith(word)) return word.length < 4 && !isUnspaced(word) ? 0.7 * share : 0.45 + 0.45 * share;
  // Where words aren't parted, one stands inside of others.
  return isUnspaced(word) && other.includes(word) ? 0.45 * share : 0;
}

function asMisspelling(word: string, other: string): number {
  const edits = distance(word, other, editsFor(word));
  return edits === undefined ? 0 : 0.9 * (1 - edits / word.length);
}

/** English's, which the names in vocabularies are of. */
function singularOf(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || word.endsWith('ss')) return word;
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return /(?:[sxz]|[cs]h)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

/**
 * How many insertions, deletions, replacements and swaps of neighbours make one word of the other; undefined where they
 * are more than `most`.
 */
export function distance(one: string, other: string, most: number): number | undefined {
  if (most === 0 || Math.abs(one.length - other.length) > most) return undefined;
  if (most === 1) return editOf(one, other);
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next.push(
        Math.min(
          at(last, column) + 1,
          at(next, column - 1) + 1,
          at(last, column - 1) + (same ? 0 : 1),
          swapped ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    if (Math.min(...next) > most) return undefined;
    [before, last] = [last, next];
  }
  const edits = at(last, other.length);
  return edits <= most ? edits : undefined;
}

/** The same for one at most of words whose lengths differ by no more: without a table, for long texts have many words. */
function editOf(one: string, other: string): number | undefined {
  if (one === other) return 0;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  let start = 0;
  while (start < short.length && short[start] === long[start]) start += 1;
  let [end, longEnd] = [short.length, long.length];
  while (end > start && short[end - 1] === long[longEnd - 1]) {
    end -= 1;
    longEnd -= 1;
  }
  const [inShort, inLong] = [end - start, longEnd - start];
  const isSwap = inShort === 2 && inLong === 2 && short[start] === long[start + 1] && short[start + 1] === long[start];
  return inLong === 1 || isSwap ? 1 : undefined;
}

const at = (row: number[], column: number) => row[column] ?? Number.POSITIVE_INFINITY;
