import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { createHome } from '../../src/neo4jServer/home.ts';
import { jarDirectory } from '../../src/neo4jServer/jars.ts';
import { lastingPort } from './ports.ts';

/**
 * A data directory for a Neo4j of a test's own, with the jars that the run has fetched, if it has: Maven takes seconds.
 */
export function ownDataDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'concord-own-'));
  const jars = process.env.TEST_NEO4J_JARS;
  if (jars) symlinkSync(jars, jarDirectory(createHome(readConfig({ DATA_DIR: directory }))));
  return directory;
}

/** The settings of a Neo4j in such a directory that can be stopped and comes back on the same ports. */
export async function lastingSettings(directory: string): Promise<Record<string, string>> {
  const [bolt, http] = await Promise.all([lastingPort(), lastingPort()]);
  return {
    DATA_DIR: directory,
    NEO4J_SERVER: 'embedded',
    NEO4J_BOLT_PORT: String(bolt),
    NEO4J_HTTP_PORT: String(http),
    NEO4J_HEAP: '512m',
  };
}
