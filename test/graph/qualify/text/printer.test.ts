import { expect, test } from '@jest/globals';
import {
  count,
  cypher,
  join,
  literal,
  nameOf,
  type Piece,
  property,
  Variable,
} from '../../../../src/graph/qualify/text/piece.ts';
import { lengthOf, print } from '../../../../src/graph/qualify/text/printer.ts';

test('a template takes no text that was made while running', () => {
  const made = ['RETURN 1; MATCH (n) DETACH DELETE n'];
  const template = Object.assign([...made], { raw: made }) as unknown as TemplateStringsArray;
  expect(() => cypher(template)).toThrow('Cypher is made of templates only');
});

test('variables are numbered, whatever a caller has called them, and the same one keeps its number', () => {
  const [one, other] = [new Variable(), new Variable()];
  expect(print(cypher`MATCH (${one})-->(${other}) RETURN ${one} = ${other}`).cypher).toBe(
    'MATCH (v1)-->(v2) RETURN v1 = v2',
  );
});

test('values travel as parameters, one for equal values of one type', () => {
  const values = ['a', '1', 1, 1n, 'a', ['1']].map(literal);
  const { cypher: text, literals } = print(cypher`RETURN ${join(values, cypher`, `)}`);
  expect(text).toBe('RETURN $l1, $l2, $l3, $l4, $l1, $l5');
  expect(literals).toEqual({ l1: 'a', l2: '1', l3: 1, l4: 1n, l5: ['1'] });
});

test("a caller's parameters are told by the names that they have in the text", () => {
  const parameter = { is: 'given', name: 'own.tenant' } as const;
  const { cypher: text, given } = print(cypher`RETURN ${parameter}, ${{ is: 'given', name: 'x' }}, ${parameter}`);
  expect(text).toBe('RETURN $g1, $g2, $g1');
  expect([...given]).toEqual([
    ['g1', 'own.tenant'],
    ['g2', 'x'],
  ]);
});

test.each(['a`b', 'a b', '', '😀', 'a\\u0060'])('the name %j is not printed', (name) => {
  expect(() => print(cypher`RETURN ${property(new Variable(), name)}`)).toThrow('Not a name');
  expect(() => print(cypher`MATCH (:${nameOf(name)})`)).toThrow('Not a name');
});

test.each([-1, 1.5, Number.NaN, 2 ** 60])('%d is no count', (value) => {
  expect(() => print(cypher`LIMIT ${count(value)}`)).toThrow('Not a count');
});

test('what stands in a hundred places doubles is measured without being printed', () => {
  let piece: Piece = cypher`1`;
  for (let level = 0; level < 100; level++) piece = cypher`${piece}+${piece}`;
  expect(lengthOf(piece)).toBeGreaterThan(2 ** 100);
});
