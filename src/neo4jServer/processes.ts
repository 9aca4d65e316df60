import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process as it is remembered in a file: the id alone may by then belong to another one. */
export interface ProcessRecord {
  pid: number;
  /** When the process started, in the words of the system that it runs on. */
  started: string;
}

/** What is said of a process that runs, on a system that does not tell when it started. */
const untold = 'untold';

/** The record of a process that runs now, or undefined. */
export function recordOf(pid: number): ProcessRecord | undefined {
  const started = startOf(pid);
  return started === undefined ? undefined : { pid, started };
}

/** Whether the recorded process still runs. Where the system cannot tell it from a later one, it counts as running. */
export function isRunning(record: ProcessRecord): boolean {
  const started = startOf(record.pid);
  return started !== undefined && (started === record.started || started === untold);
}

/**
 * Asks the process to end, waits, and ends it by force after the limit.
 * @returns whether it has ended because it was asked to
 */
export async function stopProcess(record: ProcessRecord, limitMs: number): Promise<boolean> {
  if (!signal(record, 'SIGTERM')) return false;
  const limit = Date.now() + limitMs;
  let isForced = false;
  while (isRunning(record)) {
    if (Date.now() > limit) isForced = signal(record, 'SIGKILL') || isForced;
    await sleep(50);
  }
  return !isForced;
}

function signal(record: ProcessRecord, name: NodeJS.Signals): boolean {
  try {
    return isRunning(record) && process.kill(record.pid, name);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
    throw error;
  }
}

function startOf(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, as another user.
    if (errorCode(error) !== 'EPERM') return undefined;
  }
  if (process.platform === 'linux') return startByProc(pid);
  if (process.platform === 'win32') return untold;
  return startByPs(pid);
}

/** The boot and the clock ticks from it to the start of the process: proc(5), `stat`, fields 3 and 22. */
function startByProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses, which may hold spaces and parentheses itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ended = fields[0] === 'Z' || fields[0] === 'X';
    if (ended) return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19]}`;
  } catch (error) {
    return ['ENOENT', 'ESRCH'].includes(errorCode(error) ?? '') ? undefined : untold;
  }
}

function startByPs(pid: number): string | undefined {
  const ps = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  });
  if (ps.error) return untold;
  const [state, ...started] = ps.stdout.trim().split(/\s+/);
  return !state || state.startsWith('Z') ? undefined : started.join(' ');
}

function errorCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
