import type { Driver } from 'neo4j-driver';
import type { QueryResult } from '../../src/knowledge/query/query.ts';
import { call, post } from './client.ts';
import type { QueryShape } from './queryShapes.ts';
import { type Cypher, recorder } from './recordedCypher.ts';
import type { SideBySide } from './sideBySide.ts';

/** Who is asked the same; the last with a required certainty. */
export const readers = {
  driver: 'driver, same Cypher',
  bare: 'bare server',
  concord: 'Concord',
  certain: 'Concord with certainty',
} as const;

export type Reader = keyof typeof readers;

/** Asks with the variables of this index. */
export type Ask = (index: number) => Promise<{ data: unknown; databaseMs?: number }>;

/** A tenth of the statements is less certain. */
const requiredCertainty = 0.5;

/** How each reader is asked the queries of this shape. Each is run once, to record its Cypher. */
export async function asksOf(
  { concord, bare, typeDefs }: SideBySide,
  driver: Driver,
  { query, variables }: QueryShape,
): Promise<Record<Reader, Ask>> {
  const record = await recorder(typeDefs, driver);
  const recorded: Cypher[] = [];
  for (const each of variables) recorded.push(await record(query, each));

  const askConcord =
    (conditions: object): Ask =>
    async (index) => {
      const params = { query, variables: variables[index], ...conditions };
      const { data, queryMetadata } = await call<QueryResult>(concord.url, 'knowledge/query', params);
      return { data, databaseMs: queryMetadata.databaseMs };
    };
  return {
    driver: async (index) => ({ data: await runCypher(driver, recorded[index]) }),
    bare: async (index) => (await post(bare.url, { query, variables: variables[index] })) as { data: unknown },
    concord: askConcord({}),
    certain: askConcord({ requiredCertainty }),
  };
}

async function runCypher(driver: Driver, cypher: Cypher | undefined): Promise<unknown> {
  const session = driver.session();
  try {
    return await session.executeRead((tx) => tx.run(cypher?.query ?? '', cypher?.parameters));
  } finally {
    await session.close();
  }
}
