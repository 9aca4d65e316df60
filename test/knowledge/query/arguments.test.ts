import { beforeAll, describe, expect, test } from '@jest/globals';
import { add, schemaOrg, world } from '../../support/patches.ts';
import { call } from '../../support/service.ts';
import { useService } from '../../support/setUp.ts';

const service = useService();
beforeAll(async () => {
  const country = { type: `${schemaOrg}Country` };
  await call(service.url, 'knowledge/update', {
    mutations: [
      add('urn:c:che', `${schemaOrg}name`, 'Switzerland', country),
      add('urn:c:aut', `${schemaOrg}name`, 'Austria', country),
      add('urn:c:che', `${world}borders`, { id: 'urn:c:aut' }),
    ],
  });
});

interface Refusal {
  code: unknown;
  reason?: string;
  argument?: string;
  path?: unknown;
  variable?: string;
}
type Ask = (query: string, variables?: object) => Promise<{ data?: unknown; error?: Refusal; message?: string }>;

/** A cursor as whoever knows its form could write it. */
const forged = (...members: unknown[]) => Buffer.from(JSON.stringify(members)).toString('base64url');
const byName = (cursor: string) =>
  `{ countriesConnection(sort: {name: ASC}, after: "${cursor}") { edges { node { id } } } }`;

const doors: Record<string, Ask> = {
  'knowledge/query': async (query, variables) => {
    const { result, error } = await call<{ data: unknown }>(service.url, 'knowledge/query', {
      query,
      variables,
    });
    return error ? { error: { ...error.data, code: error.code }, message: error.message } : { data: result.data };
  },
  '/graphql': async (query, variables) => {
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as {
      data: unknown;
      errors?: { message: string; extensions: Refusal }[];
    };
    return errors?.[0] ? { error: errors[0].extensions, message: errors[0].message } : { data };
  },
};

describe.each(Object.entries(doors))('over %s', (_door, ask) => {
  test.each([
    ['first', '{ countriesConnection(first: -1) { totalCount } }', ['countriesConnection', 'first']],
    ['limit', '{ all: countries(limit: -1) { name } }', ['all', 'limit']],
    ['offset', '{ countries { borders(offset: -5) { name } } }', ['countries', 'borders']],
    ['first', '{ entities { statements(first: -1) { id } } }', ['entities', 'statements']],
    ['first', '{ history(subject: "urn:c:che", first: -1) { id } }', ['history']],
    ['after', '{ countriesConnection(after: "e1") { totalCount } }', ['countriesConnection']],
    ['after', '{ countriesConnection(after: "YXJyYXljb25uZWN0aW9uOi01") { totalCount } }', ['countriesConnection']],
    // Without its `=`, and with a space behind it: @neo4j/graphql would begin anew.
    ['after', '{ countriesConnection(after: "YXJyYXljb25uZWN0aW9uOjM") { totalCount } }', ['countriesConnection']],
    ['after', '{ countriesConnection(after: "YXJyYXljb25uZWN0aW9uOjM= ") { totalCount } }', ['countriesConnection']],
    ['after', byName(forged(1, 'name DESC', 0, ['A'], 'urn:c:aut')), ['countriesConnection']],
    ['after', byName(forged(1, 'name ASC', 0, [7], 'urn:c:aut')), ['countriesConnection']],
    ['after', byName(forged(1, 'name ASC', 0, [{ $ne: null }], 'urn:c:aut')), ['countriesConnection']],
    ['after', byName(forged(1, 'name ASC', 0, ['A', 'B'], 'urn:c:aut')), ['countriesConnection']],
    ['after', byName(forged(1, 'name ASC', 0, ['A'], 7)), ['countriesConnection']],
    ['after', byName(forged(2, 'name ASC', 0, ['A'], 'urn:c:aut')), ['countriesConnection']],
    ['after', byName(forged(1, 'name ASC', 0, ['A'.repeat(7_000)], 'urn:c:aut')), ['countriesConnection']],
    // In a connection within, whose cursors are of another form, it would be the beginning.
    [
      'after',
      `{ countries { bordersConnection(after: "${forged(1, 'id ASC', 0, ['urn:c:a'], 'urn:c:a')}") { totalCount } } }`,
      ['countries', 'bordersConnection'],
    ],
    ['where', '{ countries(where: {name: null}) { name } }', ['countries']],
    [
      'where',
      '{ ...F } fragment F on Query { countries(where: {AND: [{borders: null}]}) { name } }',
      ['F', 'countries'],
    ],
  ])('a bad %s is refused with its name and where it stands: %s', async (argument, query, [first, second]) => {
    const { error, message } = await ask(query);
    const path = [first, ...(second === undefined || second === argument ? [] : [second])];
    expect(error).toMatchObject({ code: -32010, reason: 'bad-argument', retryable: false, argument, path });
    expect(message).toContain(`'${argument}'`);
  });

  test('a bad value of a variable is refused with its name', async () => {
    const { error } = await ask('query ($past: Int) { countries(offset: $past) { name } }', {
      past: 2 ** 31,
    });
    expect(error).toMatchObject({ code: -32010, reason: 'bad-argument', variable: 'past' });
    const negative = await ask('query ($most: Int) { countries(limit: $most) { name } }', { most: -1 });
    expect(negative.error).toMatchObject({ code: -32010, reason: 'bad-argument', argument: 'limit' });
  });

  test('the same document is answered with a good value after a bad one', async () => {
    const query = 'query ($most: Int) { countries(limit: $most, sort: [{name: ASC}]) { name } }';
    expect((await ask(query, { most: -1 })).error).toBeDefined();
    expect((await ask(query, { most: 1 })).data).toEqual({ countries: [{ name: 'Austria' }] });
  });

  test.each([
    [
      byName(forged(1, 'name ASC', 0, ['Austria'], 'urn:c:aut')),
      { countriesConnection: { edges: [{ node: { id: 'urn:c:che' } }] } },
    ],
    // It needn't be of a row that is there, or of one that its reader may see.
    [
      byName(forged(1, 'name ASC', 0, ['B'], "' OR true //")),
      { countriesConnection: { edges: [{ node: { id: 'urn:c:che' } }] } },
    ],
    [byName(forged(1, 'name ASC', 0, [null], 'urn:c:a')), { countriesConnection: { edges: [] } }],
    ['{ countriesConnection(first: 0) { totalCount } }', { countriesConnection: { totalCount: 2 } }],
    ['{ countries(where: null, limit: null) { __typename } }', { countries: Array(2).fill({ __typename: 'Country' }) }],
    ['{ countries(where: {name: {eq: null}}) { name } }', { countries: [] }],
    ['{ countries(where: {AND: null, id: {eq: "urn:c:aut"}}) { name } }', { countries: [{ name: 'Austria' }] }],
    [
      '{ countriesConnection(after: "YXJyYXljb25uZWN0aW9uOi0x") { totalCount } }',
      { countriesConnection: { totalCount: 2 } },
    ],
  ])('what is allowed is answered: %s', async (query, expected) => {
    expect((await ask(query)).data).toEqual(expected);
  });

  test.each([
    ['{ countriesConnection { a: aggregate { b: count { c: nodes } } } }', { a: { b: { c: 2 } } }],
    ['{ countriesConnection { aggregate { __typename } } }', { aggregate: { __typename: 'CountryAggregate' } }],
    [
      '{ countriesConnection { aggregate { count { nodes } node { __typename } } } }',
      { aggregate: { count: { nodes: 2 }, node: { __typename: 'CountryAggregateNode' } } },
    ],
    [
      '{ countriesConnection { totalCount aggregate { node { name { __typename } } } } }',
      { totalCount: 2, aggregate: { node: { name: { __typename: 'StringAggregateSelection' } } } },
    ],
    [
      '{ countriesConnection { aggregate { node { n: name { longest } } } } }',
      { aggregate: { node: { n: { longest: 'Switzerland' } } } },
    ],
  ])('an aggregate is answered however it is asked for: %s', async (query, countriesConnection) => {
    expect((await ask(query)).data).toEqual({ countriesConnection });
  });

  test('what a link says of itself is answered where only its type is asked for', async () => {
    const { countries } = (
      await ask(`{ countries(where: {bordersCount: {gt: 0}}) {
        bordersConnection { edges { node { id } shown: properties { __typename } } } } }`)
    ).data as { countries: { bordersConnection: { edges: object[] } }[] };
    const edges = countries.flatMap(({ bordersConnection }) => bordersConnection.edges);
    expect(edges).not.toHaveLength(0);
    for (const edge of edges) {
      expect(edge).toEqual({ node: { id: 'urn:c:aut' }, shown: { __typename: 'StatementProperties' } });
    }
  });

  test.each([
    // The library fails before there is any Cypher, and writes what is none.
    '{ countries(where: {bordersConnection: {aggregate: null}}) { name } }',
    '{ countriesConnection { aggregate { count { nodes } } edges { node { __typename } } } }',
  ])('what @neo4j/graphql cannot translate is refused by name: %s', async (query) => {
    const field = query.includes('Connection {') ? 'countriesConnection' : 'countries';
    const { error, message } = await ask(query);
    expect(error).toMatchObject({ code: -32010, reason: 'untranslatable', retryable: false, field });
    expect(message).toContain(`'${field}'`);
  });

  test('a connection has one aggregate, in fragments too', async () => {
    const query = `{ countriesConnection { aggregate { count { nodes } } ...F } }
      fragment F on CountriesConnection { other: aggregate { count { nodes } } }`;
    const { message } = await ask(query);
    expect(message).toBe(
      "Ask for one 'aggregate' of a connection, not for aggregate and other; its fields may have several names",
    );
  });
});
