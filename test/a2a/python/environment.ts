import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Found } from '../../../src/neo4jServer/programs.ts';

const run = promisify(execFile);
/** What a Python is to have. */
interface Wanted {
  /** The file that names its packages. */
  requirements: string;
  /** A folder of its environments. */
  cache: string;
  /** What isn't tried without it. */
  what: string;
}

const sdk: Wanted = {
  requirements: 'test/a2a/python/requirements.txt',
  cache: '.cache/python',
  what: 'The official Python client',
};
const fetchLimitMs = 240_000;

/** A Python that has the official SDK, as `pythonWith` finds it. */
export const pythonWithSdk = () => pythonWith(sdk);

/**
 * A Python (PYTHON, or else python3) that has the packages of a requirements.txt, in a virtual environment that later
 * runs find again. Where there is none and they cannot be fetched, says so on the standard error.
 * @throws Error instead, where REQUIRE_PYTHON=1 says that there must be one
 */
export async function pythonWith(wanted: Wanted): Promise<Found<{ command: string }>> {
  const found = await findPython(wanted);
  if (found.missing === undefined) return found;
  const why = `${wanted.what} is not tried: ${found.missing}`;
  if (process.env.REQUIRE_PYTHON === '1') throw new Error(why);
  process.stderr.write(`SKIPPED. ${why}\n`);
  return found;
}

async function findPython(wanted: Wanted): Promise<Found<{ command: string }>> {
  const python = process.env.PYTHON ?? 'python3';
  const told = 'import sys; print(sys.version_info >= (3, 10), sys.version.split()[0])';
  const { stdout } = await run(python, ['-c', told], { timeout: 20_000 }).catch(() => ({ stdout: '' }));
  const [isNewEnough, version] = stdout.trim().split(' ');
  if (version === undefined) return { missing: `there is no ${python} that runs` };
  if (isNewEnough !== 'True') return { missing: `${python} is Python ${version}, and 3.10 is needed` };
  const directory = environmentOf(wanted, python, version);
  try {
    if (!existsSync(pythonIn(directory))) await install(wanted, python, directory);
  } catch (error) {
    return { missing: `its packages cannot be had (${lastLine(error)})` };
  }
  return { command: pythonIn(directory) };
}

/** Named by a hash of what it is made of: other packages or another Python mean another environment. */
function environmentOf({ requirements, cache }: Wanted, python: string, version: string): string {
  const hash = createHash('sha256').update(readFileSync(requirements)).update(`${python} ${version}`);
  return join(cache, hash.digest('hex').slice(0, 12));
}

const pythonIn = (directory: string) => join(directory, 'bin', 'python');

async function install({ requirements, cache }: Wanted, python: string, directory: string): Promise<void> {
  // Only a whole environment gets the final name, so that an interrupted one is never taken for it.
  const part = `${directory}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(cache, { recursive: true });
  const signal = AbortSignal.timeout(fetchLimitMs);
  await run(python, ['-m', 'venv', part], { signal });
  // Wheels only: what must be compiled would take longer than anyone waits for a test.
  const options = ['--quiet', '--no-input', '--disable-pip-version-check', '--only-binary=:all:', '--retries=1'];
  await run(pythonIn(part), ['-m', 'pip', 'install', ...options, '-r', requirements], { signal });
  const others = (await readdir(cache)).map((name) => join(cache, name)).filter((path) => path !== part);
  await Promise.all(others.map((path) => rm(path, { recursive: true, force: true })));
  await rename(part, directory);
}

function lastLine(error: unknown): string {
  const { name, message, ...said } = error as Error & { stderr?: string; stdout?: string };
  if (name === 'AbortError') return `not within ${fetchLimitMs / 1_000} s`;
  const text = [said.stderr, said.stdout, message].find((each) => each?.trim()) ?? '';
  return text.trim().split('\n').at(-1) ?? '';
}
