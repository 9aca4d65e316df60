import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { StartupError } from '../base/errors.ts';
import type { Environment } from './programs.ts';

const progressMs = 5_000;

/**
 * Copies the jars that a POM names, with all that they need at run time, into a directory. What Maven's own cache
 * holds is not downloaded again.
 * @throws StartupError with Maven's first error.
 */
export async function copyDependencies(
  maven: { command: string; environment: Environment; pom: string; signal?: AbortSignal },
  directory: string,
  report: (line: string) => void,
): Promise<void> {
  const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${directory}`];
  const child = spawn(maven.command, ['--batch-mode', '--strict-checksums', '-f', maven.pom, ...goal], {
    env: maven.environment,
    signal: maven.signal,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  const progress = new DownloadProgress();
  let firstError: string | undefined;
  const read = (line: string) => {
    progress.read(line);
    firstError ??= mavenError(line);
  };
  createInterface({ input: child.stdout }).on('line', read);
  createInterface({ input: child.stderr }).on('line', read);
  const timer = setInterval(() => {
    const news = progress.news();
    if (news !== undefined) report(`Fetching Neo4j with Maven: ${news}`);
  }, progressMs);
  try {
    const code = await ended;
    if (code === 0) return;
    throw new Error(firstError ?? `it ended with code ${code}`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartupError(
      `Maven could not fetch Neo4j: ${why} Check the network and Maven's settings, or set NEO4J_URI.`,
      { cause: error },
    );
  } finally {
    clearInterval(timer);
  }
}

/** Counts what Maven's batch output says it has downloaded. */
export class DownloadProgress {
  #files = 0;
  #bytes = 0;
  #told = 0;

  read(line: string): void {
    const found = /Downloaded from .*\(([\d.]+) (B|kB|MB|GB)/.exec(line);
    if (!found) return;
    this.#files += 1;
    this.#bytes += Number(found[1]) * ({ B: 1, kB: 1e3, MB: 1e6, GB: 1e9 }[found[2] ?? 'B'] ?? 1);
  }

  /** How much there is in all; undefined where nothing has come since it was last asked. */
  news(): string | undefined {
    if (this.#files === this.#told) return undefined;
    this.#told = this.#files;
    return `${this.#files} ${this.#files === 1 ? 'file' : 'files'}, ${Math.round(this.#bytes / 1e6)} MB`;
  }
}

/** The error in a line of Maven's output, without colour and short enough to read. */
export function mavenError(line: string): string | undefined {
  const text = /^\[ERROR\]\s+(.+)/.exec(stripVTControlCharacters(line))?.[1]?.replace(/ -> \[Help 1\]$/, '');
  if (!text) return undefined;
  const short = text.length > 400 ? `${text.slice(0, 400)}…` : text;
  return /[.…]$/.test(short) ? short : `${short}.`;
}
