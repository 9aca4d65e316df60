import type { GraphQLSchema } from 'graphql';
import type { Database } from '../../../../src/graph/database/database.ts';
import { quoted } from '../../../../src/graph/names/names.ts';
import { migrate } from '../../../../src/graph/setup/migrations.ts';
import { withGroups } from '../../../../src/schema/groups/groups.ts';
import { withPages } from '../../../../src/schema/pages.ts';
import { schemaOf, toNeo4jTypeDefs } from '../../../../src/schema/schema.ts';
import { withStatements } from '../../../../src/schema/statements.ts';
import { knownNames } from '../../../../src/schema/statementsText.ts';
import { predicatesOf } from '../../../../src/vocabulary/vocabulary.ts';
import { type Conditions, Qualifier } from '../../../support/qualifier.ts';
import { Tally } from '../../../support/tally.ts';
import { Random } from '../random.ts';
import { projectedFields } from '../vocabulary.ts';
import { type Answer, answer, isLate, plainly, type Query, qualified } from './answers.ts';
import { type ConditionKind, conditionKinds, deals, dealtConditions, otherValues } from './conditions.ts';
import { Coverage } from './coverage.ts';
import { customFields } from './customFields.ts';
import { randomCypher } from './cypherQuery.ts';
import { isMutable, mutated } from './mutation.ts';
import { randomGraphql } from './randomGraphql.ts';
import { randomTerms, type Terms } from './vocabularies.ts';
import { load, qualifying, randomWorld, type World } from './world.ts';

/** Cases that share a vocabulary and a graph. */
const perWorld = 120;
/** Queries that are on their way at once: planning them is what takes the time, and Neo4j plans on every core. */
const atOnce = 4;

export interface Plan {
  seed: number;
  /** Which of the deals of conditions the first world has. */
  deal: number;
  cases: number;
  /**
   * Conditions under which each query is asked: a case is one query under one of them. They differ in their values
   * only, so that Neo4j, which takes nearly all the time for planning, plans a text once for all of them.
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
  /** Those that named what was closed. */
  closed: number;
  /** Those that failed with what is hidden as they do without it. */
  failedAlike: number;
  /** Those that failed without what is hidden, where with it or in the plain query they were spared it. */
  failedFirst: number;
  /** Compared, by the kinds of their conditions, where the condition hid something. */
  kinds: Tally<ConditionKind>;
  coverage: Coverage;
  differences: string[];
}

/**
 * Compares the answers of random queries, as they are qualified, over random graphs, with those of the same queries on
 * a database that holds nothing but what qualifies.
 * @param report told how far it has come
 */
export async function runCases(
  database: Database,
  { seed, deal, cases, perQuery }: Plan,
  report: (summary: Summary) => void,
): Promise<Summary> {
  const summary: Summary = {
    cases: 0,
    answered: 0,
    empty: 0,
    refused: new Map(),
    failed: new Map(),
    closed: 0,
    failedAlike: 0,
    failedFirst: 0,
    kinds: new Tally(conditionKinds),
    coverage: new Coverage(),
    differences: [],
  };
  const seeds = new Random(seed);
  await migrate(database);
  // The first world has the seed itself, so that the seed of any world, given to another run, begins with it.
  for (let [ofWorld, world] = [seed, deal]; summary.cases < cases; ofWorld = seeds.below(2 ** 31), world++) {
    const left = Math.min(perWorld, cases - summary.cases);
    await runWorld(database, { seed: ofWorld, deal: world % deals.length, cases: left, perQuery }, summary);
    report(summary);
  }
  return summary;
}

async function runWorld(database: Database, plan: Plan, summary: Summary): Promise<void> {
  const { seed, deal, cases, perQuery } = plan;
  const random = new Random(seed);
  const terms = randomTerms(random);
  const { vocabulary, names } = terms;
  const whole = withStatements(
    await schemaOf(toNeo4jTypeDefs(vocabulary, names) + customFields(random, terms)),
    knownNames(vocabulary, names),
  );
  const schema = withPages(withGroups(whole), undefined);
  const world = randomWorld(random, terms);
  const qualifier = new Qualifier(projectedFields(vocabulary, names));
  const kinds = deals[deal] ?? [];
  const first = dealtConditions(random, terms, kinds);
  const asked = Array.from({ length: perQuery }, (_, index) => ({
    conditions: index === 0 ? first : otherValues(random, first, kinds),
    // What is left of the cases, in turns.
    queries: Math.ceil((cases - index) / perQuery),
    found: [] as Answer[],
  }));
  const queries = Array.from({ length: Math.ceil(cases / perQuery) }, () => randomQuery(random, schema, terms));
  for (const { language, text } of queries)
    if (language === 'cypher') summary.coverage.addCypher(text);
    else summary.coverage.addGraphql(text);
  const dropIndexes = await createIndexes(database, terms);
  await load(database, world, terms, true);
  await several([...queries.entries()], async ([index, query]) => {
    for (const { conditions, found } of asked.filter(({ queries: those }) => index < those))
      found[index] = await answer(query, schema, qualified(database, qualifier, conditions));
  });
  for (const { conditions, queries: those, found } of asked) {
    const left = qualifying(world, conditions);
    await load(database, left, terms, false);
    const hiding = kinds.filter((kind) => hides(world, left, conditions, kind));
    await several([...queries.slice(0, those).entries()], async ([index, query]) => {
      const before = found[index] ?? {};
      const expected = await answer(query, schema, plainly(database));
      // Where the answer is the expected one, or the text was refused before it ran, the same query would tell nothing
      // more.
      const isClear = isSettled(query, before, expected);
      const again = isClear ? before : await answer(query, schema, qualified(database, qualifier, conditions));
      const answers = { found: before, again, expected };
      const told = compare(summary, query, answers);
      if (told !== undefined) summary.differences.push(`${describe(plan, conditions, query)}\n${told}`);
      else if (before.rows !== undefined) for (const kind of hiding) summary.kinds.add(kind);
    });
  }
  await dropIndexes();
  // No text comes again: what is planned would only fill the memory.
  await database.run('READ', 'CALL db.clearQueryCaches()');
}

/** Whether there would be more to see without this kind of condition. */
function hides(world: World, left: World, conditions: Conditions, kind: ConditionKind): boolean {
  const { closed, ...others } = conditions;
  const none = new Map<string, string>();
  const changed: Conditions = { ...conditions };
  if (kind !== 'closedClasses' && kind !== 'closedPredicates') {
    delete changed[kind];
    const most = qualifying(world, changed);
    return JSON.stringify(most.edges) !== JSON.stringify(left.edges);
  }
  if (!closed) return false;
  const opened = kind === 'closedClasses' ? { ...closed, classes: none } : { ...closed, predicates: none };
  return qualifying(world, { ...others, closed: opened }).edges.length > left.edges.length;
}

function randomQuery(random: Random, schema: GraphQLSchema, terms: Terms): Query {
  if (random.chance(0.4)) {
    const operation = randomGraphql(random, schema, terms);
    // The Cypher of this field is a random one.
    return { language: 'graphql', ...operation, fails: operation.text.includes('myOwn') };
  }
  const { text, parameters, fails } = randomCypher(random, terms);
  const query: Query = { language: 'cypher', text, variables: parameters, fails };
  if (!random.chance(0.06) || !isMutable(text)) return query;
  return { ...query, text: mutated(random, text), isMutated: true };
}

interface Answers {
  found: Answer;
  /** The same query, under the same conditions, on the database that holds nothing but what qualifies. */
  again: Answer;
  /** The plain query there. */
  expected: Answer;
}

function isSettled({ isMutated }: Query, { rows, refused, closed }: Answer, expected: Answer): boolean {
  if (refused !== undefined || closed) return true;
  return !isMutated && rows !== undefined && expected.rows !== undefined;
}

const failsByValue = ({ code = '', failed = '' }: Answer) =>
  /\.(Arithmetic|Type|Argument)Error$/.test(code) || failed.startsWith('Text cannot be parsed');

/** Whether it does depends on the plan: in some, Neo4j finds no path from a node to itself and says nothing. */
const failsByEnds = ({ failed = '' }: Answer) =>
  failed.startsWith('The shortest path algorithm does not work when the start and end nodes are the same');

/** How the answers differ, if they do. */
function compare(
  summary: Summary,
  { isMutated, fails }: Query,
  { found, again, expected }: Answers,
): string | undefined {
  summary.cases += 1;
  const [plain, first, second] = [expected, found, again].map((each) => JSON.stringify(each.rows ?? each.code ?? each));
  if (found.refused !== undefined || found.closed) {
    if (found.closed) summary.closed += 1;
    else count(summary.refused, (found.refused ?? '').replace(/ \(line.*/, ''));
    return undefined;
  }
  if (found.unconfined) return found.failed;
  if ([found, again, expected].some(isLate)) {
    count(summary.failed, 'it took too long');
    return undefined;
  }
  // Neo4j asks in the order that it likes, and no more than it must.
  // So what fails without what is hidden may be spared it elsewhere.
  const isSpared = found.rows !== undefined || first === second;
  const mayFail = (fails && failsByValue(again)) || failsByEnds(again);
  if (mayFail && first !== plain && isSpared) {
    summary.failedFirst += 1;
    return undefined;
  }
  // What a mutated query gives may be in any order, so that nothing but a failure can be compared.
  const isComparable = !isMutated || (found.rows === undefined) !== (again.rows === undefined);
  if (isComparable && first !== second)
    return `with what is hidden ${first} ${found.failed ?? ''}\nwithout ${second} ${again.failed ?? ''}`;
  // What is not Cypher to begin with can't be compared with more.
  if (expected.rows === undefined) {
    if (found.rows === undefined) summary.failedAlike += 1;
    count(summary.failed, withoutNames(expected.failed ?? ''));
    return undefined;
  }
  summary.answered += 1;
  if (isEmpty(expected.rows)) summary.empty += 1;
  if (isMutated || plain === first) return undefined;
  return `expected ${plain}\nfound    ${first} ${found.failed ?? ''}`;
}

function describe({ seed, deal, perQuery }: Plan, conditions: Conditions, { text, variables }: Query): string {
  const { closed, ...rest } = conditions;
  const names = closed && [...closed.classes.keys(), ...closed.predicates.keys()];
  return `SEED=${seed} DEAL=${deal} CASES=${perWorld} PER_QUERY=${perQuery} ${JSON.stringify({ ...rest, closed: names })}\n${text}\n${JSON.stringify(variables)}`;
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

function count<Key>(counts: Map<Key, number>, what: Key): void {
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
export function summaryLines(summary: Summary, seed: number): string[] {
  const { cases, answered, empty, refused, failed, failedAlike, failedFirst } = summary;
  const { closed, kinds, differences } = summary;
  const share = (number: number) => `${number} (${((100 * number) / cases).toFixed(1)}%)`;
  const total = (counts: Map<string, number>) => [...counts.values()].reduce((sum, each) => sum + each, 0);
  const listed = (counts: Map<string, number>) =>
    [...counts].sort(([, one], [, other]) => other - one).map(([what, times]) => `  ${times} ${what}`);
  return [
    ...differences.slice(0, 5).flatMap((each) => [each, '']),
    `SEED=${seed}`,
    ...summary.coverage.lines(),
    `answered ${share(answered)}, with nothing ${share(empty)}`,
    `refused ${share(total(refused))}`,
    ...listed(refused),
    `refused for naming what is closed ${share(closed)}`,
    `failed to begin with ${share(total(failed))}, in the same way with what is hidden ${failedAlike}`,
    ...listed(failed),
    `failed without what is hidden, and were spared it with it or in the plain query ${failedFirst}`,
    `where a condition hid something: ${kinds}`,
    `${cases} cases, ${differences.length} differences`,
  ];
}

/** The kinds of conditions that a run has had to show and hasn't, and the constructs that no query has had. */
export function missingKinds({ cases, kinds, coverage }: Summary): string[] {
  return cases < perWorld * deals.length ? [] : [...kinds.missing, ...coverage.constructs.missing];
}
