import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { parse } from 'graphql';
import { refuseClosedValues } from '../../../src/knowledge/closed/closedValues.ts';
import { buildSchema } from '../../../src/schema/schema.ts';
import { withSubscriptions } from '../../../src/schema/subscription.ts';
import { parseVocabulary } from '../../../src/vocabulary/parse.ts';
import { names } from '../../graph/qualify/vocabulary.ts';
import { schemaOrg, world } from '../../support/patches.ts';

const file = 'test/support/world.graphql';
const schema = await buildSchema(parseVocabulary(await readFile(file, 'utf8'), file), names);
const closed = {
  predicates: new Map([[`${world}borders`, 'secret']]),
  classes: new Map([[`${schemaOrg}Language`, 'secret']]),
};
const refusal = (condition: string, variables?: Record<string, unknown>) => () =>
  refuseClosedValues(schema, parse(condition), variables, closed);

const edge = (condition: string) =>
  `{ countries(where: {bordersConnection: {some: {edge: {predicate: {${condition}}}}}}) { id } }`;

test.each([
  edge(`eq: "${world}borders"`),
  edge(`caseInsensitive: {eq: "${world}BORDERS"}`),
  edge(`caseInsensitive: {in: ["urn:x", "${world}Borders"]}`),
])('a condition that names a closed predicate is refused: %s', (query) => {
  expect(refusal(query)).toThrow(expect.objectContaining({ code: -32013 }));
});

test('one that names a closed class is refused, whatever the case of its letters', () => {
  const query = 'query ($where: EntityWhere) { entities(where: $where) { id } }';
  const where = { OR: [{ type: { caseInsensitive: { eq: `${schemaOrg}LANGUAGE` } } }] };
  expect(refusal(query, { where })).toThrow(expect.objectContaining({ code: -32013 }));
});

test.each([`predicate: {in: ["urn:x", "${world}borders"]}`, `OR: [{NOT: {class: {eq: "${schemaOrg}Language"}}}]`])(
  'statements across entities are refused where they name what is closed: %s',
  (where) => {
    expect(refusal(`{ statements(where: {${where}}) { id } }`)).toThrow(expect.objectContaining({ code: -32013 }));
  },
);

test('what names nothing that is closed is let through', () => {
  expect(refusal(edge(`caseInsensitive: {eq: "${world}capital", contains: "borders"}`))).not.toThrow();
});

test.each([
  [`subscription { statementChanged(where: {predicate: {eq: "${world}borders"}}) { op } }`],
  [`subscription { statementChanged(where: {or: [{object: {type: {in: ["${schemaOrg}Language"]}}}]}) { op } }`],
  [`{ countries { statements(predicate: ["${world}borders"]) { id } } }`],
])('what an argument names that is closed is refused: %s', (text) => {
  const ask = (of: string) => () => refuseClosedValues(withSubscriptions(schema), parse(of), undefined, closed);
  expect(ask(text)).toThrow(expect.objectContaining({ code: -32013 }));
  expect(ask(text.replaceAll(/borders|Language/g, 'open'))).not.toThrow();
});
