import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastingPort } from '../support/ports.ts';

/** A PostgreSQL of the test's own. */
export interface PostgresServer {
  /** Of its superuser. */
  url: string;
  /** Of what else it is called with. */
  port: number;
  close(): Promise<void>;
}

/** Where Debian's packages put it; the newest. @returns undefined where there is none */
function programs(): string | undefined {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((one, other) => Number(other) - Number(one)) : [];
  return versions.map((each) => join(root, each, 'bin')).find((each) => existsSync(join(each, 'initdb')));
}

/** PostgreSQL doesn't run as root: then it runs as its own user. */
function runsAs(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (kind: string) => Number(execFileSync('id', [kind, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** Starts one with an empty database. @returns undefined where none is installed, which it says */
export async function startPostgres(): Promise<PostgresServer | undefined> {
  const bin = programs();
  if (bin === undefined) {
    process.stderr.write('SKIPPED. Sources are not tried on a PostgreSQL: none is installed; PGlite stands for it\n');
    return undefined;
  }
  const user = runsAs();
  const folder = mkdtempSync(join(tmpdir(), 'concord-postgres-'));
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'tester', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...user, stdio: 'ignore' },
  );
  const port = await lastingPort();
  const settings = ['fsync=off', 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`];
  const words = ['-D', data, '-p', String(port), ...settings.flatMap((each) => ['-c', each])];
  const server = spawn(join(bin, 'postgres'), words, { ...user, stdio: 'ignore' });
  await ready(join(bin, 'pg_isready'), port, server);
  return {
    url: `postgres://tester@127.0.0.1:${port}/postgres`,
    port,
    async close() {
      const ended = once(server, 'exit');
      // At once, whoever is connected.
      server.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function ready(program: string, port: number, server: ChildProcess): Promise<void> {
  for (let tries = 0; server.exitCode === null; tries++) {
    try {
      execFileSync(program, ['-h', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
      return;
    } catch (error) {
      if (tries > 200) throw error;
      await sleep(50);
    }
  }
  throw new Error(`PostgreSQL ended with ${server.exitCode}`);
}
