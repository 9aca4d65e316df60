import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { lastingPort } from '../../support/ports.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * The built Concord in a process of its own, on one port for all its lives: whatever ends it, it is started again, as a
 * container would be.
 */
export class OwnService {
  readonly url: string;
  private readonly environment: Record<string, string>;
  private child: ChildProcess | undefined;
  private living: Promise<void> = Promise.resolve();
  private isClosed = false;
  /** The last lines that it wrote. */
  private words = '';
  /** How its lives have ended: by an exit code or a signal. */
  readonly ends: (number | string)[] = [];
  /** What its log says of each kind of error, of all of its lives: the first line of each. */
  readonly errors = new Map<string, string>();

  private constructor(port: number, environment: Record<string, string>) {
    this.url = `http://127.0.0.1:${port}`;
    this.environment = { ...environment, PORT: String(port) };
  }

  /** @param environment settings over those of the test */
  static async start(environment: Record<string, string>): Promise<OwnService> {
    const service = new OwnService(await lastingPort(), environment);
    service.living = service.live();
    return service;
  }

  /** Kills it, in whatever it is at; false where it is just between two lives. */
  kill(): boolean {
    return this.child?.kill('SIGKILL') ?? false;
  }

  /** Of its present life. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Lets it end in peace and begin again, as an upgrade does; false where it is just between two lives. */
  restart(): boolean {
    return this.child?.kill('SIGTERM') ?? false;
  }

  /** Lets it end in peace, for good. @throws Error if it doesn't come to a good end */
  async close(): Promise<void> {
    this.isClosed = true;
    const { child } = this;
    child?.kill('SIGTERM');
    await this.living;
    if (child?.exitCode !== 0) throw new Error(`The service ended with ${child?.exitCode}: ${this.words}`);
  }

  /** Keeps a line that is about an error of a kind that was not there before. */
  private note(line: string): void {
    const [, message = ''] = /"err":\{.*?"message":"(.{0,60})/.exec(line) ?? [];
    const [, code = ''] = /"code":"(\w[^"]*\.[^"]*)"/.exec(line) ?? [];
    const kind = `${code} ${message.replace(/\d+/g, 'N')}`;
    if (message && !this.errors.has(kind)) this.errors.set(kind, line.slice(0, 2_000));
  }

  private async live(): Promise<void> {
    while (!this.isClosed) {
      const child = spawn(process.execPath, ['dist/main.js'], {
        cwd: root,
        env: {
          ...process.env,
          LOG_LEVEL: 'error',
          VOCABULARY: 'test/support/world.graphql',
          ...this.environment,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      this.child = child;
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (data) => {
          this.words = `${this.words}${data}`.slice(-4_000);
          for (const line of String(data).split('\n')) this.note(line);
        });
      const [code, signal] = await once(child, 'exit');
      this.ends.push(signal ?? code);
      // It may have ended because there is no Neo4j.
      if (!this.isClosed) await sleep(50);
    }
  }
}
