import { StartupError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { retryUntil } from './bolt.ts';
import { ClassArchive } from './classArchive.ts';
import { createHome, homeOf } from './home.ts';
import { findJars, jarDirectory, provideJars } from './jars.ts';
import { findJava } from './java.ts';
import { consoleLog, hasStarted, lastWords, launchNeo4j } from './launch.ts';
import { claimDirectory } from './ownership.ts';
import { keepPassword, logIn, passwordFile, user } from './password.ts';
import { choosePorts, type Ports } from './ports.ts';
import { isRunning, stopProcess } from './processes.ts';
import type { Environment, Found } from './programs.ts';
import { forget, type Running, recall, remember } from './running.ts';
import type { Neo4jServer, Report } from './server.ts';
import { hasSettings, writeSettings } from './settings.ts';
import { StartProgress } from './startProgress.ts';

const readyLimitMs = 180_000;
const stopLimitMs = 30_000;
/** Where Java writes Neo4j's classes behind its end. */
const archivingLimitMs = 90_000;

/** What the embedded Neo4j is made with. */
export interface Tools {
  java: string;
  /** Absent when the jars are already there. */
  maven?: string;
  environment: Environment;
  /** Ends the start at once. */
  signal?: AbortSignal;
}

interface Ready {
  running: Running;
  password: string;
}

/** Finds Java, and the jars or the Maven to fetch them with. */
export async function findTools(config: Config, environment: Environment): Promise<Found<Tools>> {
  const java = await findJava(environment);
  if (java.missing !== undefined) return java;
  const jars = findJars(homeOf(config), environment);
  if (jars.missing !== undefined) return jars;
  return { java: java.command, maven: jars.maven, environment };
}

/**
 * Starts Neo4j Community as a child process on the data of DATA_DIR, or takes over the one that an earlier Concord,
 * killed, has left running there.
 * @throws StartupError when the data is in use, a port is taken, or Neo4j doesn't start.
 */
export async function startEmbedded(config: Config, tools: Tools, report: Report): Promise<Neo4jServer> {
  const home = createHome(config);
  const release = claimDirectory(home);
  try {
    const { running, password } =
      (await adopt(home, config, report, tools.signal)) ?? (await start(home, config, tools, report));
    const archive = new ClassArchive(jarDirectory(home), tools.java, tools.environment);
    const stop = async () => {
      if (archive.isToCome) report('Stopping Neo4j; Java archives its classes, so that the next start is quicker');
      const wasAsked = await stopProcess(running.process, archive.isToCome ? archivingLimitMs : stopLimitMs);
      if (wasAsked) archive.keep();
      else archive.discard();
      forget(home);
    };
    let closed: Promise<void> | undefined;
    return {
      kind: 'embedded',
      uri: boltUri(running),
      user,
      password,
      browserUrl: `http://127.0.0.1:${running.ports.http}/browser/`,
      close: () => {
        closed ??= stop().finally(release);
        return closed;
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

async function adopt(home: string, config: Config, report: Report, signal?: AbortSignal): Promise<Ready | undefined> {
  const running = recall(home);
  if (!running || !isRunning(running.process)) return undefined;
  const { pid } = running.process;
  if (fits(running.ports, config) && hasSettings(home, running.ports, config.NEO4J_HEAP)) {
    report(`Taking over Neo4j, process ${pid}, which an earlier Concord has left running`);
    const password = await untilReady(home, running, keepPassword(home, undefined), config, signal);
    if (password !== undefined) return { running, password };
  }
  report(`Stopping Neo4j, process ${pid}, which an earlier Concord has left running, to start it anew`);
  await stopProcess(running.process, stopLimitMs);
  return undefined;
}

async function start(home: string, config: Config, tools: Tools, report: Report): Promise<Ready> {
  const kept = keepPassword(home, config.NEO4J_PASSWORD);
  // A port that is taken is told before the download and not after it.
  await choosePorts(config);
  const jars = await provideJars(home, tools, report);
  for (let attempt = 1; ; attempt += 1) {
    const ports = await choosePorts(config);
    await writeSettings(home, jars, ports, config.NEO4J_HEAP);
    report('Starting Neo4j');
    const progress = new StartProgress(home, report);
    const archive = new ClassArchive(jars, tools.java, tools.environment);
    archive.discard();
    const child = await launchNeo4j({ ...tools, jars, home, heap: config.NEO4J_HEAP, flags: archive.flags });
    const running = { process: child, ports };
    remember(home, running);
    const password = await untilReady(home, running, kept, config, tools.signal, () => progress.look()).catch(
      (error) => error as Error,
    );
    if (typeof password === 'string') {
      report(`Neo4j is ready at ${boltUri(running)}, after ${progress.seconds}`);
      if (password !== (config.NEO4J_PASSWORD ?? password)) {
        report(`NEO4J_PASSWORD is not used: this Neo4j has a password already, kept in ${passwordFile(home)}`);
      }
      return { running, password };
    }
    const died = !isRunning(child);
    await stopProcess(child, stopLimitMs);
    forget(home);
    if (password) throw password;
    const why = lastWords(home);
    // Another process was quicker to open a port that was free; now it is seen to be taken.
    if (died && attempt < 3 && /Address already in use/.test(why)) continue;
    const what = died ? 'Neo4j ended while it started' : `Neo4j was not ready within ${readyLimitMs / 1000} s`;
    throw new StartupError(`${what}: ${why} (all of it: ${consoleLog(home)})`);
  }
}

/** The password that Neo4j accepts once it is ready; undefined when it ended, or isn't ready within the limit. */
function untilReady(
  home: string,
  running: Running,
  kept: string,
  config: Config,
  signal?: AbortSignal,
  look = () => {},
): Promise<string | undefined> {
  const attempt = async () => {
    look();
    // Before its own word, what answers on the port could be another Neo4j.
    if (!hasStarted(home)) throw new Error('not started yet');
    return await logIn(home, boltUri(running), kept, config.NEO4J_PASSWORD);
  };
  return retryUntil(attempt, readyLimitMs, () => signal?.aborted || !isRunning(running.process));
}

/** Whether the ports are those that are set, if any are. */
function fits({ bolt, http }: Ports, config: Config): boolean {
  return (config.NEO4J_BOLT_PORT || bolt) === bolt && (config.NEO4J_HTTP_PORT || http) === http;
}

function boltUri({ ports }: Running): string {
  return `bolt://127.0.0.1:${ports.bolt}`;
}
