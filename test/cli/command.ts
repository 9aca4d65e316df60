import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Ended {
  code: number | null;
  printed: string;
  said: string;
}

/** The built `concord`, as a shell would start it. */
export class Command {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;

  constructor(words: string[], { url, input = '', env = {} }: CommandOptions = {}) {
    const child = spawn(process.execPath, ['dist/cli/main.js', ...words], {
      cwd: root,
      env: { ...process.env, CONCORD_URL: url, ...env },
    });
    // It may end before it has read everything.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    this.child = child;
    this.ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
      ([printed, said, [code]]) => ({ printed, said, code }),
    );
  }
}

interface CommandOptions {
  url?: string;
  input?: string;
  env?: Record<string, string>;
}

export function concord(words: string[], options?: CommandOptions): Promise<Ended> {
  return new Command(words, options).ended;
}
