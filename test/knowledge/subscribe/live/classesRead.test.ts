import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { parse, validate } from 'graphql';
import { classesReader } from '../../../../src/knowledge/subscribe/live/classesRead.ts';
import { buildSchema } from '../../../../src/schema/schema.ts';
import { parseVocabulary } from '../../../../src/vocabulary/parse.ts';
import { names } from '../../../graph/qualify/vocabulary.ts';

const file = 'test/support/world.graphql';
const vocabulary = parseVocabulary(await readFile(file, 'utf8'), file);
const schema = await buildSchema(vocabulary, names);
const classesRead = classesReader(schema, vocabulary);

/** The local names of the classes; undefined for any. */
function read(source: string, variables?: Record<string, unknown>) {
  const document = parse(source);
  expect(validate(schema, document)).toEqual([]);
  const found = classesRead(document, variables);
  return found && [...found].map((iri) => iri.replace(/^.*[/#]/, '')).sort();
}

const all = ['City', 'Country', 'Currency', 'Language'];

test.each([
  ['a list', '{ countries { name __typename } }', ['Country']],
  ['what it leads to', '{ cities { capitalOf { languages { name } } } }', ['City', 'Country', 'Language']],
  ['a connection', '{ countriesConnection { edges { node { name } } } }', ['Country']],
  ['only the number of a connection', '{ countriesConnection { aggregate { count { nodes } } } }', ['Country']],
  ['the connection of an entity', '{ countries { bordersConnection { edges { node { name } } } } }', ['Country']],
  ['two lists', '{ a: countries { name } b: currencies { name } }', ['Country', 'Currency']],
  ['a fragment', 'query { ...all } fragment all on Query { cities { name } }', ['City']],
  ['a condition on its own field', '{ countries(where: {name: {eq: "x"}}) { name } }', ['Country']],
])('of %s only these classes are read', (_what, source, expected) => {
  expect(read(source)).toEqual(expected);
});

test.each([
  ['a linked entity', '{ countries(where: {capital: {some: {name: {eq: "x"}}}}) { name } }'],
  ['one from which others are reached', '{ cities(where: {capitalOf: {some: {name: {eq: "x"}}}}) { name } }'],
  ['one of several', '{ countries(where: {OR: [{capital: {some: {name: {eq: "x"}}}}]}) { name } }'],
])('of a condition on %s all are read that it may lead to', (_what, source) => {
  expect(read(source)).toEqual(all);
});

const city = 'query($w: CityWhere) { countries(where: {capital: {some: $w}}) { name } }';
const cityByDefault = 'query($w: CityWhere = {name: {eq: "x"}}) { countries(where: {capital: {some: $w}}) { name } }';

test.each([
  ['a variable within it', city, { w: { name: { eq: 'x' } } }],
  ['the default of a variable within it', cityByDefault, {}],
  ['the number of its links', '{ countries(where: {bordersCount: {gt: 5}}) { name } }', {}],
  ['an order by the number of links', '{ countries(sort: [{languagesCount: DESC}]) { name } }', {}],
  [
    'an order in a variable',
    'query($s: [CountrySort!]) { countries(sort: $s) { name } }',
    { s: { bordersCount: 'ASC' } },
  ],
  ['links of a linked entity', '{ cities { capitalOf(where: {bordersCount: {gt: 5}}) { name } } }', {}],
])('of %s all are read, too', (_what, source, variables) => {
  expect(read(source, variables)).toEqual(all);
});

test('of several conditions on its own fields only its class is read', () => {
  const where = '{OR: [{name: {eq: "x"}}, {NOT: {AND: [{code: {in: ["a"]}}, {area: {gt: 5}}]}}]}';
  expect(read(`{ countries(where: ${where}) { name } }`)).toEqual(['Country']);
});

test('a number of links counts those of another class', () => {
  expect(read('{ countries { languagesCount } }')).toEqual(['Country', 'Language']);
});

test('a long list in a variable is no deep one', () => {
  const source = 'query($codes: [String!]) { countries(where: {code: {in: $codes}}) { name } }';
  expect(read(source, { codes: Array.from({ length: 200_000 }, () => 'x') })).toEqual(['Country']);
});

test('a condition in a variable counts as one in the text', () => {
  const source = 'query($where: CountryWhere) { countries(where: $where) { name } }';
  expect(read(source, { where: { name: { eq: 'x' } } })).toEqual(['Country']);
  expect(read(source, { where: { capital: { some: { name: { eq: 'x' } } } } })).toEqual(all);
});

test.each([
  ['entities of any class', '{ entities { id } }'],
  ['them beside others', '{ countries { name } entities { id } }'],
  ['those that statements point at', '{ countries { statements { object { id type } } } }'],
])('%s are of any class', (_what, source) => {
  expect(read(source)).toBeUndefined();
});
