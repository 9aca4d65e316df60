import { expect, test } from '@jest/globals';
import { isLike, luceneQuery, wordsOf } from '../../../src/graph/search/words.ts';

test('words hold letters and digits only, in lower case, each once', () => {
  expect(wordsOf('Foo-bar AND (baz:qux) "foo"~2 ÉTÉ 中国')).toEqual('foo bar and baz qux 2 été 中国'.split(' '));
  expect(wordsOf('+-&|!(){}[]^"~*?:\\/')).toEqual([]);
  expect(luceneQuery(['foo', 'swiss'], true)).toBe('foo^4 foo* swiss^4 swiss* swiss~1');
  expect(luceneQuery(['swiss'], false)).toBe('swiss^4 swiss*');
});

test.each([
  ['switzerland', 'Switzerland', true],
  ['switz', 'Switzerland', true],
  ['switserland', 'Switzerland', true],
  ['swtizerland', 'in Switzerland today', true],
  ['swaziland', 'Switzerland', false],
  ['fra', 'Fro', false],
  ['iran', 'Iraq', true],
])('whether %s is like %s: %s', (word, text, expected) => {
  expect(isLike(wordsOf(word), text)).toBe(expected);
});
