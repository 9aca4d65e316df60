import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { neo4jSettings } from '../../support/service.ts';

const main = fileURLToPath(new URL('./replicaMain.ts', import.meta.url));

/** A Concord in a process of its own, on the Neo4j of the test run. */
export interface Replica {
  url: string;
  /** Ends it in whatever it is at. */
  kill(): Promise<void>;
  /** Lets it end in peace. */
  close(): Promise<void>;
}

/** @param settings beside those of Neo4j */
export async function startReplica(settings: Record<string, string> = {}): Promise<Replica> {
  const child = spawn(process.execPath, ['--import', 'tsx', main], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...neo4jSettings, ...settings },
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const [url] = (await Promise.race([
    once(lines, 'line'),
    exited.then(() => {
      throw new Error('The replica ended before it was ready');
    }),
  ])) as [string];
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
  };
  return { url, kill: () => end('SIGKILL'), close: () => end('SIGTERM') };
}
