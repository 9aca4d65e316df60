import { expect, test } from '@jest/globals';
import { type Candidate, compare, questionOf } from '../../../src/graph/search/comparing.ts';
import { type Link, ranked } from '../../../src/graph/search/ranking.ts';

/** The ids in their order; each candidate is given by the text that it is called by, or by texts and their weights. */
function order(
  text: string,
  things: Record<string, string | [string, number][]>,
  { links, kinds = {} }: { links?: Link[]; kinds?: Record<string, string> } = {},
): string[] {
  const candidates = Object.entries(things).map(([id, given]): Candidate => {
    const texts = typeof given === 'string' ? [[given, 1] as const] : given;
    return {
      id,
      texts: texts.map(([value, weight]) => ({ value, weight })),
      kinds: id in kinds ? [kinds[id] as string] : [],
    };
  });
  const question = questionOf(text);
  return ranked(question, compare(question, candidates), { ...(links && { links }) }).map(({ id }) => id);
}

test('a misspelt name goes before the words that everything has', () => {
  const islands = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`isle${index}`, `Isle of Man ${index}`]));
  expect(order('capital of Frnace', { ...islands, france: 'France' })[0]).toBe('france');
  expect(order('capital of Frnace', { man: 'Isle of Man', france: 'France' })).toEqual(['france', 'man']);
});

test('stop words alone find what has them, the text of nothing else first', () => {
  expect(order('of the', { man: 'Isle of Man', both: 'Bank of the Isle', only: 'Of the', none: 'France' })).toEqual([
    'only',
    'both',
    'man',
  ]);
});

test('a rare word goes before a frequent one that is longer', () => {
  const things = { a: 'Republic One', b: 'Republic Two', c: 'Republic Three', chad: 'Chad One' };
  expect(order('republic chad', things)).toEqual(['chad', 'a', 'b', 'c']);
});

test('the name goes before another label, and that before another text', () => {
  const things: Record<string, [string, number][]> = {
    text: [['Guinea', 0.6]],
    label: [['Guinea', 0.9]],
    name: [['Guinea', 1]],
  };
  expect(order('Guinea', things)).toEqual(['name', 'label', 'text']);
});

test('the whole text goes before one that has more words, and that before one that only begins so', () => {
  expect(order('Guinea', { png: 'Papua New Guinea', gnb: 'Guinea-Bissau', gin: 'Guinea', gui: 'Guineapig' })).toEqual([
    'gin',
    'gnb',
    'png',
    'gui',
  ]);
});

test('words in their order go before the same words in another', () => {
  const things = { a: 'Korea Republic South', b: 'South Korea Republic' };
  expect(order('South Korea', things)).toEqual(['b', 'a']);
});

const towns = { a: 'Kingston', b: 'Kingston', jamaica: 'Jamaica' };

test('what a link joins to another that is found goes before its like', () => {
  expect(order('Kingston Jamaica', towns).indexOf('a')).toBeLessThan(order('Kingston Jamaica', towns).indexOf('b'));
  const links = [{ from: 'jamaica', to: 'b', name: 'capital' }];
  const near = order('Kingston Jamaica', towns, { links });
  expect(near.indexOf('b')).toBeLessThan(near.indexOf('a'));
});

test('a link to what is found by the same words lends nothing, whatever it is called', () => {
  const links = [{ from: 'a', to: 'b', name: 'Kingston' }];
  const alone = order('Kingston town', { x: 'Kingston', ...towns });
  expect(order('Kingston town', { x: 'Kingston', ...towns }, { links })).toEqual(alone);
});

test('the kind helps what is found by a text, and finds nothing by itself', () => {
  const things = { a: 'French', b: 'French', other: 'Spanish' };
  const kinds = { b: 'Language', other: 'Language' };
  expect(order('language Frenhc', things, { kinds })).toEqual(['b', 'a']);
});

test('what is alike stands by its id', () => {
  expect(order('Congo', { b: 'Congo', c: 'Congo', a: 'Congo' })).toEqual(['a', 'b', 'c']);
});

test('what a link is called helps both that it joins, and one to nothing, or to itself, is passed over', () => {
  const things = { a: 'Kingston', b: 'Kingston', jamaica: 'Jamaica' };
  const of = (links: Link[]) => order('capital Jamaica Kingston', things, { links });
  const nothing = of([]);
  expect(nothing).toEqual(['jamaica', 'a', 'b']);
  expect(of([{ from: 'b', to: 'absent', name: 'capital' }])).toEqual(nothing);
  expect(of([{ from: 'absent', to: 'b', name: 'capital' }])).toEqual(nothing);
  expect(of([{ from: 'b', to: 'b', name: 'capital' }])).toEqual(nothing);
  const called = of([
    { from: 'a', to: 'jamaica', name: 'twin' },
    { from: 'b', to: 'jamaica', name: 'capital' },
  ]);
  expect(called.indexOf('b')).toBeLessThan(called.indexOf('a'));
});
