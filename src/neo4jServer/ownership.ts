import { randomUUID } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '../base/errors.ts';
import { isRunning, type ProcessRecord, recordOf } from './processes.ts';

/*
 * The owner of a data directory is recorded in `owner-<n>`, and the highest n counts. Taking over from a dead owner n
 * means creating n + 1, which of several starts at once only one can; removing n instead could remove the file of
 * whoever was quicker. For the same reason the highest file stays, emptied, when its owner is done.
 */
const ownerFile = /^owner-(\d+)$/;

/**
 * Makes this process the owner of a directory, which must exist, until the given function is called.
 * @throws StartupError when its owner is alive.
 */
export function claimDirectory(directory: string): () => void {
  const self = recordOf(process.pid);
  for (;;) {
    const newest = newestOwner(directory);
    const owner = newest && readOwner(directory, newest);
    if (owner === 'gone') continue;
    if (owner && isRunning(owner)) {
      throw new StartupError(
        `${directory} is in use by the Concord process ${owner.pid}. ` +
          'Set DATA_DIR to another directory, or set NEO4J_URI to share a Neo4j.',
      );
    }
    const mine = newest + 1;
    if (!create(directory, mine, self)) continue;
    if (newestOwner(directory) !== mine) {
      rmSync(pathOf(directory, mine));
      continue;
    }
    removeBelow(directory, mine);
    return () => renameSync(writeDraft(directory, ''), pathOf(directory, mine));
  }
}

function pathOf(directory: string, n: number): string {
  return join(directory, `owner-${n}`);
}

function ownerNumbers(directory: string): number[] {
  return readdirSync(directory).flatMap((name) => {
    const found = ownerFile.exec(name);
    return found ? [Number(found[1])] : [];
  });
}

function newestOwner(directory: string): number {
  return Math.max(0, ...ownerNumbers(directory));
}

/** The owner in a file; undefined when it gave the directory up; 'gone' when a newer owner has removed the file. */
function readOwner(directory: string, n: number): ProcessRecord | undefined | 'gone' {
  try {
    const text = readFileSync(pathOf(directory, n), 'utf8');
    return text ? (JSON.parse(text) as ProcessRecord) : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'gone';
    throw error;
  }
}

/** Creates the file with its content in one step, which a link is; false when it exists. */
function create(directory: string, n: number, owner: ProcessRecord | undefined): boolean {
  const draft = writeDraft(directory, JSON.stringify(owner));
  try {
    linkSync(draft, pathOf(directory, n));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft);
  }
}

function writeDraft(directory: string, text: string): string {
  const draft = join(directory, `owner-draft-${randomUUID()}`);
  writeFileSync(draft, text);
  return draft;
}

function removeBelow(directory: string, n: number): void {
  for (const older of ownerNumbers(directory).filter((number) => number < n)) {
    rmSync(pathOf(directory, older), { force: true });
  }
}
