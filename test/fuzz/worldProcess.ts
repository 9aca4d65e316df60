import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('./worldMain.ts', import.meta.url));

/** How long the event loop of the service stood still at most since it was last asked, in milliseconds. */
export interface Delay {
  /** By the histogram of its delay. */
  longest: number;
  /** The processor's time that went by in the longest of these: what another process took counts for nothing. */
  busy: number;
}

/** A service in a process of its own whose graph holds things that each caller may not see. */
export interface WorldProcess {
  url: string;
  asOf: string;
  delay(): Promise<Delay>;
  close(): Promise<void>;
}

export async function startWorld(settings: Record<string, string>): Promise<WorldProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', main, JSON.stringify(settings)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const message = async <Told>() => {
    const [told] = await Promise.race([
      once(child, 'message'),
      exited.then(() => {
        throw new Error('The service has ended');
      }),
    ]);
    return told as Told;
  };
  const place = await message<{ url: string; asOf: string }>();
  return {
    ...place,
    async delay() {
      const told = message<Delay>();
      child.send('delay');
      return told;
    },
    async close() {
      if (child.exitCode === null && child.signalCode === null) child.send('close');
      await exited;
    },
  };
}
