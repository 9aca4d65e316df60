import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '../base/errors.ts';
import { isAccepted } from './bolt.ts';

export const user = 'neo4j';

/** What a new Neo4j lets in, only to have it changed. */
const initialPassword = 'neo4j';
const shortest = 8;

/**
 * The password kept in a Neo4j's home; at the first start the given one, or else one made up here.
 * @throws StartupError when the given one is shorter than Neo4j takes.
 */
export function keepPassword(home: string, given: string | undefined): string {
  const kept = readPassword(home);
  if (kept) return kept;
  if (given !== undefined && given.length < shortest) {
    throw new StartupError(`NEO4J_PASSWORD is too short: Neo4j takes no password of less than ${shortest} characters.`);
  }
  const password = given ?? randomBytes(24).toString('base64url');
  writePassword(home, password);
  return password;
}

/**
 * Finds the password that a running Neo4j accepts, setting the kept one if Neo4j is new.
 * Rejects with the driver's error when Neo4j doesn't answer yet.
 * @throws StartupError when Neo4j has another password than the kept and the given one.
 */
export async function logIn(home: string, uri: string, kept: string, given: string | undefined): Promise<string> {
  if (await isAccepted(uri, user, kept)) return kept;
  if (await setInitialPassword(uri, kept)) return kept;
  // Somebody has changed the password in Neo4j and tells it by the setting. A third failure would lock the user out.
  if (given !== undefined && given !== kept && (await isAccepted(uri, user, given))) {
    writePassword(home, given);
    return given;
  }
  throw new StartupError(
    `Neo4j refuses the password in ${passwordFile(home)}. Set NEO4J_PASSWORD to the one that it was changed to.`,
  );
}

function setInitialPassword(uri: string, password: string): Promise<boolean> {
  return isAccepted(uri, user, initialPassword, (driver) =>
    driver.executeQuery(
      'ALTER CURRENT USER SET PASSWORD FROM $initialPassword TO $password',
      { initialPassword, password },
      { database: 'system' },
    ),
  );
}

export function passwordFile(home: string): string {
  return join(home, 'password');
}

function readPassword(home: string): string | undefined {
  try {
    return readFileSync(passwordFile(home), 'utf8').trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Only its owner can read it, from the first moment on. */
function writePassword(home: string, password: string): void {
  const draft = `${passwordFile(home)}.draft`;
  writeFileSync(draft, `${password}\n`, { mode: 0o600 });
  renameSync(draft, passwordFile(home));
}
