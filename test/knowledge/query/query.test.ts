import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import type { QueryResult } from '../../../src/knowledge/query/query.ts';
import type { UpdateResult } from '../../../src/knowledge/update/propose.ts';
import { add, remove, replace, schemaOrg, world } from '../../support/patches.ts';
import { call } from '../../support/service.ts';
import { useService } from '../../support/setUp.ts';

let revision: number;

const country = (name: string) => `urn:country:${name}`;
const Country = `${schemaOrg}Country`;
const City = `${schemaOrg}City`;

const update = async (mutations: object[], rest: object = {}) => {
  const params = { mutations, sourceAgentId: 'atlas', ...rest };
  const { result } = await call<UpdateResult>(service.url, 'knowledge/update', params);
  expect(result.success).toBe(true);
  return result;
};

const query = async (text: string, variables?: object) => {
  const { result, error } = await call<QueryResult>(service.url, 'knowledge/query', {
    query: text,
    variables,
  });
  if (error) throw new Error(error.message);
  return result;
};
const data = async <Data = Record<string, unknown>>(text: string, variables?: object) =>
  (await query(text, variables)).data as Data;

const service = useService();
beforeAll(async () => {
  await update([
    ...['Germany', 'France', 'Poland'].map((name) => add(country(name), `${schemaOrg}name`, name, { type: Country })),
    add(country('Germany'), `${world}population`, 83_000_000, { certainty: 0.9 }),
    add(country('France'), `${world}population`, 68_000_000),
    add(country('Germany'), `${world}area`, 357_022.5),
    add(country('Germany'), `${world}nativeName`, { value: 'Deutschland', language: 'de' }),
    add(
      country('Germany'),
      `${world}capital`,
      { id: 'urn:city:Berlin', type: City },
      {
        certainty: 0.95,
        provenance: { source: 'atlas', timestamp: '2024-05-01T12:00:00Z' },
      },
    ),
    add(country('Germany'), `${world}capital`, { id: 'urn:city:Bonn', type: City }, { certainty: 0.1 }),
    add('urn:city:Berlin', `${schemaOrg}name`, 'Berlin'),
    add('urn:city:Bonn', `${schemaOrg}name`, 'Bonn'),
    add(country('Germany'), `${world}borders`, { id: country('France') }),
    add(country('Germany'), `${world}borders`, { id: country('Poland') }, { certainty: 0.5 }),
    add(country('Germany'), 'urn:other:motto', 'unity', { graph: 'urn:g:motto' }),
    // What was said once and isn't any more.
    add(country('France'), `${world}capital`, { id: 'urn:city:Vichy', type: City }),
    add(country('France'), `${world}region`, 'Atlantis'),
    add(country('France'), 'urn:other:motto', 'none'),
    add('urn:city:Vichy', `${schemaOrg}name`, 'Vichy'),
  ]);
  await update([
    remove(country('France'), `${world}capital`, { id: 'urn:city:Vichy' }),
    replace(country('France'), `${world}region`, 'Europe'),
    remove(country('France'), 'urn:other:motto', 'none'),
    add(country('Germany'), `${world}population`, 83_000_000, { certainty: 0.8 }),
  ]);
  revision = (await update([add(country('France'), `${world}landlocked`, false)], { taskId: 'task-1' })).revision ?? 0;
});

describe('looking up', () => {
  test('by id, with variables', async () => {
    const text =
      'query ($id: ID!) { countries(where: {id: {eq: $id}}) { id type name population area landlocked nativeName } }';
    expect(await data(text, { id: country('Germany') })).toEqual({
      countries: [
        {
          id: country('Germany'),
          type: Country,
          name: 'Germany',
          population: 83_000_000,
          area: 357_022.5,
          landlocked: null,
          nativeName: ['Deutschland'],
        },
      ],
    });
    expect(await data(text, { id: 'nobody' })).toEqual({ countries: [] });
  });

  test('by a field, sorted, in pages', async () => {
    expect(await data('{ countries(where: {name: {startsWith: "P"}}) { name } }')).toEqual({
      countries: [{ name: 'Poland' }],
    });
    expect(await data('{ countries(sort: {name: DESC}, limit: 2, offset: 1) { name } }')).toEqual({
      countries: [{ name: 'Germany' }, { name: 'France' }],
    });
  });

  test.each([
    ['name: {caseInsensitive: {eq: "gERMANY"}}', ['Germany']],
    ['name: {caseInsensitive: {in: ["FRANCE", "poland", "spain"]}}', ['France', 'Poland']],
    ['name: {caseInsensitive: {contains: "AN"}}', ['France', 'Germany', 'Poland']],
    ['name: {caseInsensitive: {startsWith: "fR"}, endsWith: "e"}', ['France']],
    ['NOT: {name: {caseInsensitive: {endsWith: "NY"}}}', ['France', 'Poland']],
    ['borders: {some: {name: {caseInsensitive: {eq: "POLAND"}}}}', ['Germany']],
    ['bordersConnection: {some: {edge: {predicate: {caseInsensitive: {contains: "#BORDERS"}}}}}', ['Germany']],
    ['region: {caseInsensitive: {eq: null}}', ['Germany', 'Poland']],
  ])('by a text whatever the case of its letters: %s', async (where, names) => {
    const found = names.map((name) => ({ name }));
    expect(await data(`{ countries(where: {${where}}, sort: {name: ASC}) { name } }`)).toEqual({ countries: found });
  });

  test('any entity, whatever its class', async () => {
    expect(await data('{ entities(where: {id: {eq: "urn:city:Bonn"}}) { id type } }')).toEqual({
      entities: [{ id: 'urn:city:Bonn', type: City }],
    });
  });
});

describe('following links', () => {
  test('there and back', async () => {
    expect(
      await data(
        '{ cities(where: {name: {eq: "Berlin"}}) { capitalOf { name borders(sort: {name: ASC}) { name } } } }',
      ),
    ).toEqual({
      cities: [{ capitalOf: [{ name: 'Germany', borders: [{ name: 'France' }, { name: 'Poland' }] }] }],
    });
  });

  test('of a certainty, which an edge carries with its provenance', async () => {
    const found = await data(
      `query ($least: Float!) { countries(where: {name: {eq: "Germany"}}) {
         capitalConnection(where: {edge: {certainty: {gte: $least}}}) {
           totalCount edges { node { name } properties { certainty provenance sourceAgentId observedAt revision graph } } } } }`,
      { least: 0.5 },
    );
    expect(found).toEqual({
      countries: [
        {
          capitalConnection: {
            totalCount: 1,
            edges: [
              {
                node: { name: 'Berlin' },
                properties: {
                  certainty: 0.95,
                  provenance: { source: 'atlas', timestamp: '2024-05-01T12:00:00Z' },
                  sourceAgentId: 'atlas',
                  observedAt: '2024-05-01T12:00:00.000Z',
                  revision: 1,
                  graph: null,
                },
              },
            ],
          },
        },
      ],
    });
  });

  test('in a filter', async () => {
    expect(await data('{ countries(where: {capital: {some: {name: {eq: "Berlin"}}}}) { name } }')).toEqual({
      countries: [{ name: 'Germany' }],
    });
  });
});

describe('statements', () => {
  const statements = async (argument: string, fields: string) => {
    const { entities } = await data<{ entities: { statements: object[] }[] }>(
      `query ($id: ID!) { entities(where: {id: {eq: $id}}) { statements${argument} { ${fields} } } }`,
      { id: country('Germany') },
    );
    return entities[0]?.statements;
  };

  test('tell all that is said about an entity, also outside of the vocabulary', async () => {
    const all = await statements('', 'predicate object { id value type language }');
    expect(all).toHaveLength(9);
    expect(all).toContainEqual({
      predicate: 'urn:other:motto',
      object: { id: null, value: 'unity', type: 'http://www.w3.org/2001/XMLSchema#string', language: null },
    });
    expect(all).toContainEqual({
      predicate: `${world}nativeName`,
      object: {
        id: null,
        value: 'Deutschland',
        type: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#langString',
        language: 'de',
      },
    });
    expect(all).toContainEqual({
      predicate: `${world}capital`,
      object: { id: 'urn:city:Berlin', value: null, type: City, language: null },
    });
  });

  test('of some predicates, of a graph, in pages', async () => {
    expect(await statements(`(predicate: ["${world}population", "${world}area"])`, 'object { value }')).toEqual([
      { object: { value: 357_022.5 } },
      { object: { value: 83_000_000 } },
    ]);
    expect(await statements('(graph: "urn:g:motto")', 'graph object { value }')).toEqual([
      { graph: 'urn:g:motto', object: { value: 'unity' } },
    ]);
    const pages = [await statements('(first: 5)', 'id'), await statements('(first: 5, offset: 5)', 'id')].flat();
    expect(pages).toEqual(await statements('', 'id'));
  });

  test('whose object an entity is', async () => {
    expect(
      await data(
        '{ entities(where: {id: {eq: "urn:city:Berlin"}}) { incomingStatements { subject predicate object { id } certainty } } }',
      ),
    ).toEqual({
      entities: [
        {
          incomingStatements: [
            {
              subject: country('Germany'),
              predicate: `${world}capital`,
              object: { id: 'urn:city:Berlin' },
              certainty: 0.95,
            },
          ],
        },
      ],
    });
  });
});

test('nothing of the past is shown: not as a field, a link, a statement or a number', async () => {
  const found = await data(
    `query ($id: ID!) {
       countries(where: {id: {eq: $id}}) { region capital { name } capitalConnection { totalCount } statements { predicate object { id value } } }
       cities(where: {name: {eq: "Vichy"}}) { capitalOf { name } statements { object { value } } }
       entities(where: {id: {eq: "urn:city:Vichy"}}) { incomingStatements { id } }
       none: countries(where: {capital: {some: {name: {eq: "Vichy"}}}}) { name }
     }`,
    { id: country('France') },
  );
  expect(found).toEqual({
    countries: [
      {
        region: 'Europe',
        capital: [],
        capitalConnection: { totalCount: 0 },
        statements: [
          { predicate: `${world}landlocked`, object: { id: null, value: false } },
          { predicate: `${world}population`, object: { id: null, value: 68_000_000 } },
          { predicate: `${world}region`, object: { id: null, value: 'Europe' } },
          { predicate: `${schemaOrg}name`, object: { id: null, value: 'France' } },
        ],
      },
    ],
    cities: [{ capitalOf: [], statements: [{ object: { value: 'Vichy' } }] }],
    entities: [{ incomingStatements: [] }],
    none: [],
  });
});

test('aggregates count and sum', async () => {
  expect(
    await data(
      `{ countriesConnection { aggregate { count { nodes } node { population { max min sum } name { longest } } } }
         entitiesConnection { aggregate { count { nodes } } } }`,
    ),
  ).toEqual({
    countriesConnection: {
      aggregate: {
        count: { nodes: 3 },
        node: {
          population: { max: 83_000_000, min: 68_000_000, sum: 151_000_000 },
          name: { longest: 'Germany' },
        },
      },
    },
    entitiesConnection: { aggregate: { count: { nodes: 6 } } },
  });
});

test('fragments, aliases, __typename, @include and @skip are GraphQL as usual', async () => {
  expect(
    await data(
      `query ($with: Boolean!) {
         a: countries(where: {name: {eq: "Germany"}}) { ...Named }
         b: countries(where: {name: {eq: "France"}}) { ...Named ... on Country { population @skip(if: $with) } }
       }
       fragment Named on Country { __typename called: name area @include(if: $with) }`,
      { with: true },
    ),
  ).toEqual({
    a: [{ __typename: 'Country', called: 'Germany', area: 357_022.5 }],
    b: [{ __typename: 'Country', called: 'France', area: null }],
  });
});

test('the schema can be asked for, whole', async () => {
  const schema = buildClientSchema(await data<IntrospectionQuery>(getIntrospectionQuery()));
  expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toEqual(
    expect.arrayContaining(['countries', 'cities', 'entities']),
  );
  expect(schema.getMutationType() ?? undefined).toBeUndefined();
  expect(Object.keys(schema.getSubscriptionType()?.getFields() ?? {})).toEqual([
    'statementChanged',
    'statementsThenChanges',
    'countryChanged',
    'cityChanged',
    'languageChanged',
    'currencyChanged',
  ]);
});

test('times are ISO 8601, and can be compared', async () => {
  const { countries } = await data<{
    countries: { old: object; statements: { observedAt: string; recordedAt: string }[] }[];
  }>(
    `{ countries(where: {name: {eq: "Germany"}}) {
         old: capitalConnection(where: {edge: {observedAt: {lt: "2024-06-01T00:00:00Z"}}}) { edges { node { name } } }
         statements(predicate: ["${world}capital"]) { observedAt recordedAt } } }`,
  );
  const [germany] = countries;
  expect(germany?.old).toEqual({ edges: [{ node: { name: 'Berlin' } }] });
  const [berlin, bonn] = germany?.statements ?? [];
  expect(berlin?.observedAt).toMatch(/^2024-05-01T12:00:00(\.0+)?Z$/);
  expect(bonn?.observedAt).toBe(bonn?.recordedAt);
  expect(Math.abs(Date.parse(bonn?.recordedAt ?? '') - Date.now())).toBeLessThan(600_000);
});

test('queryMetadata tells the revision, the time and the number of queries', async () => {
  const { queryMetadata } = await query('{ a: countries { name } b: cities { name } }');
  expect(queryMetadata).toMatchObject({ revision, queries: 2 });
  expect(queryMetadata.durationMs).toBeGreaterThan(0);
  expect(queryMetadata.databaseMs).toBeGreaterThan(0);
  const { queryMetadata: nothing } = await query('{ __typename }');
  expect(nothing).toMatchObject({ revision, queries: 0, databaseMs: 0 });
});

test('what an update has answered as applied, the next query shows', async () => {
  for (let n = 0; n < 20; n++) {
    const { revision: made } = await update([replace('urn:x', `${schemaOrg}name`, `name ${n}`)]);
    const { data: found, queryMetadata } = await query(
      '{ entities(where: {id: {eq: "urn:x"}}) { statements { object { value } } } }',
    );
    expect(found).toEqual({ entities: [{ statements: [{ object: { value: `name ${n}` } }] }] });
    expect(queryMetadata.revision).toBe(made);
  }
});

describe('queryMetadata tells', () => {
  const metadataOf = async (params: object) => {
    const answer = await call<QueryResult>(service.url, 'knowledge/query', params);
    return answer.result.queryMetadata;
  };

  test('whether every query started from an index', async () => {
    const byId = `{ countries(where: {id: {eq: "${country('Germany')}"}}) { name borders { name } } }`;
    const byName = '{ countries(where: {name: {eq: "Germany"}}) { name } }';
    expect(await metadataOf({ query: byId })).toMatchObject({ usedIndex: true });
    expect(await metadataOf({ query: byName })).toMatchObject({ usedIndex: true });
    expect(await metadataOf({ query: '{ countries { name } }' })).toMatchObject({ usedIndex: true });
    expect(await metadataOf({ query: '{ entities { id } }' })).toMatchObject({ usedIndex: false });
    expect(await metadataOf({ query: '{ __typename }' })).not.toHaveProperty('usedIndex');
  });

  test('on request how many statements the answer rests on, and how certain the least of them is', async () => {
    const text = '{ countries(where: {name: {eq: "Germany"}}) { population borders { name } } }';
    const metadata = { consulted: true };
    // The population, two borders and two names.
    expect((await metadataOf({ query: text, metadata })).consulted).toEqual({
      statements: 5,
      lowestCertainty: 0.5,
    });
    expect((await metadataOf({ query: text, metadata, requiredCertainty: 0.7 })).consulted).toEqual({
      statements: 3,
      lowestCertainty: 0.8,
    });
    const sum = '{ countriesConnection { aggregate { node { population { sum } } } } }';
    expect((await metadataOf({ query: sum, metadata })).consulted).toEqual({
      statements: 2,
      lowestCertainty: 0.8,
    });
    expect(await metadataOf({ query: text })).not.toHaveProperty('consulted');
  });
});

describe('metadata.afterRevision', () => {
  const names = '{ entities(where: {id: {eq: "urn:y"}}) { statements { object { value } } } }';

  test('reads what another replica has written, as soon as it is there', async () => {
    const before = (await query('{ __typename }')).queryMetadata.revision;
    const asked = call<QueryResult>(service.url, 'knowledge/query', {
      query: names,
      metadata: { afterRevision: before + 1 },
    });
    await update([add('urn:y', `${schemaOrg}name`, 'Y')]);
    const { data: found, queryMetadata } = (await asked).result;
    expect(found).toEqual({ entities: [{ statements: [{ object: { value: 'Y' } }] }] });
    expect(queryMetadata.revision).toBe(before + 1);
  });

  test('of a revision that does not come is an error that tells how far the graph is', async () => {
    const { queryMetadata } = await query('{ __typename }');
    const { error } = await call(service.url, 'knowledge/query', {
      query: names,
      metadata: { afterRevision: queryMetadata.revision + 1_000 },
    });
    expect(error).toMatchObject({
      code: -32010,
      data: { reason: 'revision-not-reached', retryable: true, revision: queryMetadata.revision },
    });
  });
});

describe('an agent’s own Cypher', () => {
  const cypher = async (text: string, rest: object = {}) => {
    const params = { query: text, queryLanguage: 'cypher', ...rest };
    return (await call<QueryResult>(service.url, 'knowledge/query', params)).result;
  };

  test('answers rows of plain JSON', async () => {
    const { data: found, queryMetadata } = await cypher(
      `MATCH (c:Country {id: $id})-[r:BORDERS]->(o)
       RETURN c.name AS name, o.id AS id, r.certainty AS certainty, r.recordedAt AS at, [1, {a: c.area}] AS list ORDER BY id LIMIT $most`,
      { variables: { id: country('Germany'), most: 1 } },
    );
    expect(found).toEqual({
      rows: [
        {
          name: 'Germany',
          id: country('France'),
          certainty: null,
          at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
          list: [1, { a: 357_022.5 }],
        },
      ],
    });
    expect(queryMetadata).toMatchObject({ queries: 1, usedIndex: true });
  });

  test('reads under the same conditions', async () => {
    const text = 'MATCH (:Country)-[r:BORDERS]->(o) RETURN count(r) AS n';
    expect((await cypher(text)).data).toEqual({ rows: [{ n: 2 }] });
    expect((await cypher(text, { requiredCertainty: 0.9 })).data).toEqual({ rows: [{ n: 1 }] });
    const asOf = '2020-01-01T00:00:00Z';
    expect((await cypher(text, { metadata: { asOf } })).data).toEqual({ rows: [{ n: 0 }] });
    const told = await cypher(text, { metadata: { consulted: true } });
    expect(told.data).toEqual({ rows: [{ n: 2 }] });
    expect(told.queryMetadata.consulted).toEqual({ statements: 2, lowestCertainty: 0.5 });
  });
});

describe('texts by language', () => {
  const romansh = 'urn:language:romansh';
  let named: number | undefined;
  beforeAll(async () => {
    const nameOf = (value: string, language: string | undefined, certainty?: number, graph?: string) =>
      add(
        romansh,
        `${schemaOrg}name`,
        { value, ...(language && { language }) },
        { type: `${schemaOrg}Language`, ...(certainty !== undefined && { certainty }), ...(graph && { graph }) },
      );
    ({ revision: named } = await update([
      nameOf('Romansh', 'en', 0.9),
      nameOf('Rumantsch', undefined, 0.4),
      nameOf('Bündnerromanisch', 'de', 0.3, 'urn:g:de'),
      nameOf('Rätoromanisch', 'de-CH', 0.6),
      nameOf('Romanche', 'FR', 0.2),
      nameOf('Rhaeto-Romance', 'en', 0.5),
      add(romansh, `${world}spoken`, { id: country('Germany') }),
    ]));
    await update([
      remove(romansh, `${schemaOrg}name`, { value: 'Romansh', language: 'en' }),
      ...['Deutschland#de', 'Allemagne#fr', 'Germania', 'Germany#en'].map((each) => {
        const [value = '', language] = each.split('#');
        const object = { value, ...(language && { language }) };
        return add(country('Germania'), `${world}nativeName`, object, { type: Country });
      }),
    ]);
  });
  const name = async (lang: string, rest: object = {}, variables?: object) => {
    const declared = variables ? 'query ($lang: [String!])' : '';
    const text = `${declared} { languages(where: {id: {eq: "${romansh}"}}, sort: {name: ASC}) { name(lang: ${lang}) } }`;
    const params = { query: text, ...rest, ...(variables && { variables }) };
    const { result, error } = await call<QueryResult>(service.url, 'knowledge/query', params);
    if (error) throw new Error(error.message);
    const [found] = (result.data?.languages ?? []) as { name: string | null }[];
    return found?.name;
  };

  test.each([
    ['["de"]', 'Rätoromanisch'],
    ['["it", "fr", "de"]', 'Romanche'],
    ['["DE-ch"]', 'Rätoromanisch'],
    ['["d", "it"]', 'Rumantsch'],
    ['[]', 'Rumantsch'],
    ['["en"]', 'Rhaeto-Romance'],
    ['null', 'Rätoromanisch'],
  ])('are the best of the first language that has one, then of none: %s', async (lang, found) => {
    expect(await name(lang)).toBe(found);
  });

  test('are asked for by variables, which may be absent', async () => {
    expect(await name('$lang', {}, { lang: ['fr'] })).toBe('Romanche');
    expect(await name('$lang', {}, {})).toBe('Rätoromanisch');
  });

  test('are those that meet the conditions of the query', async () => {
    expect(await name('["fr", "de"]', { requiredCertainty: 0.25 })).toBe('Rätoromanisch');
    expect(await name('["fr"]', { requiredCertainty: 0.5 })).toBeNull();
    expect(await name('["en"]', { metadata: { asOfRevision: named } })).toBe('Romansh');
  });

  test('of a list are all, in the order of the languages', async () => {
    const ofGermania = `where: {id: {eq: "${country('Germania')}"}}`;
    expect(
      await data(`{ countries(${ofGermania}) { nativeName(lang: ["fr", "de"]) none: nativeName(lang: ["it"]) } }`),
    ).toEqual({
      countries: [{ nativeName: ['Allemagne', 'Deutschland', 'Germania'], none: ['Germania'] }],
    });
  });

  test('stand beside others under other names, in connections, links and fragments', async () => {
    const text = `query ($lang: [String!]!) {
      languagesConnection(where: {id: {eq: "${romansh}"}}, sort: {name: DESC}, first: 1) { edges { node { ...F } } }
    } fragment F on Language { id name fr: name(lang: $lang) de: name(lang: ["de"]) }`;
    expect(await data(text, { lang: ['fr'] })).toEqual({
      languagesConnection: {
        edges: [{ node: { id: romansh, name: 'Rätoromanisch', fr: 'Romanche', de: 'Rätoromanisch' } }],
      },
    });
    const taken = `{ languages(where: {id: {eq: "${romansh}"}}) {
      name(lang: ["fr"]) name__ofLanguage: id name__ofLanguage_: type de: name(lang: ["de"]) } }`;
    expect(await data(taken)).toEqual({
      languages: [
        {
          ...{ name: 'Romanche', name__ofLanguage: romansh },
          ...{ name__ofLanguage_: `${schemaOrg}Language`, de: 'Rätoromanisch' },
        },
      ],
    });
    const borders = `{ countries(where: {name: {eq: "Germany"}}) { borders(where: {name: {eq: "France"}}) { name(lang: ["de"]) } } }`;
    expect(await data(borders)).toEqual({ countries: [{ borders: [{ name: 'France' }] }] });
  });
});
