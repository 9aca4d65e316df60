import { readConfig } from '../../src/config/config.ts';
import { Database, type DatabaseAddress } from '../../src/graph/database/database.ts';
import { type Service, startService } from '../../src/service/startService.ts';
import { empty } from './emptyGraph.ts';

/** Where a Neo4j is. */
export type Neo4jSettings = Record<'NEO4J_URI' | 'NEO4J_USER' | 'NEO4J_PASSWORD', string>;

const started: Neo4jSettings[] = JSON.parse(process.env.TEST_NEO4J ?? '[{}]');
const worker = Number(process.env.JEST_WORKER_ID ?? 1);

/** The Neo4j that the test run has started for this worker of Jest, which counts them from 1 (test/setup/start.mjs). */
export const neo4jSettings = started[worker - 1] as Neo4jSettings;
if (neo4jSettings === undefined) throw new Error(`No Neo4j has been started for worker ${worker}`);
// For processes that a test starts, which must not take that of another worker.
Object.assign(process.env, neo4jSettings);

export function testAddress(): DatabaseAddress {
  const { NEO4J_URI, NEO4J_USER, NEO4J_PASSWORD, NEO4J_DATABASE } = readConfig(neo4jSettings);
  return { uri: NEO4J_URI ?? '', user: NEO4J_USER, password: NEO4J_PASSWORD, database: NEO4J_DATABASE };
}

export function testDatabase(): Database {
  return new Database(testAddress());
}

/** Removes everything but constraints and indexes, so that a test file begins with an empty graph. */
export async function emptyGraph(): Promise<void> {
  const database = testDatabase();
  await empty(database);
  await database.close();
}

/**
 * A whole Concord on a free port over an empty graph.
 * @param settings environment variables, over the tests' own
 */
export async function startTestService(settings: Record<string, string> = {}): Promise<Service> {
  await emptyGraph();
  return startServiceOnGraph(settings);
}

/** A whole Concord on a free port over the graph as it is: a second replica, or one that comes back. */
export function startServiceOnGraph(settings: Record<string, string> = {}): Promise<Service> {
  return startService(
    readConfig({
      PORT: '0',
      LOG_LEVEL: 'silent',
      VOCABULARY: 'test/support/world.graphql',
      ...neo4jSettings,
      ...settings,
    }),
  );
}

/** A JSON-RPC answer. */
export interface Answer<Result = Record<string, unknown>> {
  result: Result;
  error?: { code: number; message: string; data: Record<string, unknown> };
}

/** Calls a method over HTTP as any agent would. */
export async function call<Result = Record<string, unknown>>(
  url: string,
  method: string,
  params: object,
  headers: Record<string, string> = {},
): Promise<Answer<Result>> {
  const response = await fetch(`${url}/a2a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return (await response.json()) as Answer<Result>;
}
