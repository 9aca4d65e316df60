import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { lastingPort } from '../../support/ports.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** Longer than a start takes on a busy machine. */
const patienceMs = 240_000;

/** The built Concord in a process of its own, which can be told to end and is started again on the same port. */
export class Replica {
  readonly url: string;
  private readonly environment: Record<string, string>;
  private child: ChildProcess | undefined;
  private exited: Promise<unknown> = Promise.resolve();
  /** The last that it wrote. */
  private words = '';

  private constructor(
    port: number,
    environment: Record<string, string>,
    private readonly onLine: ((line: string) => void) | undefined,
  ) {
    this.url = `http://127.0.0.1:${port}`;
    this.environment = { ...environment, PORT: String(port) };
  }

  /**
   * One that isn't started yet.
   * @param onLine told of each line that it writes
   */
  static async on(environment: Record<string, string>, onLine?: (line: string) => void): Promise<Replica> {
    return new Replica(await lastingPort(), environment, onLine);
  }

  /**
   * Starts it, and settles once it is ready.
   * @returns seconds until then
   * @throws Error with its last words, where it ends before
   */
  async start(): Promise<number> {
    const begun = performance.now();
    const child = spawn(process.execPath, ['dist/main.js'], {
      cwd: root,
      env: { ...process.env, LOG_LEVEL: 'error', VOCABULARY: 'test/support/world.graphql', ...this.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    this.exited = once(child, 'exit');
    for (const stream of [child.stdout, child.stderr])
      createInterface(stream).on('line', (line) => {
        this.words = `${this.words}${line}\n`.slice(-4_000);
        this.onLine?.(line);
      });
    while (!(await this.isReady())) {
      if (child.exitCode !== null) throw new Error(`A replica ended with ${child.exitCode}: ${this.words}`);
      if (performance.now() - begun > patienceMs) throw new Error(`A replica is not ready: ${this.words}`);
      await sleep(20);
    }
    return secondsSince(begun);
  }

  /** What a probe sees of it. */
  isReady(): Promise<boolean> {
    return isReady(this.url);
  }

  /**
   * Tells it to end, as Kubernetes does, and settles when it has.
   * @returns seconds until then
   * @throws Error if it doesn't come to a good end
   */
  async end(): Promise<number> {
    const { child } = this;
    if (child === undefined) return 0;
    this.child = undefined;
    const begun = performance.now();
    child.kill('SIGTERM');
    await this.exited;
    if (child.exitCode !== 0) throw new Error(`A replica ended with ${child.exitCode}: ${this.words}`);
    return secondsSince(begun);
  }
}

/** What a probe sees of a replica. */
export async function isReady(url: string): Promise<boolean> {
  const probe = fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3_000), headers: { connection: 'close' } });
  return probe.then(
    async (response) => {
      await response.text();
      return response.ok;
    },
    () => false,
  );
}

function secondsSince(begun: number): number {
  return Math.round((performance.now() - begun) / 10) / 100;
}
