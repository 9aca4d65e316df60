import { readFile } from 'node:fs/promises';
import { ConcordError } from '../../src/base/errors.ts';
import { Database } from '../../src/graph/database/database.ts';
import { type Closed, withNames } from '../../src/graph/names/closed.ts';
import { Dictionary } from '../../src/graph/names/dictionary.ts';
import type { Conditions } from '../../src/graph/qualify/qualifier.ts';
import { buildSchema } from '../../src/schema/schema.ts';
import { parseVocabulary } from '../../src/vocabulary/parse.ts';
import { loadGraph, policy } from '../fuzz/graphql/graph.ts';
import { cypherOf, planningMs, type Sent } from '../fuzz/graphql/planning.ts';
import { Random } from '../graph/qualify/random.ts';
import { projectedFields } from '../graph/qualify/vocabulary.ts';
import { identities } from '../support/identities.ts';
import { Qualifier } from '../support/qualifier.ts';
import type { Figure, Suite } from './bench.ts';
import { describeMachine, loadAverage } from './machine.ts';
import { openNeo4j } from './neo4j.ts';
import { planningConditions, planningShapes } from './planningShapes.ts';
import { startConcord } from './servers.ts';
import { median } from './statistics.ts';

const vocabularyFile = 'test/fuzz/graphql/vocabulary.graphql';
const aim = '≤ 3 ×';

/**
 * How long Neo4j plans queries, each without conditions and as it is qualified, in turns and anew each time, over some
 * 1,000 statements.
 */
export const planning: Suite = async (bench) => {
  const neo4j = await openNeo4j(bench);
  const machine = await describeMachine(neo4j.driver);
  const { url } = await startConcord(bench, neo4j.server, vocabularyFile, { ...identities, CAPTURE: 'off' });
  await loadGraph(url, new Random(1));
  const database = new Database({ ...neo4j.server, database: 'neo4j' });
  bench.opened(() => database.close());
  const names = await Dictionary.load(database);
  const vocabulary = parseVocabulary(await readFile(vocabularyFile, 'utf8'), vocabularyFile);
  const schema = await buildSchema(vocabulary, names);
  const qualifier = new Qualifier(projectedFields(vocabulary, names));
  const conditions: [string, Conditions][] = [
    ...planningConditions,
    ['closed', { tenant: 'north', closed: closedTo('stranger', names) }],
  ];
  const figures: Figure[] = [];
  for (const { name, text, language } of planningShapes) {
    const isOwn = language !== 'cypher';
    const sent: Sent[] = isOwn ? await cypherOf(schema, text, {}) : [[text, {}]];
    if (sent.length === 0) throw new Error(`${name} is no valid document`);
    const sides = conditions.flatMap(([column, each]): [string, Sent[]][] => {
      const texts = qualifiedTexts(qualifier, sent, each, isOwn);
      return texts ? [[column, texts]] : [];
    });
    const times = await inTurns(database, [['plain', sent], ...sides], bench.quick ? 3 : 9);
    const [plain = Number.NaN] = times;
    bench.say(`${name}: plain ${plain.toFixed(0)} ms`);
    figures.push({ group: 'Planning', name, column: 'plain', value: plain, unit: 'ms' });
    for (const [index, [column]] of sides.entries()) {
      const ratio = (times[index + 1] ?? Number.NaN) / plain;
      bench.say(`  ${column} ${ratio.toFixed(2)} ×`);
      figures.push({ group: 'Planning', name, column, value: ratio, unit: '×', aim });
    }
  }
  const worst = Math.max(...figures.filter(({ unit }) => unit === '×').map(({ value }) => value));
  figures.push({ group: 'Planning', name: 'the worst of all', column: 'all', value: worst, unit: '×', aim });
  return { machine: { ...machine, 'load after': loadAverage() }, figures };
};

/** Undefined where they name what is closed. */
function qualifiedTexts(
  qualifier: Qualifier,
  sent: readonly Sent[],
  conditions: Conditions,
  isOwn: boolean,
): Sent[] | undefined {
  try {
    return sent.map(([cypher, parameters, page]): Sent => {
      const qualified = qualifier.qualify(cypher, conditions, false, isOwn, page);
      return [qualified.cypher, qualified.parametersFor({ ...parameters })];
    });
  } catch (error) {
    if (error instanceof ConcordError && error.code === -32013) return undefined;
    throw error;
  }
}

/** Medians in milliseconds, in the order of the sides. A first round warms up. */
async function inTurns(database: Database, sides: [string, Sent[]][], rounds: number): Promise<number[]> {
  const times = sides.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, [, sent]] of sides.entries()) {
      let sum = 0;
      for (const [cypher, parameters] of sent) sum += await planningMs(database, cypher, parameters);
      if (round > 0) times[index]?.push(sum);
    }
  }
  return times.map(median);
}

/** What the fuzzers' policy closes to an agent. */
function closedTo(agent: string, names: Dictionary): Closed {
  const rules = policy.closed.filter(({ to }) => to.agents.includes(agent));
  const all = (of: 'classes' | 'predicates') =>
    new Map(rules.flatMap((rule) => (rule[of] ?? []).map((iri): [string, string] => [iri, rule.rule])));
  return withNames({ classes: all('classes'), predicates: all('predicates') }, names);
}
