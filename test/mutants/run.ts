import { spawn } from 'node:child_process';

/** How a process ended, and the last of what it said. */
export interface Ended {
  kind: 'passed' | 'failed' | 'timed out';
  said: string;
}

const kept = 4_000;

/** Runs Node.js with everything that it starts, which ends with it or with its time. */
export function runNode(
  args: string[],
  { cwd, env, timeoutMs, echo }: { cwd: string; env: NodeJS.ProcessEnv; timeoutMs: number; echo: boolean },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    // A group of its own, so that the workers end too.
    const child = spawn(process.execPath, args, {
      cwd,
      env: { ...process.env, ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    let isOver = false;
    const end = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    };
    const hear = (chunk: Buffer) => {
      said = (said + chunk).slice(-kept);
      if (echo) process.stderr.write(chunk);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    const timer = setTimeout(() => {
      isOver = true;
      end();
    }, timeoutMs);
    process.once('exit', end);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      process.off('exit', end);
      end();
      resolve({ kind: isOver ? 'timed out' : code === 0 ? 'passed' : 'failed', said });
    });
  });
}
