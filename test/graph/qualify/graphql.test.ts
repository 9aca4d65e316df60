import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { graphql } from 'graphql';
import { LimitExceeded } from '../../../src/base/limitExceeded.ts';
import { buildSchema } from '../../../src/schema/schema.ts';
import { parseVocabulary } from '../../../src/vocabulary/parse.ts';
import { predicatesOf } from '../../../src/vocabulary/vocabulary.ts';
import { type Conditions, Qualifier } from '../../support/qualifier.ts';
import { Random } from './random.ts';
import { randomOperation } from './randomOperation.ts';
import { names, projectedFields } from './vocabulary.ts';

const file = 'test/support/world.graphql';
const vocabulary = parseVocabulary(await readFile(file, 'utf8'), file);
const schema = await buildSchema(vocabulary, names);
const qualifier = new Qualifier(projectedFields(vocabulary));
const conditions: Conditions[] = [
  { tenant: 'north' },
  { tenant: 'north', requiredCertainty: 0.5 },
  {
    tenant: 'north',
    graphs: { default: false, named: ['urn:g'] },
    observedSince: new Date(0),
    asOf: new Date(),
  },
];

/**
 * The library writes a `WITH` of nothing for a connection of which type names alone are asked; Neo4j refuses that as
 * well.
 */
const isSpoilt = (cypher: string) => /\bWITH\s+RETURN\b/.test(cypher);

/** The Cypher that @neo4j/graphql makes of a query. */
async function cypherOf(source: string): Promise<string[]> {
  const sent: string[] = [];
  const run = async (cypher: string) => {
    if (cypher.includes('dbms.components')) return { records: [['5.26.19', 'community']] };
    if (!isSpoilt(cypher)) sent.push(cypher);
    return { records: [], summary: { counters: { updates: () => ({}) } } };
  };
  const indexed = async function* () {
    yield ['urn:found'];
  };
  const executionContext = { run, choose: run, indexed };
  // Some combinations the library itself fails on; what it has sent is what counts.
  await graphql({ schema, source, contextValue: { executionContext } });
  return sent;
}

test('the vocabulary of the tests has predicates', () => {
  expect(predicatesOf(vocabulary).size).toBeGreaterThan(10);
});

test('whatever the schema of a vocabulary can be asked becomes Cypher that qualifies, or is too long', async () => {
  const seed = Number(process.env.SEED ?? 1);
  const random = new Random(seed);
  let [texts, tooLong] = [0, 0];
  for (let made = 0; made < 150; made++) {
    const source = randomOperation(random, schema);
    for (const cypher of await cypherOf(source)) {
      texts += 1;
      for (const [index, each] of conditions.entries()) {
        try {
          qualifier.qualify(cypher, each, (texts + index) % 2 === 0, true);
        } catch (error) {
          const isTooLong = error instanceof LimitExceeded && error.reason === 'too-large';
          tooLong += Number(isTooLong);
          if (!isTooLong) throw new Error(`SEED=${seed} ${source}\n${cypher}`, { cause: error });
        }
      }
    }
  }
  expect(texts).toBeGreaterThan(100);
  expect(tooLong).toBeLessThan(texts / 10);
});
