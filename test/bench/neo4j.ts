import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import neo4j, { type Driver } from 'neo4j-driver';
import { StartupError } from '../../src/base/errors.ts';
import { readConfig } from '../../src/config/config.ts';
import { type Neo4jServer, startNeo4j } from '../../src/neo4jServer/server.ts';
import type { Bench } from './bench.ts';

/** An empty Neo4j with a driver for it, and a directory that is gone afterwards. */
export interface EmptyNeo4j {
  server: Neo4jServer;
  driver: Driver;
  directory: string;
}

/** Neo4j at NEO4J_URI, or one of our own. */
export function openNeo4j(bench: Bench): Promise<EmptyNeo4j> {
  const { NEO4J_URI, NEO4J_USER, NEO4J_PASSWORD } = process.env;
  return open(bench, { NEO4J_URI, NEO4J_USER, NEO4J_PASSWORD });
}

/** One of our own in any case. */
export function openOwnNeo4j(bench: Bench): Promise<EmptyNeo4j> {
  return open(bench, {});
}

async function open(bench: Bench, given: Record<string, string | undefined>): Promise<EmptyNeo4j> {
  const directory = await mkdtemp(join(tmpdir(), 'concord-bench-'));
  bench.opened(() => rm(directory, { recursive: true, force: true }));
  const config = readConfig({ ...given, DATA_DIR: directory, NEO4J_BOLT_PORT: '0', NEO4J_HTTP_PORT: '0' });
  const server = await startNeo4j(config, bench.say);
  bench.opened(() => server.close());
  const driver = neo4j.driver(server.uri, neo4j.auth.basic(server.user, server.password));
  bench.opened(() => driver.close());
  await requireEmpty(driver);
  return { server, driver, directory };
}

/** The benchmark writes what nobody wants to keep, and old data would change its figures. */
async function requireEmpty(driver: Driver): Promise<void> {
  const { records } = await driver.executeQuery('MATCH (n) RETURN n LIMIT 1');
  if (records.length === 0) return;
  throw new StartupError('The database at NEO4J_URI is not empty: empty it, or unset NEO4J_URI to use one of our own.');
}
