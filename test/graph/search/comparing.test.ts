import { expect, test } from '@jest/globals';
import { alike, compare, questionOf } from '../../../src/graph/search/comparing.ts';

test('what is nothing but marks is no word of a question', () => {
  expect(questionOf('\u0301').words).toEqual([]);
  expect(questionOf('bern \u0301')).toMatchObject({ words: ['bern'], pairs: [] });
});

test('a word of a question has no character that means something to Lucene, also where folding brings one', () => {
  expect(questionOf('bern\u2474 \u248b').words).toEqual(['bern', '1', '4']);
});

test('of a question its words are asked, each once, and those that stand side by side', () => {
  const { words, pairs } = questionOf('South Korea, north KOREA');
  expect(words).toEqual(['south', 'korea', 'north']);
  expect(pairs).toEqual([
    [0, 1],
    [1, 2],
    [2, 1],
  ]);
});

test('a word that is left out of a long question stands beside none', () => {
  const { words, pairs } = questionOf('aaaaa bbbbb x ccccc ddddd eeeee fffff ggggg hhhhh');
  expect(words).not.toContain('x');
  expect(pairs.map(([one, other]) => `${words[one]} ${words[other]}`)).toEqual([
    'aaaaa bbbbb',
    'ccccc ddddd',
    'ddddd eeeee',
    'eeeee fffff',
    'fffff ggggg',
    'ggggg hhhhh',
  ]);
});

test('a text tells of each word how like its likest is, where that stands, and how much of it is like', () => {
  const question = questionOf('south korea');
  expect(alike(question, 'The Republic of Korea')).toEqual({ words: [0, 1], places: [-1, 3], density: 1 / 4 });
  expect(alike(question, 'Korea Korea South')).toEqual({ words: [1, 1], places: [2, 0], density: 1 });
  expect(alike(question, '')).toEqual({ words: [0, 0], places: [-1, -1], density: 0 });
  // What punctuation parts is found as one, and has no place.
  expect(alike(questionOf('uae'), 'U.A.E.')).toEqual({ words: [1], places: [-1], density: 0 });
});

test('what is like by its kind only is not found', () => {
  const candidate = (id: string, value: string) => ({ id, texts: [{ value, weight: 1 }], kinds: ['Country'] });
  const found = compare(questionOf('country korea'), [candidate('a', 'Korea'), candidate('b', 'France')]);
  expect(found).toMatchObject([{ id: 'a', texts: [{ weight: 1, words: [0, 1] }], kinds: [{ words: [1, 0] }] }]);
});
