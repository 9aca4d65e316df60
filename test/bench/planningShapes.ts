import type { Conditions } from '../../src/graph/qualify/qualifier.ts';

/** What is planned: GraphQL, which @neo4j/graphql makes Cypher of, or Cypher as agents write it. */
export interface PlanningShape {
  name: string;
  text: string;
  language?: 'cypher';
}

/** Documents of `test/fuzz/graphql/vocabulary.graphql`, from look-ups to what overtaxed Neo4j's planner. */
export const planningShapes: PlanningShape[] = [
  { name: 'look-up by id', text: '{ people(where: {id: {eq: "urn:Person:1"}}) { id name age born } }' },
  { name: 'look-up, every field', text: '{ events { id type value at guestsCount placeCount } }' },
  {
    name: 'two hops',
    text: '{ people(where: {name: {eq: "Ann"}}) { name friends { name worksAt { name } } } }',
  },
  {
    name: 'three hops with conditions',
    text: `{ people(where: {age: {gt: 1}}) { name
      friends(where: {member: {eq: true}}) { name
        worksAt(where: {name: {startsWith: "O"}}) { name within(where: {opened: {gt: "1990-01-01"}}) { name } } } } }`,
  },
  {
    name: 'nested connections with conditions',
    text: `{ peopleConnection(where: {name: {contains: "n"}}) { edges { node { name
      friendsConnection(where: {node: {age: {gte: 20}}, edge: {certainty: {gte: 0.2}}}) { edges { properties { certainty } node { name
        worksAtConnection(where: {node: {name: {eq: "Oslo"}}}) { edges { node { name opened } } } } } } } } } }`,
  },
  {
    name: 'conditions on links of links',
    text: `{ people(where: {friends: {some: {worksAt: {some: {within: {some: {name: {eq: "Oslo"}}}}}}},
      AND: [{friends: {some: {age: {gt: 5}}}}, {NOT: {friends: {none: {member: {eq: true}}}}}]}) { id } }`,
  },
  {
    name: 'aggregates with conditions',
    text: `{ peopleConnection(where: {friendsConnection: {aggregate: {node: {age: {average: {gt: 5}}}}}}) {
      aggregate { count { nodes } node { age { average min max } height { average } } } } }`,
  },
  {
    name: 'a sorted page of counts',
    text: `{ peopleConnection(first: 5, sort: [{friendsCount: DESC}, {name: ASC}]) {
      edges { cursor node { name friendsCount worksAtCount } } pageInfo { endCursor hasNextPage } } }`,
  },
  {
    name: 'statements of entities',
    text: `{ entities(where: {id: {in: ["urn:Person:1", "urn:Place:2"]}}) { id
      statements(first: 5) { id predicate certainty object { id value } } incomingStatements(first: 5) { subject } } }`,
  },
  {
    name: 'statements across entities',
    text: '{ statements(where: {certainty: {gte: 0.1}}, sort: [{observedAt: DESC}], limit: 5) { id subject object { id value } } }',
  },
  {
    name: 'Cypher: a path, and what there isn’t',
    language: 'cypher',
    text: `MATCH (a:Person)-[r:FRIEND]->(b:Person)-[:WORKS_AT]->(p:Place) WHERE a.age > 1 AND b.name STARTS WITH 'A'
      AND NOT EXISTS { (a)-[:BOSS]->(b) } RETURN a.name AS a, b.name AS b, p.name AS p ORDER BY a, b, p LIMIT 10`,
  },
  {
    name: 'Cypher: sub-queries',
    language: 'cypher',
    text: `MATCH (a:Person) CALL (a) { MATCH (a)-[:FRIEND]->(b:Person) WHERE b.age > 5 RETURN count(b) AS n }
      RETURN a.name AS a, n, COLLECT { MATCH (a)-[:WORKS_AT]->(p:Place) WHERE p.opened IS NOT NULL RETURN p.name } AS at,
        COUNT { (a)-->(:Literal) } AS said ORDER BY n, a`,
  },
  {
    name: 'Cypher: paths that repeat',
    language: 'cypher',
    text: `MATCH (a:Person {id: 'urn:Person:1'})-[:FRIEND]->{1,3}(b:Person)
      WHERE b.age > 1 RETURN b.name AS b, count(*) AS n ORDER BY n, b`,
  },
];

const tenant = 'north';
const graphs = { default: true, named: ['urn:g:1'] };

/** What limits the reading, each with what it is called. `closed` is filled in by who knows the names. */
export const planningConditions: [name: string, conditions: Conditions][] = [
  ['tenant', { tenant }],
  ['certainty', { tenant, requiredCertainty: 0.5 }],
  ['age', { tenant, observedSince: new Date(0) }],
  ['graphs', { tenant, graphs }],
  ['as of a time', { tenant, asOf: new Date(4e12) }],
  ['as of a revision', { tenant, asOfRevision: 5 }],
  ['all', { tenant, requiredCertainty: 0.5, observedSince: new Date(0), graphs, asOfRevision: 5 }],
];
