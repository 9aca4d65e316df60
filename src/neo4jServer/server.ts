import { StartupError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { startDocker } from './docker.ts';
import { findTools, startEmbedded } from './embedded.ts';
import { waitForExternal } from './external.ts';
import type { Environment } from './programs.ts';

/** A Neo4j that answers. */
export interface Neo4jServer {
  kind: 'external' | 'docker' | 'embedded';
  /** bolt://… or neo4j://… */
  uri: string;
  user: string;
  /** Empty when authentication is off. */
  password: string;
  /** Where the password is read anew when it changes; absent where it isn't given so. */
  passwordFile?: string;
  /** Neo4j Browser, where its address is known. */
  browserUrl?: string;
  /** Stops what was started here, and only that. Its data stays. */
  close(): Promise<void>;
}

/** Takes lines about the progress, for people. */
export type Report = (line: string) => void;

const otherWays = 'Install Java 17 or 21 and Maven, or start Docker, or set NEO4J_URI to a Neo4j that runs.';

/**
 * Connects to the Neo4j of NEO4J_URI or else starts one, as NEO4J_SERVER says: the embedded one, one in Docker, or
 * (`auto`) the embedded one where Java and Maven are there and Docker elsewhere.
 * @param environment says where programs are: PATH and JAVA_HOME. No setting of Concord is read from it.
 * @param signal ends the start at once; what was started is stopped
 * @throws StartupError, always in one line that says what to do.
 */
export async function startNeo4j(
  config: Config,
  report: Report,
  environment: Environment = process.env,
  signal?: AbortSignal,
): Promise<Neo4jServer> {
  if (config.NEO4J_URI) return waitForExternal(config, config.NEO4J_URI, report, signal);
  const lacks: string[] = [];
  if (config.NEO4J_SERVER !== 'docker') {
    const tools = await findTools(config, environment);
    if (tools.missing === undefined) return startEmbedded(config, { ...tools, signal }, report);
    lacks.push(tools.missing);
  }
  if (config.NEO4J_SERVER !== 'embedded') {
    const server = await startDocker(config, report);
    if (server) return server;
    lacks.push('no Docker daemon answers');
  }
  throw new StartupError(`Neo4j cannot be started: ${lacks.join(', and ')}. ${otherWays}`);
}
