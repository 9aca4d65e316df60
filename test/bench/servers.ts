import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { tryPort } from '../../src/neo4jServer/ports.ts';
import type { Neo4jServer } from '../../src/neo4jServer/server.ts';
import type { Bench } from './bench.ts';

/** A server in a process of its own, as in life. */
export interface ChildServer {
  url: string;
  pid: number;
  /** Milliseconds from its start until it was ready. */
  readyMs: number;
  stop(): Promise<void>;
}

export type Credentials = Pick<Neo4jServer, 'uri' | 'user' | 'password'>;

/** The repository's. */
export const root = fileURLToPath(new URL('../../', import.meta.url));
/** The demo's. */
export const vocabularyFile = fileURLToPath(new URL('../../demo/world.graphql', import.meta.url));

const readyLimitMs = 120_000;
const pollMs = 25;

/** Concord over a Neo4j that runs. */
export function startConcord(
  bench: Bench,
  { uri, user, password }: Credentials,
  vocabulary: string,
  settings: Record<string, string> = {},
  program?: string[],
): Promise<ChildServer> {
  const neo4j = { NEO4J_URI: uri, NEO4J_USER: user, NEO4J_PASSWORD: password };
  return concord(bench, { ...neo4j, ...settings, VOCABULARY: vocabulary }, program);
}

/** The same, but for the tasks, which the SDK keeps in memory. */
export function startForgetful(
  bench: Bench,
  server: Credentials,
  vocabulary: string,
  settings: Record<string, string>,
): Promise<ChildServer> {
  const file = fileURLToPath(new URL('forgetful.ts', import.meta.url));
  return startConcord(bench, server, vocabulary, settings, ['--import', 'tsx', file]);
}

/** Concord with its embedded Neo4j. */
export function startWholeConcord(bench: Bench, directory: string): Promise<ChildServer> {
  return concord(bench, {
    NEO4J_URI: '',
    NEO4J_SERVER: 'embedded',
    DATA_DIR: directory,
    NEO4J_BOLT_PORT: '0',
    NEO4J_HTTP_PORT: '0',
    VOCABULARY: vocabularyFile,
  });
}

/** Apollo Server with @neo4j/graphql and nothing else. */
export function startBare(bench: Bench, { uri, user, password }: Credentials, typeDefs: string): Promise<ChildServer> {
  const file = fileURLToPath(new URL('bareServer.ts', import.meta.url));
  const settings = { BARE_NEO4J: JSON.stringify([uri, user, password]), BARE_TYPE_DEFS: typeDefs };
  return start(bench, ['--import', 'tsx', file], settings, '/?query=%7B__typename%7D');
}

/** An agent of the kit that does next to nothing. */
export function startWorker(bench: Bench): Promise<ChildServer> {
  const file = fileURLToPath(new URL('worker.ts', import.meta.url));
  return start(bench, ['--import', 'tsx', file], {}, '/.well-known/agent-card.json');
}

function concord(
  bench: Bench,
  settings: Record<string, string>,
  // As `npm start` does.
  program = ['--max-semi-space-size=64', 'dist/main.js'],
): Promise<ChildServer> {
  return start(bench, program, { ...settings, LOG_LEVEL: 'warn' }, '/readyz');
}

async function start(
  bench: Bench,
  arguments_: string[],
  settings: Record<string, string>,
  probe: string,
): Promise<ChildServer> {
  const port = await tryPort(0);
  const url = `http://127.0.0.1:${port}`;
  const started = performance.now();
  const child = spawn(process.execPath, arguments_, {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production', ...settings, HOST: '127.0.0.1', PORT: String(port) },
    // What a server logs is progress, not a figure.
    stdio: ['ignore', process.stderr, process.stderr],
  });
  bench.opened(() => stop(child));
  try {
    while (!(await answers(url + probe))) {
      if (hasEnded(child)) throw new Error(`${arguments_.at(-1)} has ended; stderr says why`);
      if (performance.now() - started > readyLimitMs) throw new Error(`${arguments_.at(-1)} isn't ready`);
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  } catch (error) {
    await stop(child);
    throw error;
  }
  return { url, pid: child.pid ?? 0, readyMs: performance.now() - started, stop: () => stop(child) };
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { headers: { 'apollo-require-preflight': 'true' } }).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.ok ?? false;
}

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
