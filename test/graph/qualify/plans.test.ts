import { afterAll, beforeAll, expect, test } from '@jest/globals';
import neo4j, { type Plan, type ProfiledPlan } from 'neo4j-driver';
import { migrate } from '../../../src/graph/setup/migrations.ts';
import { operatorsOf } from '../../support/plans.ts';
import { type Conditions, Qualifier } from '../../support/qualifier.ts';
import { emptyGraph, testDatabase } from '../../support/service.ts';
import { closedOf } from './closedNames.ts';
import { leakVocabulary, projectedFields } from './vocabulary.ts';

const database = testDatabase();
const qualifier = new Qualifier(projectedFields(leakVocabulary));
const tenantOnly = { tenant: 'north' };
const certain = { tenant: 'north', requiredCertainty: 0.5 };
const closed = { tenant: 'north', closed: closedOf({ predicates: ['boss'], classes: ['Place'] }) };
const everything: Conditions = {
  ...certain,
  ...closed,
  graphs: { default: true, named: ['urn:g:1'] },
  observedSince: new Date(0),
  asOf: new Date(),
};

beforeAll(async () => {
  await emptyGraph();
  await migrate(database);
  await database.run('WRITE', 'CREATE INDEX field_Person_name IF NOT EXISTS FOR (n:Person) ON (n.tenant, n.name)');
  await database.run(
    'WRITE',
    `UNWIND range(1, 2000) AS number
     CREATE (n:Entity:Person {tenant: 'north', id: 'p' + number, name: 'Name ' + number})
     CREATE (n)-[:NAME {certainty: 0.9, tenant: 'north', observedAt: datetime(), recordedAt: datetime(), statementId: 's' + number}]->
       (:Literal {tenant: 'north', value: 'Name ' + number})
     WITH collect(n) AS all UNWIND range(0, 1998) AS number
     WITH all[number] AS one, all[number + 1] AS other, number
     CREATE (one)-[:FRIEND {certainty: 0.9, tenant: 'north', observedAt: datetime(), recordedAt: datetime(), statementId: 'f' + number}]->(other)`,
  );
  await database.run('READ', 'CALL db.awaitIndexes(300)');
  // What the planner knows of an index lags behind what was written.
  await database.run('READ', 'CALL db.prepareForReplanning(60)');
});

afterAll(async () => {
  await database.run('WRITE', 'DROP INDEX field_Person_name IF EXISTS');
  await database.close();
});

/** Where the plan begins: its leaves, without those that take over what is bound. */
async function startsOf(cypher: string, conditions: Conditions): Promise<string[]> {
  return (await planOf(cypher, conditions, leaves)).filter((each) => each !== 'Argument');
}

async function planOf(
  cypher: string,
  conditions: Conditions,
  read: (plan: Plan | ProfiledPlan) => string[],
): Promise<string[]> {
  const qualified = qualifier.qualify(cypher, conditions);
  const session = database.session('READ');
  try {
    const parameters = qualified.parametersFor({ id: 'p7', name: 'Name 7' });
    const { summary } = await session.run(`EXPLAIN ${qualified.cypher}`, parameters);
    return summary.plan === false ? [] : read(summary.plan);
  } finally {
    await session.close();
  }
}

function leaves(plan: Plan | ProfiledPlan): string[] {
  const inner = plan.children.flatMap((each) => leaves(each));
  return inner.length > 0 ? inner : [plan.operatorType.replace('@neo4j', '')];
}

const lookup = 'MATCH (this:Person&Entity) WHERE this.id = $id';
const byName = 'MATCH (this:Person&Entity) WHERE this.name = $name';
const one = 'CALL (this) { MATCH (this)-[a:FRIEND]->(b:Person&Entity) RETURN collect(b {.id, .name}) AS friends }';
const two = `CALL (this) { MATCH (this)-[a:FRIEND]->(b:Person&Entity)
  CALL (b) { MATCH (b)-[c:FRIEND]->(d:Person&Entity) RETURN collect(d.name) AS names } RETURN collect(b {.id, names: names}) AS friends }`;

test.each([
  ['look-up by id', `${lookup} RETURN this {.id, .name} AS this`],
  ['one hop', `${lookup} ${one} RETURN this {.id, friends: friends} AS this`],
  ['two hops', `${lookup} ${two} RETURN this {.id, friends: friends} AS this`],
  ['a property map', 'MATCH (:Person {id: $id})-[:FRIEND]->(friend) RETURN friend.id AS id'],
])('%s begins with the key of an entity, under any conditions', async (_, cypher) => {
  for (const conditions of [tenantOnly, certain, closed, everything]) {
    expect(await startsOf(cypher, conditions)).toEqual(['NodeUniqueIndexSeek']);
  }
});

test.each([
  ['by an indexed property', `${byName} RETURN this {.id, .name} AS this`],
  ['by an indexed property, and a hop', `${byName} ${one} RETURN this {.id, friends: friends} AS this`],
  ['a property map', 'MATCH (n:Person {name: $name}) RETURN n.id AS id'],
])('look-up %s begins with its index, also where certainty is required or something is closed', async (_, cypher) => {
  for (const conditions of [tenantOnly, certain, closed]) {
    expect(await startsOf(cypher, conditions)).toEqual(['NodeIndexSeek']);
  }
});

test('a page of statements is taken in the order of the index, without sorting what is behind it', async () => {
  const page = `MATCH (s:Entity)-[r]->(o) WHERE s.id >= $id AND (s.id > $id OR r.statementId > 's')
    RETURN s.id AS subject, r.statementId AS id, o.value AS value ORDER BY s.tenant, subject, id LIMIT 10`;
  for (const conditions of [{ tenant: 'north', asOfRevision: 7 }, everything]) {
    const all = await planOf(page, conditions, operatorsOf);
    expect(all).toContain('NodeUniqueIndexSeek');
    expect(all).toContain('PartialTop');
    expect(all).not.toContain('Sort');
  }
});

/** What Neo4j has looked at for a plan that it has run. */
const hitsOf = ({ dbHits, children }: ProfiledPlan): number =>
  children.reduce((sum, each) => sum + hitsOf(each), Number(dbHits));

test.each(['name ASC', 'name DESC', 'id DESC'])(
  'a page of a class by %s looks at the page, and at what is before it',
  async (order) => {
    const page = `MATCH (this:Person&Entity) WITH * ORDER BY this.${order} SKIP $skip LIMIT $limit RETURN this {.id, .name} AS this`;
    const session = database.session('READ');
    const qualified = qualifier.qualify(page, tenantOnly, false, true);
    const given = qualified.parametersFor({ skip: neo4j.int(20), limit: neo4j.int(10) });
    const { records, summary } = await session.run(`PROFILE ${qualified.cypher}`, given);
    expect(records).toHaveLength(10);
    // Of 2,000 that are there.
    expect(summary.profile === false ? Number.NaN : hitsOf(summary.profile)).toBeLessThan(500);
    await session.close();
  },
);

test.each([
  ['a tenant', tenantOnly],
  ['a required certainty', certain],
])('a page behind a row of the middle begins there in the index, under %s', async (_, conditions) => {
  const page = `MATCH (this:Person&Entity) WITH collect({node: this}) AS edges
    CALL (edges) { UNWIND edges AS edge WITH edge.node AS this WITH * ORDER BY this.name ASC LIMIT $limit
      RETURN collect({node: {id: this.id}}) AS var1 } RETURN {edges: var1} AS this`;
  const qualified = qualifier.qualify(page, conditions, false, true, { after: [false] });
  const given = qualified.parametersFor({ after0: 'Name 5', afterId: 'p5', limit: neo4j.int(10) });
  const session = database.session('READ');
  const { records, summary } = await session.run(`PROFILE ${qualified.cypher}`, given);
  await session.close();
  const [first] = Object.values(records[0]?.toObject() ?? {}) as { edges: object[] }[];
  expect(first?.edges[0]).toEqual({ keys: ['Name 50', 'p50'], node: { id: 'p50' } });
  expect(first?.edges).toHaveLength(10);
  const profile = summary.profile === false ? undefined : summary.profile;
  // Of 2,000 that are there.
  expect(profile ? hitsOf(profile) : Number.NaN).toBeLessThan(500);
  expect(profile ? operatorsOf(profile) : []).toContain('NodeIndexSeek');
});
