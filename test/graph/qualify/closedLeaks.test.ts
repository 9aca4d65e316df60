import { afterAll, expect, test } from '@jest/globals';
import { ConcordError } from '../../../src/errors.ts';
import { type Conditions, Qualifier, RefusedCypher } from '../../../src/graph/qualify/qualifier.ts';
import { testDatabase } from '../../support/service.ts';
import { closedOf } from './closedNames.ts';
import { randomCypher } from './leaks/cypherQuery.ts';
import { termsOf } from './leaks/vocabularies.ts';
import { load, qualifying, randomConditions, randomWorld, type World } from './leaks/world.ts';
import { Random } from './random.ts';
import { base, leakVocabulary, projectedFields } from './vocabulary.ts';

const cases = Number(process.env.CASES ?? 120);
const seed = Number(process.env.SEED ?? 4);
const perWorld = 60;
const perConditions = 10;

const database = testDatabase();
const terms = termsOf(leakVocabulary);
const qualifier = new Qualifier(projectedFields(leakVocabulary));

afterAll(() => database.close());

test(`what is closed and isn't named changes no answer (SEED=${seed} CASES=${cases})`, async () => {
  const random = new Random(seed);
  const differences: string[] = [];
  let [compared, closed] = [0, 0];
  for (let made = 0; made < cases; made += perWorld) {
    const world = randomWorld(random, terms);
    const groups = Array.from({ length: perWorld / perConditions }, () => {
      const sets = {
        predicates: random.some(['friend', 'boss', 'within', 'rumour', 'nick', 'height', 'value'], 0.3),
        classes: random.some(['Person', 'Place'], 0.25),
      };
      const conditions = random.chance(0.5) ? randomConditions(random) : { tenant: 'north' };
      const queries = Array.from({ length: perConditions }, () => randomCypher(random, terms));
      return { sets, conditions: { ...conditions, closed: closedOf(sets) }, queries, found: [] as string[] };
    });
    await load(database, world, terms, true);
    for (const { conditions, queries, found } of groups) {
      for (const query of queries) found.push(await answer(query, conditions));
    }
    for (const { sets, conditions, queries, found } of groups) {
      await load(database, without(qualifying(world, conditions), sets), terms, false);
      for (const [index, query] of queries.entries()) {
        const { text } = query;
        const one = found[index];
        if (one === 'refused') continue;
        if (one === 'closed') {
          closed += 1;
          expect(text).toMatch(/FRIEND|BOSS|WITHIN|RUMOUR|nick|height|Person|Place/);
          continue;
        }
        const other = await answer(query);
        if (other === 'failed') continue;
        compared += 1;
        if (one !== other) differences.push([JSON.stringify(sets), text, other, one].join('\n'));
      }
    }
  }
  process.stdout.write(
    `${[...differences.slice(0, 3), `compared ${compared}, closed ${closed}, SEED=${seed}`].join('\n\n')}\n`,
  );
  expect(differences).toHaveLength(0);
  expect(compared).toBeGreaterThan(0);
}, 3_600_000);

/** What is left of what qualifies once the closed statements, and the entities of closed classes, are gone. */
function without(world: World, { predicates, classes }: { predicates: string[]; classes: string[] }): World {
  const isClosed = ({ type }: { type?: string }) => classes.some((each) => base + each === type);
  const hidden = new Set(world.entities.filter(isClosed).map(({ id }) => id));
  const edges = world.edges.filter(
    ({ statement: { subject, predicate, object } }) =>
      !predicates.some((each) => base + each === predicate.id) &&
      !hidden.has(subject.id) &&
      !('id' in object && hidden.has(object.id)),
  );
  const said = edges.flatMap(({ statement: { subject, object } }) => [
    subject.id,
    'id' in object ? object.id : '',
  ]);
  return { entities: world.entities.filter(({ id }) => said.includes(id)), edges };
}

/** The rows as text, in one order; under conditions what the query becomes is run. */
async function answer(
  { text, parameters: given }: ReturnType<typeof randomCypher>,
  conditions?: Conditions,
): Promise<string> {
  try {
    const qualified = conditions ? qualifier.qualify(text, conditions) : { cypher: text, parameters: {} };
    const rows = await database.run('READ', qualified.cypher, { ...given, ...qualified.parameters });
    return JSON.stringify(rows.map((row) => JSON.stringify(plain(row))).sort());
  } catch (error) {
    if (error instanceof RefusedCypher) return 'refused';
    if (!(error instanceof ConcordError)) return 'failed';
    expect(error.data).toMatchObject({ rule: 'a-rule', retryable: false });
    return 'closed';
  }
}

/** Lists in one order, and the driver's classes as text. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain).sort();
  if (value === null || typeof value !== 'object') return value;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return String(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([key, each]) => [key, plain(each)]));
}
