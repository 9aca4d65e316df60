/** What moves a cursor, ends a line, or turns one around. */
const unprintable = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/**
 * What a foreign database says, as a text on one line: without control characters, well formed, and cut to a length.
 * @param most characters, of UTF-16
 */
export function plainText(text: string, most: number): string {
  const plain = text.toWellFormed().replace(unprintable, ' ').trim();
  return plain.length <= most ? plain : `${plain.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
