import type { GraphQLSchema } from 'graphql';
import type { Database } from '../../../../src/graph/database.ts';
import { migrate } from '../../../../src/graph/migrations.ts';
import { quoted } from '../../../../src/graph/names.ts';
import { type Conditions, Qualifier } from '../../../../src/graph/qualify/qualifier.ts';
import { schemaOf, toNeo4jTypeDefs } from '../../../../src/vocabulary/schema.ts';
import { predicatesOf } from '../../../../src/vocabulary/vocabulary.ts';
import { Random } from '../random.ts';
import { projectedFields } from '../vocabulary.ts';
import { type Answer, answer, plainly, type Query, qualified } from './answers.ts';
import { customFields } from './customFields.ts';
import { randomCypher } from './cypherQuery.ts';
import { randomGraphql } from './randomGraphql.ts';
import { randomTerms, type Terms } from './vocabularies.ts';
import { load, otherValues, qualifying, randomConditions, randomWorld } from './world.ts';

/** Cases that share a vocabulary and a graph. */
const perWorld = 120;
/** Queries that are on their way at once: planning them is what takes the time, and Neo4j plans on every core. */
const atOnce = 4;

export interface Plan {
  seed: number;
  cases: number;
  /**
   * Conditions under which each query is asked: a case is one query under one of them. They differ in their values only, so that Neo4j, which takes
   * nearly all the time for planning, plans a text once for all of them.
   */
  perQuery: number;
}

export interface Summary {
  cases: number;
  answered: number;
  /** Answers with nothing in them: little is learnt from these. */
  empty: number;
  /** By message, without the place. */
  refused: Map<string, number>;
  failed: Map<string, number>;
  differences: string[];
}

/**
 * Compares the answers of random queries, as they are qualified, over random graphs, with those of the same queries on a database that holds nothing
 * but what qualifies.
 * @param report told how far it has come
 */
export async function runCases(
  database: Database,
  { seed, cases, perQuery }: Plan,
  report: (summary: Summary) => void,
): Promise<Summary> {
  const summary: Summary = {
    cases: 0,
    answered: 0,
    empty: 0,
    refused: new Map(),
    failed: new Map(),
    differences: [],
  };
  const seeds = new Random(seed);
  await migrate(database);
  // The first world has the seed itself, so that the seed of any world, given to another run, begins with it.
  for (let ofWorld = seed; summary.cases < cases; ofWorld = seeds.below(2 ** 31)) {
    const left = Math.min(perWorld, cases - summary.cases);
    await runWorld(database, { seed: ofWorld, cases: left, perQuery }, summary);
    report(summary);
  }
  return summary;
}

async function runWorld(
  database: Database,
  { seed, cases, perQuery }: Plan,
  summary: Summary,
): Promise<void> {
  const random = new Random(seed);
  const terms = randomTerms(random);
  const schema = await schemaOf(toNeo4jTypeDefs(terms.vocabulary, terms.names) + customFields(random, terms));
  const world = randomWorld(random, terms);
  const qualifier = new Qualifier(projectedFields(terms.vocabulary, terms.names));
  const first = randomConditions(random);
  const asked = Array.from({ length: perQuery }, (_, index) => ({
    conditions: index === 0 ? first : otherValues(random, first),
    // What is left of the cases, in turns.
    queries: Math.ceil((cases - index) / perQuery),
    found: [] as Answer[],
  }));
  const queries = Array.from({ length: Math.ceil(cases / perQuery) }, () =>
    randomQuery(random, schema, terms),
  );
  const dropIndexes = await createIndexes(database, terms);
  await load(database, world, terms, true);
  await several([...queries.entries()], async ([index, query]) => {
    for (const { conditions, found } of asked.filter(({ queries: those }) => index < those))
      found[index] = await answer(query, schema, qualified(database, qualifier, conditions));
  });
  for (const { conditions, queries: those, found } of asked) {
    await load(database, qualifying(world, conditions), terms, false);
    await several([...queries.slice(0, those).entries()], async ([index, query]) => {
      const expected = await answer(query, schema, plainly(database));
      compare(summary, found[index] ?? {}, expected, () => describe(seed, perQuery, conditions, query));
    });
  }
  await dropIndexes();
  // No text comes again: what is planned would only fill the memory.
  await database.run('READ', 'CALL db.clearQueryCaches()');
}

function randomQuery(random: Random, schema: GraphQLSchema, terms: Terms): Query {
  if (random.chance(0.4)) return { language: 'graphql', ...randomGraphql(random, schema, terms) };
  const { text, parameters } = randomCypher(random, terms);
  return { language: 'cypher', text, variables: parameters };
}

function compare(summary: Summary, found: Answer, expected: Answer, what: () => string): void {
  summary.cases += 1;
  if (found.refused !== undefined) {
    count(summary.refused, found.refused.replace(/ \(line.*/, ''));
    return;
  }
  // What is not Cypher to begin with can't be compared.
  if (expected.rows === undefined) {
    count(summary.failed, withoutNames(expected.failed ?? ''));
    return;
  }
  summary.answered += 1;
  if (isEmpty(expected.rows)) summary.empty += 1;
  const [one, other] = [expected, found].map(({ rows }) => JSON.stringify(rows ?? 'failed'));
  if (one !== other)
    summary.differences.push(`${what()}\nexpected ${one}\nfound    ${other} ${found.failed ?? ''}`);
}

function describe(
  seed: number,
  perQuery: number,
  conditions: Conditions,
  { text, variables }: Query,
): string {
  return `SEED=${seed} CASES=${perWorld} PER_QUERY=${perQuery} ${JSON.stringify(conditions)}\n${text}\n${JSON.stringify(variables)}`;
}

function isEmpty(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return value === null;
  return Object.values(value).every(isEmpty);
}

function withoutNames(message: string): string {
  return message
    .replace(/`[^`]*`|"[^"]*"|'[^']*'|\bv\d+\b/g, '…')
    .replace(/\(.*/, '')
    .slice(0, 100);
}

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

/** Some at once, in the order in which they are given. */
async function several<T>(all: T[], work: (each: T) => Promise<void>): Promise<void> {
  const left = all.values();
  const worker = async () => {
    for (const each of left) await work(each);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** The indexes that a vocabulary asks for. */
async function createIndexes(database: Database, { vocabulary, names }: Terms): Promise<() => Promise<void>> {
  const made: string[] = [];
  for (const { iri, field, domains } of predicatesOf(vocabulary).values()) {
    if (field.kind !== 'literal' || !field.indexed) continue;
    for (const each of domains) {
      const [label, property] = [names.label(each.iri), names.property(iri)];
      const name = quoted(`leaks_${label}_${property}`);
      made.push(name);
      await database.ensure(
        `CREATE INDEX ${name} IF NOT EXISTS FOR (n:${quoted(label)}) ON (n.tenant, n.${quoted(property)})`,
      );
    }
  }
  if (made.length > 0) await database.run('READ', 'CALL db.awaitIndexes(300)');
  return async () => {
    for (const name of made) await database.ensure(`DROP INDEX ${name} IF EXISTS`);
  };
}

/** What is printed of a run, the count last. */
export function summaryLines(
  { cases, answered, empty, refused, failed, differences }: Summary,
  seed: number,
): string[] {
  const share = (number: number) => `${number} (${((100 * number) / cases).toFixed(1)}%)`;
  const total = (counts: Map<string, number>) => [...counts.values()].reduce((sum, each) => sum + each, 0);
  const listed = (counts: Map<string, number>) =>
    [...counts].sort(([, one], [, other]) => other - one).map(([what, times]) => `  ${times} ${what}`);
  return [
    ...differences.slice(0, 5).flatMap((each) => [each, '']),
    `SEED=${seed}`,
    `answered ${share(answered)}, with nothing ${share(empty)}`,
    `refused ${share(total(refused))}`,
    ...listed(refused),
    `failed to begin with ${share(total(failed))}`,
    ...listed(failed),
    `${cases} cases, ${differences.length} differences`,
  ];
}
