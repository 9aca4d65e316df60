import { expect, test } from '@jest/globals';
import { hasMatching, type Matching, matchingOf, matchingQuery } from '../../../src/graph/search/matching.ts';

const asked = (text: string): Matching => {
  const found = matchingOf(text);
  if (typeof found === 'string') throw new Error(found);
  return found;
};
const has = (text: string, value: string) => hasMatching(asked(text), value);

test.each([
  ['france', 'The Republic of France', 'a word, whatever its case'],
  ['repub', 'The Republic of France', 'the beginning of one'],
  ['frnace', 'France', 'two letters swapped'],
  ['frrance', 'France', 'a letter more'],
  ['frace', 'France', 'a letter less'],
  ['frence', 'France', 'another letter'],
  ['francce', 'France', 'a letter twice'],
  ['france republic', 'The Republic of France', 'words in another order'],
  ['"republic of france"', 'The Republic of France', 'a phrase'],
  ['the "of france"', 'The Republic of France', 'a word beside a phrase'],
  ["O'Hara", "Scarlett O'Hara", 'a word with an apostrophe'],
  ['3,5', 'of 3,5 m', 'a number'],
  ['京', '東京都', 'a character where words are not parted'],
])('%s is found in %s: %s', (text, value) => {
  expect(has(text, value)).toBe(true);
});

test.each([
  ['frnca', 'France', 'two faults'],

  ['ran', 'Iran', 'not the beginning'],
  ['mal', 'Mbl', 'a short word is as it is written'],
  ['france spain', 'France', 'one of the words is missing'],
  ['"france republic"', 'The Republic of France', 'a phrase in another order'],
  ['hara', "Scarlett O'Hara", 'what stands behind an apostrophe is no beginning'],
  ['"frnace"', 'France', 'a phrase is as it is written'],
  ['"republic france"', 'The Republic of France', 'not side by side'],
])('%s is not found in %s: %s', (text, value) => {
  expect(has(text, value)).toBe(false);
});

test('what has no word, or too many, or is too long, is told', () => {
  expect(matchingOf(' "" !*~')).toBe('has no word');
  expect(matchingOf('a b c d e f "g h i j k l" m')).toBe('has 13 words, more than 12');
  expect(matchingOf('a'.repeat(201))).toBe('has 201 characters, more than 200');
});

test('nothing but words goes into the query of the index', () => {
  expect(matchingQuery('name', asked('a:b. "c* d" OR'))).toBe(
    '+(name:a name:a*) +(name:b name:b*) +(name:or name:or*) +(name:"c d")',
  );
  const [, expression = ''] = /\/(.*)\//.exec(matchingQuery('name', asked('wien'))) ?? [];
  expect(expression.split('|')).toEqual(
    '.?ien .wien iwen w.?en w.ien wein wi.?n wi.en wine wie.? wie.n wien.'.split(' '),
  );
});

test('the expression for a misspelt word is true of what the comparison is true of', () => {
  const letters = ['a', 'b'];
  const words = (length: number): string[] =>
    length === 0 ? [''] : words(length - 1).flatMap((each) => letters.map((letter) => letter + each));
  const all = [3, 4, 5, 6].flatMap(words);
  for (const word of words(4).concat(words(5))) {
    const [, expression = ''] = /\/(.*)\//.exec(matchingQuery('name', asked(word))) ?? [];
    const isLike = (each: string) => each.startsWith(word) || new RegExp(`^(${expression})$`).test(each);
    expect(all.filter(isLike)).toEqual(all.filter((each) => has(word, each)));
  }
});
