import { expect, test } from '@jest/globals';
import { distance, likeness } from '../../../src/graph/search/likeness.ts';

test.each([
  ['switzerland', 'switzerland'],
  ['switz', 'switzerland'],
  ['switserland', 'switzerland'],
  ['swtizerland', 'switzerland'],
  ['iran', 'iraq'],
  ['cities', 'city'],
  ['currensies', 'currency'],
  ['本', '日本'],
])('%s is like %s', (word, other) => {
  expect(likeness(word, other)).toBeGreaterThan(0);
});

test.each([
  ['swaziland', 'switzerland'],
  ['fra', 'fro'],
  ['land', 'switzerland'],
  ['gas', 'ga'],
])('%s is not like %s', (word, other) => {
  expect(likeness(word, other)).toBe(0);
});

test('the same word is likest, then another number of it, then its beginning, then a misspelling', () => {
  const likes = ['country', 'countries', 'countryman', 'couty'].map((other) => likeness('country', other));
  expect(likes[0]).toBe(1);
  expect(likes).toEqual(likes.toSorted((one, other) => other - one));
  expect(new Set(likes).size).toBe(4);
});

test('a beginning says the more the longer it is, and two letters say little', () => {
  expect(likeness('switz', 'switzerland')).toBeGreaterThan(likeness('swit', 'switzerland'));
  expect(likeness('of', 'official')).toBeLessThan(0.2);
  expect(likeness('cit', 'citadel')).toBeCloseTo(0.3, 9);
  expect(likeness('cita', 'citadel')).toBeCloseTo(0.45 + 0.45 * (4 / 7), 9);
});

test.each([
  ['boxes', 'box'],
  ['dishes', 'dish'],
  ['churches', 'church'],
  ['names', 'name'],
  ['city', 'cities'],
  ['glasses', 'glass'],
])('%s and %s are numbers of one word', (word, other) => {
  expect(likeness(word, other)).toBe(0.95);
});

test.each([
  ['switzerland', 'swabzerland', 2],
  ['switabland', 'switbcland', 2],
  ['switbcland', 'switabland', 2],
  ['switabland', 'switbaland', 1],
  ['wsitzerland', 'switzerland', 1],
  ['switzerlad', 'switzerland', 1],
  ['country', 'couty', 2],
  ['xswitzerland', 'switzerland', 1],
])('%s and %s differ by %s letters', (word, other, edits) => {
  expect(likeness(word, other)).toBeCloseTo(0.9 * (1 - edits / word.length), 9);
});

test('a short word may differ by one letter, and no word by three', () => {
  expect(likeness('iran', 'iraqi')).toBe(0);
  expect(likeness('switzerland', 'swibcderland')).toBe(0);
});

/** All that one insertion, deletion, replacement or swap makes of a word. */
function edited(word: string): Set<string> {
  const places = Array.from({ length: word.length + 1 }, (_, at) => [word.slice(0, at), word.slice(at)] as const);
  return new Set(
    places.flatMap(([before, after]) => [
      ...['a', 'b', 'c'].flatMap((letter) => [before + letter + after, before + letter + after.slice(1)]),
      before + after.slice(1),
      before + after.slice(0, 2).split('').reverse().join('') + after.slice(2),
    ]),
  );
}

test('a distance of one is what one edit makes, and nothing else', () => {
  const words = [''];
  for (const word of words) if (word.length < 5) words.push(...['a', 'b', 'c'].map((letter) => word + letter));
  for (const one of words) {
    const near = edited(one);
    for (const other of words) {
      const found = one === other ? 0 : near.has(other) ? 1 : undefined;
      if (distance(one, other, 1) !== found)
        throw new Error(`${one} ${other}: ${distance(one, other, 1)}, not ${found}`);
    }
  }
  expect(words).toHaveLength(364);
});
