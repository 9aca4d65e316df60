/** A query, and of whose answer the rows are compared that an edit hasn't touched. */
export interface Reading {
  name: string;
  query: string;
  language?: 'cypher';
}

const scalars = 'id type name code area population landlocked founded visited motto height';
const said = 'predicate graph certainty provenance sourceAgentId observedAt';
const statement = `subject object { id value type language } ${said} sources { sourceAgentId certainty provenance observedAt }`;
/** What differs between tenants and times: asked for, and left out where answers are compared. */
const volatile = 'taskId updateId recordedAt revision';
const number = '{ average min max sum }';

const graphql: Record<string, string> = {
  scalars: `{ countries(sort: {id: ASC}) { ${scalars} } }`,
  cities: '{ cities(sort: {id: ASC}) { id name capitalOf { id name } capitalOfCount } }',
  links: '{ countries(sort: {id: ASC}) { id name capital { id name } borders { id name area } bordersCount } }',
  byLanguage: '{ countries(sort: {id: ASC}) { id english: name(lang: ["en"]) mottos: motto(lang: ["en"]) } }',
  edges: `{ countries(sort: {id: ASC}) { id
    capitalConnection { edges { node { id name } properties { statementId ${said} ${volatile} } } }
    bordersConnection(sort: [{edge: {certainty: DESC}}, {edge: {observedAt: ASC}}, {node: {name: ASC}}]) {
      edges { node { id name } properties { statementId ${said} ${volatile} } } } } }`,
  certainEdges: `{ countries(sort: {id: ASC}) { id
    bordersConnection(where: {edge: {certainty: {gte: 0.1, lte: 1}}}) { edges { node { id } properties { certainty } } } } }`,
  observedEdges: `{ countries(sort: {id: ASC}) { id
    bordersConnection(where: {edge: {observedAt: {gte: "2020-01-01T00:00:00Z"}}}) { edges { node { id } properties { observedAt } } } } }`,
  otherEdges: `{ countries(sort: {id: ASC}) { id
    bordersConnection(where: {edge: {NOT: {certainty: {lt: 0.1}}}}) { edges { node { id } } } } }`,
  edgeAggregates: `{ countries(sort: {id: ASC}) { id
    bordersConnection { aggregate { count { nodes edges } node { area ${number} name { shortest longest } }
      edge { certainty ${number} observedAt { min max } recordedAt { min max } } } } } }`,
  connection: `{ countriesConnection(first: 2, sort: [{area: DESC}]) { totalCount
    edges { cursor node { ${scalars} } } pageInfo { endCursor hasNextPage } } }`,
  connectionByTime: '{ countriesConnection(sort: [{visited: DESC}]) { edges { cursor node { id visited founded } } } }',
  connectionByName: '{ countriesConnection(sort: [{name: ASC}]) { edges { cursor node { id name } } } }',
  aggregates: `{ countriesConnection { aggregate { count { nodes } node { area ${number} population ${number}
    name { shortest longest } visited { min max } } } } }`,
  groups: '{ countriesGroupBy { count keys { area population landlocked founded visited code } } }',
  groupsByName: '{ countriesGroupBy { count keys { name } } }',
  byArea: '{ countries(where: {area: {gte: 1}}, sort: {area: ASC}) { id area } }',
  byNoArea: '{ countries(where: {area: {eq: null}}, sort: {id: ASC}) { id area } }',
  byOtherArea: '{ countries(where: {NOT: {area: {eq: 1}}}, sort: {id: ASC}) { id area } }',
  byPopulation: '{ countries(where: {population: {lt: 100}}, sort: {population: DESC}) { id population } }',
  byName: '{ countries(where: {name: {startsWith: "A"}}, sort: {name: ASC}) { id name } }',
  byCase: '{ countries(where: {name: {caseInsensitive: {contains: "A"}}}, sort: {name: DESC}) { id name } }',
  byMotto: '{ countries(where: {motto: {includes: "one"}}, sort: {id: ASC}) { id motto } }',
  byTime: '{ countries(where: {visited: {gte: "2000-01-01T00:00:00Z"}}, sort: {visited: ASC}) { id visited } }',
  byDay: '{ countries(where: {founded: {gte: "0900-01-01"}}, sort: {founded: ASC}) { id founded } }',
  byLandlocked: '{ countries(where: {landlocked: {eq: true}}, sort: {landlocked: ASC}) { id landlocked } }',
  byLink: '{ countries(where: {borders: {some: {area: {gt: 0}}}}, sort: {id: ASC}) { id } }',
  byCapital: '{ countries(where: {capital: {name: {contains: "r"}}}, sort: {id: ASC}) { id } }',
  byEdge: '{ countries(where: {capitalConnection: {edge: {certainty: {gte: 0.5}}}}, sort: {id: ASC}) { id } }',
  entities: `{ entities(sort: {id: ASC}) { id type statements { ${statement} ${volatile} id } incomingStatements { ${statement} } } }`,
  entitiesPage: '{ entitiesConnection { totalCount edges { cursor node { id type } } } }',
  statements: `{ statements(sort: [{subject: ASC}, {predicate: ASC}, {observedAt: DESC}, {certainty: ASC}]) { ${statement} ${volatile} id } }`,
  certainStatements: `{ statements(where: {certainty: {gte: 0.1}}, sort: [{certainty: DESC}]) { ${statement} } }`,
  observedStatements: `{ statements(where: {observedAt: {gte: "2020-01-01T00:00:00Z"}}, sort: [{observedAt: ASC}]) { ${statement} } }`,
  statementsThen: `{ countries(sort: {id: ASC}) { id statements(asOf: "2100-01-01T00:00:00Z") { ${statement} ${volatile} id } } }`,
  rootStatementsThen: `{ statements(asOf: "2100-01-01T00:00:00Z") { ${statement} } }`,
  history: `query ($country: ID!) { history(subject: $country, first: 1000) { id ${statement} ${volatile} retractedAt retractedBy retractedRevision
    update { id sourceAgentId justification proposedAt revision } retraction { id proposedAt revision } } }`,
  historyBeside: `{ history(subject: "urn:aut") { ${statement} retractedAt } }`,
};

const cypher: Record<string, string> = {
  cypherNodes: `MATCH (c:Country) RETURN c.id AS id, c.name AS name, c.area AS area, c.population AS population,
    c.visited AS visited, c.founded AS founded ORDER BY id`,
  cypherMath: 'MATCH (c:Country) RETURN avg(c.area) AS average, sum(c.population) AS sum, min(c.area) AS least',
  cypherEdges: `MATCH (a:Entity)-[r]->(b) RETURN a.id AS id, type(r) AS type, b.id AS other, b.value AS value,
    r.certainty AS certainty, r.observedAt AS observedAt, r.statementId AS statementId, r.sourceAgentId AS agent ORDER BY id, type, other, value`,
  cypherTime:
    'MATCH (a:Country)-[r:BORDERS]->(b) RETURN a.id AS id, max(r.observedAt) AS newest, avg(r.certainty) AS certainty ORDER BY id',
  cypherPath: 'MATCH (a:Country {id: "urn:aut"})-[:BORDERS*1..3]->(b) RETURN DISTINCT b.id AS id ORDER BY id',
  cypherCount:
    'MATCH (a:Country) RETURN a.id AS id, COUNT { (a)-->() } AS all, EXISTS { (a)-[:BORDERS]->() } AS borders ORDER BY id',
};

const readingOf =
  (language?: 'cypher') =>
  ([name, query]: [string, string]): Reading => ({ name, query, ...(language && { language }) });

/** Every kind of reading. */
export const readings: Reading[] = [
  ...Object.entries(graphql).map(readingOf()),
  ...Object.entries(cypher).map(readingOf('cypher')),
];

const some = new Set(
  'scalars links edges byLanguage edgeAggregates byOtherArea statements history cypherEdges cypherMath'.split(' '),
);

/** Some of them, for readers beside the first: Neo4j plans each anew for each kind of conditions. */
export const someReadings = readings.filter(({ name }) => some.has(name));
