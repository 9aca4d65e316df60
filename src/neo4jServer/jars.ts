import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyDependencies } from './maven.ts';
import { type Environment, type Found, findProgram } from './programs.ts';

// Three folders up is the package's root, from src/ as from dist/.
const pom = fileURLToPath(new URL('../../cypher/neo4j/pom.xml', import.meta.url));

/** Where the jars are to be, named by a hash of the POM: a new POM means other jars, in another directory. */
export function jarDirectory(home: string): string {
  const hash = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12);
  return join(home, `lib-${hash}`);
}

/** The jars' source: the directory that holds them already, or the Maven that can fetch them. */
export function findJars(home: string, environment: Environment): Found<{ maven?: string }> {
  if (existsSync(jarDirectory(home))) return {};
  const maven = findProgram('mvn', environment);
  return maven ? { maven } : { missing: 'there is no mvn on the PATH to fetch Neo4j with' };
}

/**
 * The directory of Neo4j's jars, fetched if need be. The caller owns `home`.
 * @throws StartupError when Maven fails.
 */
export async function provideJars(
  home: string,
  source: { maven?: string; environment: Environment; signal?: AbortSignal },
  report: (line: string) => void,
): Promise<string> {
  const directory = jarDirectory(home);
  if (!source.maven) return directory;
  report('Fetching Neo4j with Maven (about 130 MB when Maven has not fetched it before)');
  // Only a whole set gets the final name, so that an interrupted download is never taken for one.
  const part = `${directory}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  await copyDependencies({ ...source, command: source.maven, pom }, part, report);
  await rename(part, directory);
  await removeOthers(home, directory);
  return directory;
}

async function removeOthers(home: string, directory: string): Promise<void> {
  const entries = (await readdir(home)).filter((name) => name.startsWith('lib-'));
  const others = entries.map((name) => join(home, name)).filter((path) => path !== directory);
  await Promise.all(others.map((path) => rm(path, { recursive: true, force: true })));
}
