import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type GraphQLSchema, graphql, Kind, parse } from 'graphql';
import neo4j from 'neo4j-driver';
import { buildSchema, printedSchema, toNeo4jTypeDefs } from '../../src/schema/schema.ts';
import { VocabularyError } from '../../src/vocabulary/faults.ts';
import type { Names } from '../../src/vocabulary/names.ts';
import { parseVocabulary } from '../../src/vocabulary/parse.ts';
import { derivedTypes, reservedClassName } from '../../src/vocabulary/reserved.ts';
import { neo4jSettings } from '../support/service.ts';

const vocabulary = parseVocabulary(
  `
  extend schema @vocabulary(base: "https://example.org/geo#")
  "A \\"state\\", \\\\ of sorts"
  type Country @class {
    name: String!
    population: Int @predicate(indexed: true)
    languages: [String!]
    founded: DateTime
    capital: [City!]!
    borders: [Country!]!
  }
  type City @class { name: String!  area: Float  coastal: Boolean  since: Date  code: ID  capitalOf: [Country!]! @inverse(of: "capital") }
  type Task @class { borders: [Country] }
  `,
  'geo.graphql',
);

const localName = (iri: string) => iri.slice(iri.indexOf('#') + 1).replace(/\W/g, '_');

/** Names that differ from the fields', so that a name that isn't looked up is found out. */
const names: Names = {
  relationshipType: (predicate) => `GEO_${localName(predicate)}`,
  property: (predicate) => (localName(predicate) === 'population' ? 'population_2' : localName(predicate)),
  label: (classIri) => `Geo_${localName(classIri)}`,
};

const { NEO4J_URI, NEO4J_USER, NEO4J_PASSWORD } = neo4jSettings;
const driver = neo4j.driver(NEO4J_URI, neo4j.auth.basic(NEO4J_USER, NEO4J_PASSWORD));
const tenant = 'vocabulary-schema-test';
const geo = (name: string) => `https://example.org/geo#${name}`;
let schema: GraphQLSchema;

beforeAll(async () => {
  schema = await buildSchema(vocabulary, names);
  await driver.executeQuery('MATCH (n {tenant: $tenant}) DETACH DELETE n', { tenant });
  await driver.executeQuery(
    `CREATE (de:Entity:\`Geo_Country\` {tenant: $tenant, id: $tenant + ':de', type: $country, name: 'Germany',
        population_2: 83000000, languages: ['German'], founded: datetime('1949-05-23T00:00:00Z'), value: 'not a literal'})
     CREATE (fr:Entity:\`Geo_Country\` {tenant: $tenant, id: $tenant + ':fr', type: $country, name: 'France'})
     CREATE (b:Entity:\`Geo_City\` {tenant: $tenant, id: $tenant + ':berlin', type: $city, name: 'Berlin',
        area: 891.5, coastal: false, since: date('1237-10-28')})
     CREATE (de)-[:GEO_capital {statementId: 's1', predicate: $capital, certainty: 0.9, revision: 7, graph: 'urn:g',
        provenance: '{"source":{"page":3}}', sourceAgentId: 'urn:agent', observedAt: datetime('2024-01-02T03:04:05.678Z')}]->(b)
     CREATE (fr)-[:GEO_borders {statementId: 's2', predicate: $borders}]->(de)
     CREATE (de)-[:MOTTO {statementId: 's3', predicate: 'urn:motto', certainty: 0.2}]->
        (:Literal {tenant: $tenant, value: 'Einigkeit', datatype: 'urn:string', language: 'de'})
     CREATE (de)-[:MOTTO {statementId: 's4', predicate: 'urn:motto'}]->
        (:Literal {tenant: $tenant, value: toInteger(42), datatype: 'urn:integer'})
     CREATE (de)-[:PAST {statementId: 's5', predicate: 'urn:motto'}]->(:Literal {tenant: $tenant, value: true})
     CREATE (de)-[:NO_STATEMENT]->(fr)`,
    { tenant, country: geo('Country'), city: geo('City'), capital: geo('capital'), borders: geo('borders') },
  );
});

afterAll(async () => {
  await driver.executeQuery('MATCH (n {tenant: $tenant}) DETACH DELETE n', { tenant });
  await driver.close();
});

/** The data that a query answers with; `$id` finds `tenant:de` and the like. */
async function answer(source: string, id: string): Promise<unknown> {
  const session = driver.session();
  try {
    const result = await session.executeRead((executionContext) =>
      graphql({
        schema,
        source,
        variableValues: { id: `${tenant}:${id}` },
        contextValue: { executionContext },
      }),
    );
    expect(result.errors).toBeUndefined();
    // Without the null prototypes that GraphQL answers with.
    return JSON.parse(JSON.stringify(result.data));
  } finally {
    await session.close();
  }
}

test('an entity is found by id and shows its projected values, whatever their properties are called', async () => {
  const query = 'query($id: ID!) { countries(where: { id: { eq: $id } }) { type name population languages } }';
  expect(await answer(query, 'de')).toEqual({
    countries: [{ type: geo('Country'), name: 'Germany', population: 83_000_000, languages: ['German'] }],
  });
  const filter = `query($id: ID!) { countries(where: { id: { eq: $id }, population: { gt: 5 } }) { name } }`;
  expect(await answer(filter, 'de')).toEqual({ countries: [{ name: 'Germany' }] });
});

test('dates, floats and booleans come as GraphQL writes them, and what nobody stated is null', async () => {
  const query = 'query($id: ID!) { cities(where: { id: { eq: $id } }) { area coastal since code } }';
  expect(await answer(query, 'berlin')).toEqual({
    cities: [{ area: 891.5, coastal: false, since: '1237-10-28', code: null }],
  });
});

test('a link carries its statement, and filters by it', async () => {
  const query = `query($id: ID!) { countries(where: { id: { eq: $id } }) {
    capitalConnection(where: { edge: { certainty: { gte: 0.5 } } }) {
      edges { node { name } properties { statementId predicate graph certainty provenance sourceAgentId taskId revision } }
      aggregate { edge { certainty { min } } }
    }
    uncertain: capitalConnection(where: { edge: { certainty: { lt: 0.5 } } }) { totalCount }
  } }`;
  const properties = {
    statementId: 's1',
    predicate: geo('capital'),
    graph: 'urn:g',
    certainty: 0.9,
    provenance: { source: { page: 3 } },
    sourceAgentId: 'urn:agent',
    taskId: null,
    revision: 7,
  };
  expect(await answer(query, 'de')).toEqual({
    countries: [
      {
        capitalConnection: {
          edges: [{ node: { name: 'Berlin' }, properties }],
          aggregate: { edge: { certainty: { min: 0.9 } } },
        },
        uncertain: { totalCount: 0 },
      },
    ],
  });
});

test('an inverse reads the link from its other end', async () => {
  const query = 'query($id: ID!) { cities(where: { id: { eq: $id } }) { capitalOf { name borders { name } } } }';
  expect(await answer(query, 'berlin')).toEqual({
    cities: [{ capitalOf: [{ name: 'Germany', borders: [] }] }],
  });
});

test('statements lists what is stated now, known predicate or not, most certain first', async () => {
  const query = `query($id: ID!) { countries(where: { id: { eq: $id } }) {
    statements { id subject predicate object { id value type language } graph certainty provenance observedAt }
  } }`;
  const none = { graph: null, provenance: null, observedAt: null };
  const subject = `${tenant}:de`;
  const berlin = { id: `${tenant}:berlin`, value: null, type: geo('City'), language: null };
  expect(await answer(query, 'de')).toEqual({
    countries: [
      {
        statements: [
          {
            ...{
              id: 's1',
              subject,
              predicate: geo('capital'),
              object: berlin,
              graph: 'urn:g',
              certainty: 0.9,
            },
            ...{ provenance: { source: { page: 3 } }, observedAt: '2024-01-02T03:04:05.678Z' },
          },
          {
            ...{ id: 's4', subject, predicate: 'urn:motto', certainty: null, ...none },
            object: { id: null, value: 42, type: 'urn:integer', language: null },
          },
          {
            ...{ id: 's3', subject, predicate: 'urn:motto', certainty: 0.2, ...none },
            object: { id: null, value: 'Einigkeit', type: 'urn:string', language: 'de' },
          },
        ],
      },
    ],
  });
});

test('statements can be limited to predicates, to a graph and to a page', async () => {
  const query = `query($id: ID!) { entities(where: { id: { eq: $id } }) {
    mottos: statements(predicate: ["urn:motto", "urn:other"]) { id }
    second: statements(predicate: ["urn:motto"], first: 1, offset: 1) { id }
    graph: statements(graph: "urn:g") { id }
  } }`;
  expect(await answer(query, 'de')).toEqual({
    entities: [{ mottos: [{ id: 's4' }, { id: 's3' }], second: [{ id: 's3' }], graph: [{ id: 's1' }] }],
  });
});

test('any entity can be read without its class, with what is said about it elsewhere', async () => {
  const query = `query($id: ID!) { entities(where: { id: { eq: $id } }) { type
    incomingStatements { id subject object { id value } }
  } }`;
  expect(await answer(query, 'de')).toEqual({
    entities: [
      {
        type: geo('Country'),
        incomingStatements: [{ id: 's2', subject: `${tenant}:fr`, object: { id: `${tenant}:de`, value: null } }],
      },
    ],
  });
});

test('a DateTime is selected through APOC', async () => {
  const { records } = await driver.executeQuery(
    "SHOW FUNCTIONS YIELD name WHERE name = 'apoc.date.convertFormat' RETURN name",
  );
  expect(records).toHaveLength(1);
  const query = `query($id: ID!) { countries(where: { id: { eq: $id }, founded: { lt: "1950-01-01T00:00:00Z" } }) {
    founded capitalConnection { edges { properties { observedAt recordedAt } } }
  } }`;
  expect(await answer(query, 'de')).toEqual({
    countries: [
      {
        founded: '1949-05-23T00:00:00.000Z',
        capitalConnection: {
          edges: [{ properties: { observedAt: '2024-01-02T03:04:05.678Z', recordedAt: null } }],
        },
      },
    ],
  });
});

test('the schema can only be read', async () => {
  expect(schema.getMutationType()).toBeUndefined();
  expect(schema.getSubscriptionType()).toBeUndefined();
  const source = 'mutation { createCountries(input: [{ name: "Atlantis" }]) { info { nodesCreated } } }';
  const { errors } = await graphql({ schema, source });
  expect(errors?.[0]?.message).toBe('Schema is not configured to execute mutation operation.');
});

test('the published SDL is the same for the same vocabulary and tells the IRIs', async () => {
  const printed = printedSchema(schema);
  expect(printedSchema(await buildSchema(vocabulary, names))).toBe(printed);
  expect(printed).toContain(`"""\nA "state", \\ of sorts\n\nClass <${geo('Country')}>\n"""\ntype Country {`);
  expect(printed).toContain(`  """Predicate <${geo('population')}>"""\n  population: Int\n`);
  expect(printed).toMatch(/^ {2}name\(\n.*\n.*\n.*\n {4}lang: \[String!\]\n {2}\): String$/m);
  expect(printed).not.toContain('__ofLanguage');
  expect(printed).toContain(`  """Inverse of predicate <${geo('capital')}>"""\n  capitalOf(`);
});

test('every type of the generated schema has a reserved or a derived name', () => {
  const derived = new Set(vocabulary.classes.flatMap((each) => derivedTypes(each).map(({ type }) => type)));
  for (const { name } of vocabulary.classes) derived.add(name);
  const types = Object.keys(schema.getTypeMap()).filter((each) => !each.startsWith('__'));
  expect(types.filter((each) => !derived.has(each) && !reservedClassName(each))).toEqual([]);
});

test('classes without anything to aggregate or to say give a schema', async () => {
  const bare = parseVocabulary(
    `extend schema @vocabulary(base: "urn:x:")
    type Bare @class { id: ID! }  type Flag @class { up: Boolean bare: Bare }  type news @class { all: [news] }`,
    'f',
  );
  const fields = (await buildSchema(bare, names)).getQueryType()?.getFields() ?? {};
  expect(Object.keys(fields)).toEqual(expect.arrayContaining(['bares', 'flags', 'news', 'entities']));
  await buildSchema({ base: 'urn:x:', classes: [] }, names);
});

test('two classes with the same plural are refused', async () => {
  const clash = parseVocabulary(
    'extend schema @vocabulary(base: "urn:x:") type City @class { a: Int } type Cities @class { a: Int }',
    'f',
  );
  await expect(buildSchema(clash, names)).rejects.toThrow(VocabularyError);
});

test('any name and any description goes through the SDL unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, description) => {
      const classes = vocabulary.classes.map((each) => ({ ...each, description }));
      const same = () => name;
      // Types and labels stand in Cypher too, where they must be names of Concord's making.
      const made = () => `T${name.replace(/[^\p{L}\p{N}_]/gu, '')}`;
      const sdl = toNeo4jTypeDefs({ ...vocabulary, classes }, { relationshipType: made, property: same, label: made });
      const types = parse(sdl).definitions.flatMap((each) => (each.kind === Kind.OBJECT_TYPE_DEFINITION ? [each] : []));
      const country = types.find((each) => each.name.value === 'Country');
      const label = country?.directives?.[0]?.arguments?.[0]?.value;
      expect(label).toMatchObject({ values: [{ value: made() }, { value: 'Entity' }] });
      const link = country?.fields?.find((each) => each.name.value === 'capital');
      expect(link?.directives?.[0]?.arguments?.[0]?.value).toMatchObject({ value: made() });
      if (description) expect(country?.description?.value.startsWith(description)).toBe(true);
    }),
    { numRuns: 50 },
  );
});
