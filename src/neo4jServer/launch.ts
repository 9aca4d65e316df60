import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { StartupError } from '../base/errors.ts';
import { type ProcessRecord, recordOf } from './processes.ts';
import type { Environment } from './programs.ts';

/**
 * Those of Neo4j's own JVM flags (its default neo4j.conf) that change how it runs. Java adds those of JDK_JAVA_OPTIONS.
 */
const jvmFlags = [
  '-XX:-OmitStackTraceInFastThrow',
  '-XX:+UnlockExperimentalVMOptions',
  '-XX:+TrustFinalNonStaticFields',
  '-XX:+DisableExplicitGC',
  '-XX:+ExitOnOutOfMemoryError',
  '-Djdk.nio.maxCachedBufferSize=1024',
  '-Dio.netty.tryReflectionSetAccessible=true',
  '-Dlog4j2.disable.jmx=true',
  '-Dfile.encoding=UTF-8',
  '--add-opens=java.base/java.nio=ALL-UNNAMED',
  '--add-opens=java.base/java.io=ALL-UNNAMED',
  '--add-opens=java.base/sun.nio.ch=ALL-UNNAMED',
  '--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED',
];

export interface Launch {
  java: string;
  /** The directory of Neo4j's jars, inside `home`. */
  jars: string;
  home: string;
  /** As Java's -Xmx takes it: `1g`, `512m`. */
  heap: string;
  environment: Environment;
  /** Further flags of Java. */
  flags?: string[];
}

/**
 * Starts Neo4j as a process that outlives this one, its output in logs/console.log. It isn't ready when this returns.
 * @throws StartupError when Java cannot be started.
 */
export async function launchNeo4j({ java, jars, home, heap, environment, flags = [] }: Launch): Promise<ProcessRecord> {
  const conf = join(home, 'conf');
  // Relative to the working directory, because a path with the delimiter in it cannot be on a class path.
  const classPath = [`${basename(jars)}/*`, 'plugins/*'].join(delimiter);
  const main = ['org.neo4j.server.CommunityEntryPoint', `--home-dir=${home}`, `--config-dir=${conf}`];
  mkdirSync(join(home, 'logs'), { recursive: true });
  const log = openSync(consoleLog(home), 'w');
  const child = spawn(java, [`-Xmx${heap}`, ...jvmFlags, ...flags, '-cp', classPath, ...main, '--console-mode'], {
    cwd: home,
    // APOC reads the place of apoc.conf here; from the command line it cannot if there are spaces in it.
    env: { ...environment, NEO4J_CONF: conf },
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.unref();
  const record = child.pid === undefined ? undefined : recordOf(child.pid);
  if (record) return record;
  const failure = await new Promise<Error>((resolve) => {
    child.once('error', resolve).once('exit', (code) => resolve(new Error(`it ended with code ${code}`)));
  });
  throw new StartupError(`${java} cannot be started: ${failure.message}`, { cause: failure });
}

export function consoleLog(home: string): string {
  return join(home, 'logs', 'console.log');
}

/** What Neo4j says on its way, in this order, and how far it is then. */
const phases: [said: RegExp, isAt: string][] = [
  [/INFO {2}Starting\.\.\.$/m, 'Java runs, Neo4j is loaded'],
  [/INFO {2}This instance is /m, 'it is loaded, its own database is opened'],
  [/INFO {2}======== Neo4j /m, 'the graph is opened, with its indexes'],
  [/INFO {2}Bolt enabled/m, 'Bolt is on, HTTP and the Browser are started'],
  [/INFO {2}Started\.$/m, 'all of it has started, the password is tried'],
];

/** How far a Neo4j is that starts; undefined before Java runs. */
export function phaseOf(log: string): string | undefined {
  return phases.findLast(([said]) => said.test(log))?.[1];
}

/** What Neo4j has said so far. */
export function wordsOf(home: string): string {
  return readFileSync(consoleLog(home), 'utf8');
}

/** Whether Neo4j has said that all of it has started, Bolt and HTTP. */
export function hasStarted(home: string): boolean {
  return /INFO {2}Started\.$/m.test(wordsOf(home));
}

/** The line of Neo4j's output that tells best why it ended. */
export function lastWords(home: string): string {
  return meaningfulLine(wordsOf(home)) ?? 'it wrote nothing';
}

/** The innermost cause of the last error, or else the last line that isn't part of a stack trace. */
export function meaningfulLine(log: string): string | undefined {
  const lines = log
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line && !/^(at |\.\.\. \d+ |Suppressed: )/.test(line));
  const lastError = lines.findLastIndex((line) => / ERROR |^Exception in thread /.test(line));
  const causes = lines.slice(Math.max(lastError, 0)).filter((line) => line.startsWith('Caused by: '));
  const line = causes.at(-1) ?? lines[lastError] ?? lines.at(-1);
  return line?.replace(/^(Caused by: |Exception in thread "[^"]*" |\d{4}-\d\d-\d\d \S+ +(ERROR|WARN|INFO) +)/, '');
}
