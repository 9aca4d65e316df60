import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { lastingPort } from '../support/ports.ts';

/** A MariaDB of the test's own. */
export interface MariadbServer {
  /** Of a user that may do all. */
  url: string;
  /** Runs statements as that user. */
  run(...statements: string[]): Promise<void>;
  close(): Promise<void>;
}

const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
const programOf = (name: string) => folders.map((each) => join(each, name)).find((each) => existsSync(each));

/** Starts one with an empty database `shop`. @returns undefined where none is installed, which it says */
export async function startMariadb(): Promise<MariadbServer | undefined> {
  const [server, install] = [programOf('mariadbd'), programOf('mariadb-install-db')];
  if (server === undefined || install === undefined) {
    process.stderr.write('SKIPPED. Sources are not tried on a MariaDB: no mariadbd is on the path\n');
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'concord-mariadb-'));
  const user = process.getuid?.() === 0 ? ['--user=root'] : [];
  if (user.length > 0) chownSync(folder, 0, 0);
  const data = join(folder, 'data');
  const plain = ['--no-defaults', `--datadir=${data}`, ...user];
  execFileSync(install, [...plain, '--auth-root-authentication-method=normal', '--skip-test-db'], { stdio: 'ignore' });
  const port = await lastingPort();
  const process_ = spawn(
    server,
    [
      ...[...plain, `--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(folder, 'socket')}`],
      ...[`--pid-file=${join(folder, 'pid')}`, '--innodb-flush-log-at-trx-commit=0', '--innodb-buffer-pool-size=32M'],
      '--skip-name-resolve',
    ],
    { stdio: 'ignore' },
  );
  // Root comes over the socket only.
  const options = { socketPath: join(folder, 'socket'), user: 'root', multipleStatements: true };
  const connection = await connected(options, process_);
  await connection.query(
    `CREATE DATABASE shop CHARACTER SET utf8mb4; CREATE USER tester@'127.0.0.1' IDENTIFIED BY 'secret';
     GRANT ALL ON *.* TO tester@'127.0.0.1' WITH GRANT OPTION`,
  );
  return {
    url: `mysql://tester:secret@127.0.0.1:${port}/shop`,
    async run(...statements) {
      for (const each of statements) await connection.query(each);
    },
    async close() {
      await connection.end();
      const ended = once(process_, 'exit');
      process_.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function connected(options: mysql.ConnectionOptions, server: ChildProcess): Promise<mysql.Connection> {
  for (let tries = 0; server.exitCode === null; tries++) {
    try {
      return await mysql.createConnection(options);
    } catch (error) {
      if (tries > 200) throw error;
      await sleep(50);
    }
  }
  throw new Error(`MariaDB ended with ${server.exitCode}`);
}
