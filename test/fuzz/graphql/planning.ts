import { type GraphQLSchema, graphql } from 'graphql';
import type { Database } from '../../../src/graph/database/database.ts';
import type { Names } from '../../../src/vocabulary/names.ts';
import type { Vocabulary } from '../../../src/vocabulary/vocabulary.ts';
import { projectedFields } from '../../graph/qualify/vocabulary.ts';
import { type Conditions, type PageAsked, Qualifier } from '../../support/qualifier.ts';
import type { Asked } from './asked.ts';

/** How long Neo4j plans each of the Cypher texts of a document, bare and as Concord has qualified them; in words. */
export async function planningTimes(
  database: Database,
  schema: GraphQLSchema,
  vocabulary: Vocabulary,
  names: Names,
  { text, variables, conditions, claims }: Asked,
): Promise<string> {
  const qualifier = new Qualifier(projectedFields(vocabulary, names));
  const { asOf, asOfRevision } = conditions.metadata;
  const under: Conditions = {
    tenant: 'north',
    ...('graphs' in claims && { graphs: { default: true, named: ['urn:g:1'] } }),
    ...(conditions.requiredCertainty !== undefined && { requiredCertainty: conditions.requiredCertainty }),
    ...(conditions.maxAgeSeconds !== undefined && { observedSince: new Date(0) }),
    ...(asOf !== undefined && { asOf: new Date(asOf) }),
    ...(asOfRevision !== undefined && { asOfRevision }),
  };
  const lines: string[] = [];
  for (const [cypher, parameters, page] of await cypherOf(schema, text, variables)) {
    const bare = await planningMs(database, cypher, parameters);
    const qualified = qualifier.qualify(cypher, under, false, true, page);
    const found = await planningMs(database, qualified.cypher, qualified.parametersFor({ ...parameters }));
    lines.push(`\n  planning: bare ${Math.round(bare)} ms, qualified ${Math.round(found)} ms`);
  }
  return lines.join('');
}

/** Milliseconds that Neo4j plans a text for, anew. */
export async function planningMs(database: Database, cypher: string, parameters: object): Promise<number> {
  await database.run('READ', 'CALL db.clearQueryCaches()');
  const started = performance.now();
  await database.run('READ', `CYPHER 5 EXPLAIN ${cypher.replace(/^CYPHER 5\s/, '')}`, parameters);
  return performance.now() - started;
}

/** A text with its parameters, and what is asked of its page. */
export type Sent = [cypher: string, parameters: Record<string, unknown>, page?: PageAsked];

/** What @neo4j/graphql makes of a document. */
export async function cypherOf(
  schema: GraphQLSchema,
  source: string,
  variableValues: Record<string, unknown>,
): Promise<Sent[]> {
  const sent: Sent[] = [];
  const executionContext = {
    run: async (cypher: string, parameters: Record<string, unknown>, page?: PageAsked) => {
      if (cypher.includes('dbms.components')) return { records: [['5.26.19', 'community']] };
      sent.push([cypher, parameters, ...(page ? [page] : [])] as Sent);
      return { records: [], summary: { counters: { updates: () => ({}) } } };
    },
  };
  await graphql({ schema, source, variableValues, contextValue: { executionContext } });
  return sent;
}
