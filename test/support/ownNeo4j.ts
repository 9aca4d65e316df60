import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { createHome } from '../../src/neo4jServer/home.ts';
import { jarDirectory } from '../../src/neo4jServer/jars.ts';

/**
 * A data directory for a Neo4j of a test's own, with the jars that the run has fetched, if it has: Maven takes seconds.
 */
export function ownDataDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'concord-own-'));
  const jars = process.env.TEST_NEO4J_JARS;
  if (jars) symlinkSync(jars, jarDirectory(createHome(readConfig({ DATA_DIR: directory }))));
  return directory;
}
