import type { Database } from '../../../src/graph/database/database.ts';
import { dropSchema, empty } from '../../support/emptyGraph.ts';
import { call } from '../../support/service.ts';
import { Replica } from '../rolling/replica.ts';

/**
 * Starts replicas at once on a Neo4j without any schema or node, and ends them in peace.
 * @param neo4j the settings by which they find it
 * @returns for each round, how many seconds each took until it was ready
 * @throws Error where one doesn't come up, doesn't answer, or doesn't come to a good end
 */
export async function startTogether(
  { rounds, replicas: count }: { rounds: number; replicas: number },
  database: Database,
  neo4j: Record<string, string>,
): Promise<number[][]> {
  const seconds: number[][] = [];
  const replicas = await Promise.all(Array.from({ length: count }, () => Replica.on(neo4j)));
  for (let round = 0; round < rounds; round++) {
    await empty(database);
    await dropSchema(database);
    try {
      seconds.push(await Promise.all(replicas.map((each) => each.start())));
      for (const { url } of replicas) {
        const { error } = await call(url, 'knowledge/query', { query: '{ entities(limit: 1) { id } }' });
        if (error) throw new Error(`A replica answers ${JSON.stringify(error)}`);
      }
    } finally {
      await Promise.all(replicas.map((each) => each.end()));
    }
  }
  return seconds;
}
