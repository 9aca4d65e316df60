import { expect, test } from '@jest/globals';
import { graphql } from 'graphql';
import { buildSchema } from '../../src/schema/schema.ts';
import { parseVocabulary } from '../../src/vocabulary/parse.ts';
import { names } from '../graph/qualify/vocabulary.ts';

const schema = await buildSchema(
  parseVocabulary('extend schema @vocabulary(base: "urn:e:") type Element @class { symbol: String! }', 'e.graphql'),
  names,
);

/** The Cypher that a selection of a connection becomes. */
async function cypherOf(selection: string, rest = ''): Promise<string> {
  const sent: string[] = [];
  const executionContext = {
    run: async (cypher: string) => {
      if (cypher.includes('dbms.components')) return { records: [['5.26.19', 'community']] };
      sent.push(cypher);
      return { records: [], summary: { counters: { updates: () => ({}) } } };
    },
  };
  const source = `{ elementsConnection(first: 2) { ${selection} } } ${rest}`;
  await graphql({ schema, source, contextValue: { executionContext } });
  return sent.join('\n');
}

test.each([
  ['with edges', 'pageInfo { hasNextPage } edges { node { symbol } }', ''],
  ['alone', 'pageInfo { endCursor }', ''],
  ['under an alias, beside one that has the name of edges', 'page: pageInfo { endCursor } edges: __typename', ''],
  ['in fragments', '... { ...of }', 'fragment of on ElementsConnection { pageInfo { hasNextPage } }'],
])('what knows its place %s finds edges and counts nothing', async (_, selection, rest) => {
  const cypher = await cypherOf(selection, rest);
  expect(cypher).toContain('UNWIND edges AS edge');
  expect(cypher).not.toContain('count(');
});

test('what is counted is counted beside it', async () => {
  expect(await cypherOf('pageInfo { hasNextPage } totalCount')).toContain('count(this0) AS totalCount');
});
