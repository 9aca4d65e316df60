/** More are not looked for: each is several clauses for each field. */
const mostWords = 8;

/**
 * The words of a text in lower case, without the characters that mean something to Lucene, which are no letters, marks
 * or digits.
 */
export function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return [...new Set(words)].slice(0, mostWords);
}

/** Letters that may differ: none in a short word, where one makes another word. */
function editsFor(word: string): number {
  return word.length < 4 ? 0 : word.length < 7 ? 1 : 2;
}

/**
 * A full-text query for texts that have one of the words, or begin one with it.
 * @param words as `wordsOf` gives them: nothing else may stand in a query
 * @param fuzzy whether words that differ in a few letters are found too
 */
export function luceneQuery(words: string[], fuzzy: boolean): string {
  return words
    .map((word) => {
      const edits = editsFor(word);
      return `${word}^4 ${word}*${fuzzy && edits > 0 ? ` ${word}~${edits}` : ''}`;
    })
    .join(' ');
}

/** Characters of a text that are compared. */
const compared = 2_000;

/** Whether the text holds one of the words, or one that differs from it in as few letters as `luceneQuery` lets it. */
export function isLike(words: string[], text: string): boolean {
  const lower = text.slice(0, compared).toLowerCase();
  if (words.some((word) => lower.includes(word))) return true;
  const others = lower.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.some((word) => {
    const edits = editsFor(word);
    return edits > 0 && others.some((other) => isWithin(word, other, edits));
  });
}

/** Whether so few insertions, deletions, replacements and swaps of neighbours make one word of the other. */
function isWithin(one: string, other: string, edits: number): boolean {
  if (Math.abs(one.length - other.length) > edits) return false;
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      const swapped = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next.push(
        Math.min(
          at(last, column) + 1,
          at(next, column - 1) + 1,
          at(last, column - 1) + (same ? 0 : 1),
          swapped ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [before, last] = [last, next];
  }
  return at(last, other.length) <= edits;
}

const at = (row: number[], column: number) => row[column] ?? Number.POSITIVE_INFINITY;
