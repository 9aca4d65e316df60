import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ports } from './ports.ts';
import type { ProcessRecord } from './processes.ts';

/** The Neo4j process of a data directory, recorded for a Concord that comes after one that was killed. */
export interface Running {
  process: ProcessRecord;
  ports: Ports;
}

export function remember(home: string, running: Running): void {
  const draft = `${stateFile(home)}.draft`;
  writeFileSync(draft, `${JSON.stringify(running)}\n`);
  renameSync(draft, stateFile(home));
}

/** The process as it was recorded; whether it still runs is another question. */
export function recall(home: string): Running | undefined {
  try {
    return JSON.parse(readFileSync(stateFile(home), 'utf8')) as Running;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export function forget(home: string): void {
  rmSync(stateFile(home), { force: true });
}

function stateFile(home: string): string {
  return join(home, 'running.json');
}
