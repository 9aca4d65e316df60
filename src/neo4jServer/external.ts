import { setTimeout as sleep } from 'node:timers/promises';
import neo4j, { Neo4jError } from 'neo4j-driver';
import { StartupError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { isUnauthorized, withDriver } from './bolt.ts';
import type { Neo4jServer, Report } from './server.ts';

const tellMs = 5_000;
const againMs = 500;

/**
 * The Neo4j of NEO4J_URI as soon as it answers, for at most NEO4J_WAIT_MS; what is wrong with it meanwhile is told every
 * five seconds. What waiting doesn't mend, such as a wrong password, is thrown at once.
 * @param signal ends the wait at once
 * @throws StartupError as `connectExternal`
 */
export async function waitForExternal(
  config: Config,
  uri: string,
  report: Report,
  signal?: AbortSignal,
): Promise<Neo4jServer> {
  const began = Date.now();
  const passed = () => Date.now() - began;
  let told = 0;
  for (;;) {
    try {
      return await connectExternal(config, uri);
    } catch (error) {
      const mayCome = error instanceof StartupError && neo4j.isRetryableError(error.cause as Error);
      if (!mayCome || passed() >= config.NEO4J_WAIT_MS || signal?.aborted) throw error;
      if (told === 0 || passed() - told >= tellMs) {
        told = Math.max(1, passed());
        const left = Math.ceil((config.NEO4J_WAIT_MS - passed()) / 1_000);
        report(`${error.message} Waiting for it, ${left} s at most (NEO4J_WAIT_MS)`);
      }
    }
    await sleep(againMs, undefined, { signal });
  }
}

/**
 * The Neo4j of NEO4J_URI, once it has answered. Without NEO4J_PASSWORD, authentication is off: the password is then ''.
 * @throws StartupError when it cannot be reached, refuses the credentials, or has no such database.
 */
export async function connectExternal(config: Config, uri: string): Promise<Neo4jServer> {
  const { NEO4J_USER: user, NEO4J_PASSWORD: password, NEO4J_DATABASE: database } = config;
  try {
    const auth = password === undefined ? undefined : neo4j.auth.basic(user, password);
    await withDriver(uri, auth, async (driver) => {
      await driver.verifyConnectivity({ database });
      // Over bolt:// only a query finds out whether the database is there.
      const session = driver.session({ database });
      await session.run('RETURN 1').finally(() => session.close());
    });
  } catch (error) {
    throw new StartupError(explain(error, uri, config), { cause: error });
  }
  const passwordFile = config.secretFiles.get('NEO4J_PASSWORD');
  return {
    kind: 'external',
    uri,
    user,
    password: password ?? '',
    ...(passwordFile !== undefined && { passwordFile }),
    close: async () => {},
  };
}

function explain(error: unknown, uri: string, config: Config): string {
  const { NEO4J_USER: user, NEO4J_PASSWORD: password, NEO4J_DATABASE: database } = config;
  if (isUnauthorized(error)) {
    return password === undefined
      ? `Neo4j at ${uri} asks for a password. Set NEO4J_PASSWORD, and NEO4J_USER if it is not '${user}'.`
      : `Neo4j at ${uri} refuses user '${user}' with this password. Correct NEO4J_USER or NEO4J_PASSWORD.`;
  }
  const code = error instanceof Neo4jError ? error.code : undefined;
  if (code === 'Neo.ClientError.Database.DatabaseNotFound') {
    return `Neo4j at ${uri} has no database '${database}'. Correct NEO4J_DATABASE.`;
  }
  const message = error instanceof Error ? error.message : String(error);
  if (code === undefined) return `NEO4J_URI ${uri} cannot be used: ${message}`;
  // The driver puts general advice before the cause, and the routing table after it.
  const cause = message
    .replace(/^.*Caused by: /s, '')
    .split('\n')[0]
    ?.replace(/\.? Known routing table.*$/, '');
  return `No Neo4j answers at ${uri}: ${cause}. Start it, or correct NEO4J_URI.`;
}
