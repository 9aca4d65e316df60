import { expect, test } from '@jest/globals';
import { folded, luceneQuery, tokensOf, wordsOf } from '../../../src/graph/search/words.ts';

test('words hold letters and digits only, in lower case, each once', () => {
  expect(wordsOf('Foo-bar AND (baz:qux) "foo"~2 ÉTÉ 中国')).toEqual('foo bar and baz qux 2 été 中国'.split(' '));
  expect(wordsOf('+-&|!(){}[]^"~*?:\\/')).toEqual([]);
});

test('of more words than are looked for the shortest fall away, in their order', () => {
  const long = 'what is the name of the currency that is used by the people in Liechtenstein';
  expect(wordsOf(long)).toEqual('what the name currency that used people liechtenstein'.split(' '));
});

test('a full-text query has each word, its beginning and its misspellings, the longer words first, and the phrase', () => {
  expect(luceneQuery(['swiss'], true)).toBe('swiss^4 swiss*^0.5 swiss~1^3');
  expect(luceneQuery(['swiss'], false)).toBe('swiss^4 swiss*^0.5');
  expect(luceneQuery(['of', 'swiss'], true)).toBe('of^1.01 of*^0.13 swiss^4 swiss*^0.5 swiss~1^3 "of swiss"~2^4');
});

test('a text is compared by its words without accents, and by what punctuation parts as one', () => {
  expect(tokensOf("Nuku'alofa is in Tonga, U.A.E. is not")).toEqual({
    words: 'nuku alofa is in tonga u a e is not'.split(' '),
    joined: ['nukualofa', 'uae'],
  });
  expect(folded('Österreich Ελλάδα 한국 भारत')).toBe('osterreich ελλαδα 한국 भारत');
});
