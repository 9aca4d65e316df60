/** Up to so many steps at the worst, the runtime's own search does. */
const ownSteps = 1_000_000;

/**
 * Whether a text has a part in it, as `includes` tells it, in time that the sum of their lengths bounds: the algorithm
 * of Knuth, Morris and Pratt. `includes` takes the product of the lengths at the worst, minutes for a long text.
 */
export function containsPart(text: string, part: string): boolean {
  if (text.length * part.length <= ownSteps) return text.includes(part);
  if (part.length > text.length) return false;
  const borders = bordersOf(part);
  let met = 0;
  for (let at = 0; at < text.length; at++) {
    met = next(part, borders, met, text.charCodeAt(at));
    if (met === part.length) return true;
  }
  return false;
}

/** For each beginning of the part, how long the longest shorter one is that it ends with. */
function bordersOf(part: string): Int32Array {
  const borders = new Int32Array(part.length + 1);
  for (let at = 1; at < part.length; at++) borders[at + 1] = next(part, borders, borders[at] ?? 0, part.charCodeAt(at));
  return borders;
}

/** How much of the part is met after one more character. */
function next(part: string, borders: Int32Array, met: number, unit: number): number {
  let left = met;
  while (left > 0 && part.charCodeAt(left) !== unit) left = borders[left] ?? 0;
  return part.charCodeAt(left) === unit ? left + 1 : left;
}
