import { expect, test } from '@jest/globals';
import { ConcordError } from '../../../src/base/errors.ts';
import { rowsOf } from '../../support/qualified.ts';
import { type Conditions, Qualifier, RefusedCypher } from '../../support/qualifier.ts';
import { useDatabase } from '../../support/setUp.ts';
import { closedOf } from './closedNames.ts';
import { withoutLastDigits } from './leaks/answers.ts';
import { deals, dealtConditions } from './leaks/conditions.ts';
import { randomCypher } from './leaks/cypherQuery.ts';
import { termsOf } from './leaks/vocabularies.ts';
import { load, qualifying, randomWorld } from './leaks/world.ts';
import { Random } from './random.ts';
import { leakVocabulary, projectedFields } from './vocabulary.ts';

const cases = Number(process.env.CASES ?? 120);
const seed = Number(process.env.SEED ?? 4);
const perWorld = 60;
const perConditions = 10;

/** The conditions that close nothing of their own. */
const open = deals.filter((kinds) => !kinds.some((kind) => kind.startsWith('closed')));

const database = useDatabase();
const terms = termsOf(leakVocabulary);
const qualifier = new Qualifier(projectedFields(leakVocabulary));

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
      const conditions = random.chance(0.5) ? dealtConditions(random, terms, random.pick(open)) : { tenant: 'north' };
      const queries = Array.from({ length: perConditions }, () => randomCypher(random, terms));
      return { sets, conditions: { ...conditions, closed: closedOf(sets) }, queries, found: [] as string[] };
    });
    await load(database, world, terms, true);
    for (const { conditions, queries, found } of groups) {
      for (const query of queries) found.push(await answer(query, conditions));
    }
    for (const { sets, conditions, queries, found } of groups) {
      await load(database, qualifying(world, conditions), terms, false);
      for (const [index, query] of queries.entries()) {
        const { text } = query;
        const one = found[index];
        if (one === 'refused') continue;
        if (one === 'closed') {
          closed += 1;
          expect(text).toMatch(/FRIEND|BOSS|WITHIN|RUMOUR|NICK|HEIGHT|VALUE|nick|height|Person|Place/);
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

/** The rows as text, in one order; under conditions what the query becomes is run. */
async function answer(
  { text, parameters: given }: ReturnType<typeof randomCypher>,
  conditions?: Conditions,
): Promise<string> {
  try {
    const rows = conditions
      ? await rowsOf(database, qualifier.qualify(text, conditions), given)
      : await database.run('READ', text, given);
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
  if (typeof value === 'number') return withoutLastDigits(value);
  if (value === null || typeof value !== 'object') return value;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return String(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([key, each]) => [key, plain(each)]));
}
