import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { graphql } from 'graphql';
import { ConcordError } from '../../../src/base/errors.ts';
import { withNames } from '../../../src/graph/names/closed.ts';
import { buildSchema } from '../../../src/schema/schema.ts';
import { parseVocabulary } from '../../../src/vocabulary/parse.ts';
import { Qualifier } from '../../support/qualifier.ts';
import { Random } from './random.ts';
import { randomOperation } from './randomOperation.ts';
import { names, projectedFields } from './vocabulary.ts';

const file = 'test/support/world.graphql';
const vocabulary = parseVocabulary(await readFile(file, 'utf8'), file);
const schema = await buildSchema(vocabulary, names);
const qualifier = new Qualifier(projectedFields(vocabulary));
const closed = withNames(
  {
    predicates: new Map(['population', 'borders', 'symbol'].map((each) => [`https://example.org/world#${each}`, 'r'])),
    classes: new Map([['https://schema.org/Language', 'r']]),
  },
  { findLabel: names.label, findRelationshipType: names.relationshipType },
);

test('of all that a schema can be asked, only what names something closed is refused', async () => {
  const seed = Number(process.env.SEED ?? 1);
  const random = new Random(seed);
  const counts = { refused: 0, open: 0 };
  for (let made = 0; made < 100; made++) {
    const source = randomOperation(random, schema);
    let refused = false;
    const run = async (cypher: string) => {
      if (cypher.includes('dbms.components')) return { records: [['5.26.19', 'community']] };
      try {
        qualifier.qualify(cypher, { tenant: 'north', closed }, false, true);
      } catch (error) {
        if (!(error instanceof ConcordError)) throw new Error(`SEED=${seed} ${source}\n${cypher}`, { cause: error });
        refused = true;
      }
      return { records: [], summary: { counters: { updates: () => ({}) } } };
    };
    const executionContext = { run, choose: run, indexed: async () => ['urn:found'] };
    await graphql({ schema, source, contextValue: { executionContext } });
    const isNamed = /\b(population|borders|symbol|languages|spokenIn)/.test(source);
    counts[refused ? 'refused' : 'open'] += 1;
    if (refused && !isNamed) throw new Error(`SEED=${seed} refused without a name: ${source}`);
  }
  expect(Math.min(counts.refused, counts.open)).toBeGreaterThan(10);
});
