import { createHash } from 'node:crypto';
import { StartupError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { apocHardenings, hardenings, nothing } from './hardening.ts';
import { createHome } from './home.ts';
import { claimDirectory } from './ownership.ts';
import { keepPassword, logIn, user } from './password.ts';
import { tryPort } from './ports.ts';
import type { Neo4jServer, Report } from './server.ts';

const image = 'neo4j:5.26.19-community';
const bolt = 7687;
const http = 7474;
/** With the download of the image. */
const startLimitMs = 300_000;
const stopLimitMs = 30_000;

/**
 * Starts Neo4j in a container, its data in a named volume; a container that a killed Concord left running is reused.
 * @returns undefined when no Docker daemon answers.
 * @throws StartupError when the data directory is in use or the container doesn't start.
 */
export async function startDocker(config: Config, report: Report): Promise<Neo4jServer | undefined> {
  const home = createHome(config);
  const release = claimDirectory(home);
  try {
    const server = await startContainer(config, home, report);
    if (!server) release();
    return server && { ...server, close: () => server.close().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}

async function startContainer(config: Config, home: string, report: Report): Promise<Neo4jServer | undefined> {
  const kept = keepPassword(home, config.NEO4J_PASSWORD);
  // Loaded only here: it is large, and most starts don't need it.
  const { Neo4jContainer } = await import('@testcontainers/neo4j');
  // One container and one volume for one data directory; the label keeps equal settings of two directories apart.
  const name = `concord-neo4j-${createHash('sha256').update(home).digest('hex').slice(0, 12)}`;
  const container = new Neo4jContainer(image)
    .withPassword(kept)
    .withEnvironment({
      NEO4J_PLUGINS: '["apoc"]',
      NEO4J_dbms_usage__report_enabled: 'false',
      NEO4J_server_memory_heap_max__size: config.NEO4J_HEAP,
      ...hardenedEnvironment(config.NEO4J_HEAP),
    })
    .withName(name)
    .withLabels({ 'concord.data': name })
    .withBindMounts([{ source: name, target: '/data' }])
    .withExposedPorts(
      { container: bolt, host: await hostPort(config.NEO4J_BOLT_PORT, bolt) },
      { container: http, host: await hostPort(config.NEO4J_HTTP_PORT, http) },
    )
    .withStartupTimeout(startLimitMs)
    .withReuse();
  report(`Starting Neo4j in Docker (${image}, volume ${name})`);
  const started = await container.start().catch((error: Error) => {
    if (/container runtime/.test(error.message)) return undefined;
    throw new StartupError(`Neo4j did not start in Docker: ${error.message} ('docker logs ${name}' tells more)`, {
      cause: error,
    });
  });
  if (!started) return undefined;
  const uri = `bolt://${started.getHost()}:${started.getMappedPort(bolt)}`;
  return {
    kind: 'docker',
    uri,
    user,
    password: await logIn(home, uri, kept, config.NEO4J_PASSWORD),
    browserUrl: `http://${started.getHost()}:${started.getMappedPort(http)}/browser/`,
    // The volume is a named one, which goes neither with the container nor with its anonymous volumes.
    close: async () => {
      await started.stop({ timeout: stopLimitMs });
    },
  };
}

/** The settings as the image takes them: it drops one without a value, and then gives APOC all of `unrestricted`. */
export function hardenedEnvironment(heap: string): Record<string, string> {
  const wanted = hardenings(heap).map(({ setting, value }): [string, string] => [setting, value || nothing]);
  const named = [...wanted, ...Object.entries(apocHardenings)].map(([setting, value]) => [
    `NEO4J_${setting.replaceAll('_', '__').replaceAll('.', '_')}`,
    value,
  ]);
  return Object.fromEntries(named);
}

/** The port to publish: the one that is set, where Docker tells when it is taken; else the usual one if it is free. */
async function hostPort(set: number | undefined, usual: number): Promise<number> {
  return set ?? (await tryPort(usual)) ?? 0;
}
