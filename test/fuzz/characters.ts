import type { Random } from '../graph/qualify/random.ts';

const characters = [
  ...['\u0000', '\r', '\n', '\u2028', '\ufeff', '\u200b', '\u0301', '😀', '\ud83d', '\ude00', '\u0027', 'ſ', 'İ'],
  ...[...'`\'"\\/*$(){}[]|&!%:;,.<>=~^+-0 '],
];

/** The text with characters left out, put in, doubled or in other places. */
export function mutatedByCharacters(random: Random, text: string): string {
  let changed = text;
  for (let times = random.pick([1, 1, 2, 4]); times > 0; times--) {
    const at = random.below(changed.length + 1);
    const to = at + random.below(6);
    const [before, middle, behind] = [changed.slice(0, at), changed.slice(at, to), changed.slice(to)];
    changed = random.pick([
      () => before + behind,
      () => before + random.pick(characters) + middle + behind,
      () => before + middle + middle + behind,
      () => before + random.pick(characters).repeat(random.pick([2, 10, 500])) + middle + behind,
      () => before + middle.toUpperCase() + behind,
      () => before + [...middle].reverse().join('') + behind,
      () => before + String.fromCharCode(random.below(65_536)) + middle.slice(1) + behind,
      () => before,
      () => behind + before,
    ])();
  }
  return changed;
}
