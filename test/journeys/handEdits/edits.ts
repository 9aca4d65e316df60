/** An edit that somebody makes in Neo4j, past Concord. */
export interface Edit {
  name: string;
  /**
   * With the parameters `tenant` and `other`, another tenant with the same entities, and the ids of a `country`, which
   * the edit is about, of its `neighbour` and its `city`.
   */
  cypher: string;
  /**
   * What is read of it. `unstated`: the links of the country that it has touched are no statements. `unknown`: this
   * field of it has no value; `untold`: this property of its links. Otherwise only that nothing fails, and that what stands beside is as it was.
   */
  reads?: 'unstated' | { unknown: string } | { untold: string };
}

const country = '(c:Entity {tenant: $tenant, id: $country})';
const neighbour = '(n:Entity {tenant: $tenant, id: $neighbour})';
const links = `MATCH ${country}-[r:BORDERS|CAPITAL]->()`;
const literals = `MATCH ${country}-[r:NAME|AREA|MOTTO|VISITED]->()`;

/** Values of every type, and how each is written. */
const text = "'high'";
const list = '[0.5]';
const far = ['datetime({year: 999999999})', 'datetime({year: -999999999})'];

/** Of each property of an edge, values that it can't have: nobody is told them. */
const untold: Record<string, string[]> = {
  statementId: ["toInteger(split(elementId(r), ':')[2])", '[elementId(r)]'],
  sourceAgentId: ['5', "['x']"],
  predicate: ['5', "['x']"],
  certainty: [text, '7.5', '-1', '-0.1', '0.0 / 0.0', '1.0 / 0.0', list, 'true', 'date()'],
  observedAt: ['null', "'yesterday'", '1700000000', "date('2024-01-01')", 'localdatetime()', '[datetime()]'],
  recordedAt: ['null', "'yesterday'", '1700000000', "date('2024-01-01')", 'localdatetime()', '[datetime()]'],
  revision: ['null', "'first'", '1.5', '[1]'],
  graph: ['5', "['urn:g:open']", 'true'],
  provenance: ['5', "['x']", 'datetime()', '[1, 2]'],
  taskId: ['5', "['x']", 'datetime()'],
  updateId: ['null', '5', "['x']"],
};

/** Of others nothing may fail. */
const odd: Record<string, string[]> = {
  sourceAgentId: ['null'],
  predicate: ['null', "'urn:another'"],
  observedAt: far,
  recordedAt: far,
  revision: ['-1', '9007199254740993'],
  provenance: ["'a plain text'", "'{\"broken'"],
  tenant: ['null', '$other', '5'],
  sources: ["'x'", '[1, 2]', "['x']", '5'],
  sourceDetails: ["'x'", "['no JSON']", '[5]'],
  sourceCertainties: ["'x'"],
};

const edges: Edit[] = [
  ...Object.entries(untold).flatMap(([name, values]) =>
    values.map(
      (value): Edit => ({
        name: `an edge's ${name} = ${value}`,
        cypher: `${links} SET r.${name} = ${value} WITH DISTINCT c MATCH (c)-[r:NAME|AREA|MOTTO|VISITED]->() SET r.${name} = ${value}`,
        reads: { untold: name },
      }),
    ),
  ),
  ...Object.entries(odd).flatMap(([name, values]) =>
    values.map((value): Edit => ({ name: `${name} = ${value}`, cypher: `${links} SET r.${name} = ${value}` })),
  ),
  { name: 'a link without its id', cypher: `${links} REMOVE r.statementId`, reads: 'unstated' },
  { name: 'a literal without its id', cypher: `${literals} REMOVE r.statementId` },
  {
    name: 'lists of voices that are none',
    cypher: `${links} SET r.sources = ['x', 'y'], r.sourceDetails = ['null', '5']`,
  },
  { name: 'a link without properties', cypher: `${links} SET r = {}`, reads: 'unstated' },
  { name: 'a literal edge without properties', cypher: `${literals} SET r = {}` },
  {
    name: 'a bare link made',
    cypher: `${links} DELETE r WITH DISTINCT c MATCH ${neighbour}, (o:Entity {tenant: $tenant, id: $city})
      CREATE (c)-[:CAPITAL]->(o), (c)-[:BORDERS]->(n)`,
    reads: 'unstated',
  },
  { name: 'a link deleted', cypher: `${links} DELETE r`, reads: 'unstated' },
  { name: 'a literal deleted', cypher: `${literals} DELETE r` },
  {
    name: 'a link retyped',
    cypher: `MATCH ${country}-[r:CAPITAL]->(o) CREATE (c)-[new:BORDERS]->(o) SET new = properties(r) DELETE r`,
  },
  {
    name: 'a link retyped to a type of nobody',
    cypher: `MATCH ${country}-[r:CAPITAL]->(o) CREATE (c)-[new:HEADED_BY]->(o) SET new = properties(r) DELETE r`,
  },
  {
    name: 'a statement id doubled',
    cypher: `MATCH ${country}-[r:CAPITAL]->(o) CREATE (c)-[new:BORDERS]->(o) SET new = properties(r)`,
  },
  {
    name: 'a link turned round',
    cypher: `MATCH ${country}-[r:CAPITAL]->(o) WITH c, o, r, properties(r) AS all DELETE r CREATE (o)-[new:CAPITAL]->(c) SET new = all`,
  },
  {
    name: 'two tenants joined',
    cypher: `MATCH ${country}-[r:BORDERS]->(), (o:Entity {tenant: $other, id: 'urn:aut'}) WITH c, o, head(collect(r)) AS r
      CREATE (c)-[new:BORDERS]->(o) SET new = r {.*, statementId: 'joined ' + $country}
      CREATE (o)-[:BORDERS]->(c)`,
  },
  {
    name: "another tenant's literal",
    cypher: `MATCH ${country}-[r:NAME]->(), (:Entity {tenant: $other, id: 'urn:aut'})-[:NAME]->(l) CREATE (c)-[new:NAME]->(l)
      SET new = r {.*, statementId: 'literal ' + $country}`,
  },
  {
    name: 'a past edge spoilt',
    cypher: `MATCH ${country}-[r:PAST]->() SET r.retractedAt = 'yesterday', r.recordedAt = 5`,
  },
  {
    name: 'a past edge of no type',
    cypher: `MATCH ${country}-[r:PAST]->() SET r.relationshipType = 5, r.revision = 'x'`,
  },
  { name: 'a bare past edge', cypher: `MATCH ${country}, ${neighbour} CREATE (c)-[:PAST]->(n)` },
  {
    name: 'an end told of a link',
    cypher: `${links} SET r.retractedAt = 'yesterday', r.retractedRevision = 'x', r.retractedIn = 5, r.retractedBy = 5`,
  },
  { name: 'a type of the past told of a link', cypher: `${links} SET r.relationshipType = 5` },
];

/** Of each field of a country, values that it can't have. */
const wrong: Record<string, string[]> = {
  name: ['5', "['x']", 'true', 'datetime()'],
  code: ['5', "['x']"],
  area: ["'big'", '[1, 2]', 'true', '0.0 / 0.0', '1.0 / 0.0', 'date()'],
  population: ["'many'", '2.5', '1099511627776', 'true', '[1]'],
  landlocked: ["'yes'", '1', '[true]'],
  founded: ["'long ago'", 'datetime()', '5', '[date()]'],
  visited: ["'yesterday'", 'date()', '5', 'localdatetime()', '[datetime()]'],
  motto: ["'one'", '[1, 2]', '5', '[true]'],
  height: ["'tall'", "['tall']", '[1.5]', '5'],
};

const entities: Edit[] = [
  ...Object.entries(wrong).flatMap(([field, values]) =>
    values.map(
      (value): Edit => ({
        name: `${field} = ${value}`,
        cypher: `MATCH ${country} SET c.${field} = ${value}`,
        reads: { unknown: field },
      }),
    ),
  ),
  ...far.map((value) => ({ name: `visited = ${value}`, cypher: `MATCH ${country} SET c.visited = ${value}` })),
  { name: 'a name by hand', cypher: `MATCH ${country} SET c.name = 'Helvetia'` },
  { name: 'a name removed', cypher: `MATCH ${country} REMOVE c.name`, reads: { unknown: 'name' } },
  ...['id', 'tenant', 'type'].flatMap((name) =>
    ['null', '5', "['x']"].map((value) => ({
      name: `an entity's ${name} = ${value}`,
      cypher: `MATCH ${country} SET c.${name} = ${value}`,
    })),
  ),
  { name: 'another tenant', cypher: `MATCH ${country} SET c.id = 'moved ' + $country, c.tenant = $other` },
  { name: 'a certainty beside a field', cypher: `MATCH ${country} SET c.name__certainty = 'x', c.area__certainty = 7` },
  { name: 'the highest certainty', cypher: `MATCH ${country} SET c.highest__certainty = 'low'` },
  { name: 'no Entity', cypher: `MATCH ${country} REMOVE c:Entity` },
  { name: 'no class', cypher: `MATCH ${country} REMOVE c:Country` },
  { name: 'another class', cypher: `MATCH ${country} REMOVE c:Country SET c:City` },
  { name: 'one more class', cypher: `MATCH ${country} SET c:City` },
  { name: 'a label of the system', cypher: `MATCH ${country} SET c:Update:Literal` },
  { name: 'a node without id and tenant', cypher: "CREATE (:Entity:Country {name: 'Nowhere'}), (:Country), (:Entity)" },
  { name: 'a node without id', cypher: "CREATE (:Entity:Country {tenant: $tenant, name: 'Nowhere'})" },
  { name: 'a node without tenant', cypher: "CREATE (:Entity:Country {id: 'nowhere ' + $country, name: 'Nowhere'})" },
  {
    name: 'a node that is no Entity',
    cypher: "CREATE (:Country {tenant: $tenant, id: 'nowhere ' + $country, name: 'Nowhere'})",
  },
  {
    name: 'a node with an id that is none',
    cypher:
      "UNWIND [6, 1.5, true, date(), ['y']] AS id CREATE (:Entity:Country {tenant: $tenant, id: id, name: 'Nowhere'})",
  },
  { name: 'an entity deleted', cypher: `MATCH ${country} DETACH DELETE c` },
  { name: 'an object deleted', cypher: 'MATCH (o:Entity {tenant: $tenant, id: $city}) DETACH DELETE o' },
  ...['value', 'datatype', 'language', 'tenant'].flatMap((name) =>
    ['null', '5', "['x', 'y']", 'datetime()', 'point({x: 1, y: 2})'].map((value) => ({
      name: `a literal's ${name} = ${value}`,
      cypher: `MATCH ${country}-[:NAME|AREA|MOTTO|VISITED]->(l:Literal) SET l.${name} = ${value}`,
    })),
  ),
  {
    name: 'an update spoilt',
    cypher: `MATCH (u:Update {tenant: $tenant}) SET u.proposedAt = 'yesterday', u.justification = 5, u.revision = 'x', u.reviewedBy = ['x']`,
  },
];

/** Every kind of edit. */
export const edits: Edit[] = [...edges, ...entities];
