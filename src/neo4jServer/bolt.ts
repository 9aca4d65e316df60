import { setTimeout as sleep } from 'node:timers/promises';
import neo4j, { type AuthToken, type Driver, Neo4jError } from 'neo4j-driver';
import { StartupError } from '../base/errors.ts';

/** Opens a driver for the time of one piece of work. */
export async function withDriver<Result>(
  uri: string,
  auth: AuthToken | undefined,
  work: (driver: Driver) => Promise<Result>,
): Promise<Result> {
  const driver = neo4j.driver(uri, auth, { connectionTimeout: 10_000, maxTransactionRetryTime: 0 });
  try {
    return await work(driver);
  } finally {
    await driver.close();
  }
}

/** Whether the credentials are accepted, for this work. Throws when nothing answers. */
export async function isAccepted(
  uri: string,
  user: string,
  password: string,
  work: (driver: Driver) => Promise<unknown> = (driver) => driver.verifyConnectivity(),
): Promise<boolean> {
  try {
    await withDriver(uri, neo4j.auth.basic(user, password), work);
    return true;
  } catch (error) {
    if (isUnauthorized(error)) return false;
    throw error;
  }
}

export function isUnauthorized(error: unknown): boolean {
  return error instanceof Neo4jError && error.code.startsWith('Neo.ClientError.Security.');
}

/**
 * Repeats an attempt until it succeeds; a StartupError ends it.
 * @returns its result; undefined after the limit, or when `gaveUp` says that there is nothing left to wait for.
 */
export async function retryUntil<Result>(
  attempt: () => Promise<Result>,
  limitMs: number,
  gaveUp: () => boolean,
): Promise<Result | undefined> {
  const limit = Date.now() + limitMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof StartupError) throw error;
      if (gaveUp() || Date.now() > limit) return undefined;
      await sleep(100);
    }
  }
}
