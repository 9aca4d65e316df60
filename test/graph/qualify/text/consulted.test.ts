import { beforeAll, expect, test } from '@jest/globals';
import { type Conditions, Qualifier, RefusedCypher } from '../../../support/qualifier.ts';
import { useDatabase } from '../../../support/setUp.ts';
import { deals, dealtConditions } from '../leaks/conditions.ts';
import { randomCypher } from '../leaks/cypherQuery.ts';
import { termsOf } from '../leaks/vocabularies.ts';
import { load, randomWorld } from '../leaks/world.ts';
import { Random } from '../random.ts';
import { leakVocabulary, projectedFields } from '../vocabulary.ts';

const cases = Number(process.env.CASES ?? 40);
const seed = Number(process.env.SEED ?? 52);

const database = useDatabase();
const qualifier = new Qualifier(projectedFields(leakVocabulary));
const random = new Random(seed);
const terms = termsOf(leakVocabulary);
const world = randomWorld(random, terms);

beforeAll(() => load(database, world, terms, true));

type Row = Record<string, unknown>;

async function run(cypher: string, conditions: Conditions, consults: boolean, given: object = {}) {
  const qualified = qualifier.qualify(cypher, conditions, consults);
  const { columns, consulted } = qualified;
  const rows = await database.run<Row>('READ', qualified.cypher, qualified.parametersFor({ ...given }));
  const last = (row: Row) => Object.values(row).at(-1) as [string, number | null][][];
  const edges = rows.flatMap((row) => (consulted ? last(row) : []));
  const statements = new Map(edges.flat(2).length > 0 ? pairs(edges) : []);
  const answer = rows.map((row) => JSON.stringify(Object.values(row).slice(0, columns.length))).sort();
  return { answer, statements, told: consulted };
}

/** Whatever is nested around them. */
function pairs(of: unknown): [string, number | null][] {
  if (!Array.isArray(of)) return [];
  if (typeof of[0] === 'string') return [of as [string, number | null]];
  return of.flatMap(pairs);
}

const north: Conditions = { tenant: 'north' };
const ofNorth = world.edges.filter(({ tenant, retractedAt }) => tenant === 'north' && !retractedAt);
const predicate = (name: string) => `https://example.org/leaks#${name}`;
const links = (name: string) =>
  ofNorth.filter(({ statement }) => statement.predicate.id === predicate(name) && 'id' in statement.object);

test('what a pattern matches is consulted once, however many rows show it', async () => {
  const friends = links('friend');
  const { statements } = await run(
    'MATCH (a)-[:FRIEND]->(b) UNWIND [1, 2] AS twice RETURN a.id AS a, b.id AS b, twice',
    north,
    true,
  );
  expect([...statements.keys()].sort()).toEqual(friends.map(({ id }) => id).sort());
  for (const { id, statement } of friends) expect(statements.get(id)).toBe(statement.certainty ?? null);
});

test('an aggregate rests on all that it takes in, and a filter on nothing that it only asks', async () => {
  const counted = await run('MATCH ()-[r:BOSS]->() RETURN count(r) AS c', north, true);
  expect([...counted.statements.keys()].sort()).toEqual(
    links('boss')
      .map(({ id }) => id)
      .sort(),
  );
  const filtered = await run('MATCH (n:Entity) WHERE (n)-[:BOSS]->() RETURN n.id AS id', north, true);
  expect(filtered.statements.size).toBe(0);
});

test('a shown value rests on the best literal statement that qualifies, a list on all of them', async () => {
  const scores = ofNorth.filter(
    ({ statement: { predicate: said, object } }) =>
      said.id === predicate('scores') && 'value' in object && object.value === (Number(object.value) | 0),
  );
  expect(scores).not.toHaveLength(0);
  const all = await run('MATCH (n:Entity) RETURN n.scores AS s', north, true);
  const best = await run('MATCH (n:Entity) WHERE n.age IS NOT NULL RETURN n {.id, .age}', north, true);
  expect(best.statements.size).toBe(best.answer.length);
  expect([...all.statements.keys()].sort()).toEqual(scores.map(({ id }) => id).sort());
});

test('of a UNION that merges rows nothing is told', async () => {
  const text = 'MATCH (n:Person) RETURN n.id AS id UNION MATCH (n:Place) RETURN n.id AS id';
  expect((await run(text, north, true)).told).toBe(false);
  expect((await run(text.replace('UNION', 'UNION ALL'), north, true)).told).toBe(true);
});

test(`asking what was consulted changes no answer (SEED=${seed} CASES=${cases})`, async () => {
  let compared = 0;
  for (let done = 0; done < cases; done++) {
    const conditions = dealtConditions(
      random,
      terms,
      random.pick(deals.filter((kinds) => !kinds.some((kind) => kind.startsWith('closed')))),
    );
    const { text, parameters: given } = randomCypher(random, terms);
    const asked = await run(text, conditions, false, given).catch(failure);
    const told = await run(text, conditions, true, given).catch(failure);
    if (asked instanceof Error) continue;
    compared += 1;
    if (told instanceof Error) throw new Error(`${text}\n${told.message}`);
    expect({ text, answer: told.answer }).toEqual({ text, answer: asked.answer });
    const allowed = new Set(world.edges.filter(({ tenant }) => tenant === conditions.tenant).map(({ id }) => id));
    for (const [id, certainty] of told.statements) {
      expect(allowed).toContain(id);
      expect(certainty ?? 1).toBeGreaterThanOrEqual(conditions.requiredCertainty ?? 0);
    }
  }
  expect(compared).toBeGreaterThan(cases / 2);
});

function failure(error: unknown): Error {
  if (error instanceof RefusedCypher || (error as Error).name === 'Neo4jError') return error as Error;
  throw error;
}
