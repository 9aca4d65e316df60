import type { Command } from 'commander';
import { backUp } from '../../graph/backup/backup.ts';
import { restore } from '../../graph/backup/restore.ts';
import type { DatabaseAddress } from '../../graph/database/database.ts';
import type { Io } from '../terminal/io.ts';

export interface BackupParts extends Io {
  /** Where the service's database is. */
  address(): Promise<DatabaseAddress>;
  /** Does work on the database of a service that doesn't run; an embedded Neo4j is started for it. */
  atRest<T>(work: (address: DatabaseAddress) => Promise<T>): Promise<T>;
}

const backupHelp = `
It writes all that Concord keeps: statements with history, ledgers, change log, updates, proposals, tasks, the hashes of API keys,
tombstones, names, constraints and indexes. It finds Neo4j by the same settings as the service (NEO4J_URI and the like, or
DATA_DIR). Replicas run meanwhile: queries and subscriptions are served, and updates, reviews and purges are refused with the reason
writes-held, which is retryable. It says for how long. Where it is killed, they are taken again within 15 seconds.

The file is as secret as the database: only its owner may read it.

Examples:
  concord backup concord.backup.gz
  NEO4J_URI=bolt://db:7687 NEO4J_PASSWORD=… concord backup - > concord.backup.gz
`;

const restoreHelp = `
The database must be empty, and no Concord may have started on it. The file is read and compared with its checksum before anything is
written. Where it is cut short, empty the database before the next attempt, and start no Concord on it. Without NEO4J_URI, the embedded
Neo4j of DATA_DIR is started for it and stopped again.

Example:
  concord restore concord.backup.gz
`;

const count = (n: number) => n.toLocaleString('en-US');

/** Adds `concord backup` and `concord restore`. */
export function addBackupCommands(program: Command, { address, atRest, print, say }: BackupParts): void {
  program
    .command('backup')
    .description('write all that Concord keeps into a file, while it runs')
    .argument('<file>', 'the file, packed by gzip; standard output, if `-`')
    .option('--json', 'print what was written as JSON')
    .addHelpText('after', backupHelp)
    .action(async (file: string, { json }: { json?: boolean }) => {
      const taken = await backUp(await address(), file, say);
      const { nodes, relationships, heldSeconds } = taken;
      const tell = file === '-' ? say : print;
      if (json) tell(JSON.stringify(taken));
      else
        tell(`${count(nodes)} nodes and ${count(relationships)} relationships; writes were held for ${heldSeconds} s`);
    });

  program
    .command('restore')
    .description('fill an empty database from a backup')
    .argument('<file>', 'the file that `concord backup` has written')
    .option('--json', 'print what was restored as JSON')
    .addHelpText('after', restoreHelp)
    .action(async (file: string, { json }: { json?: boolean }) => {
      const restored = await atRest((place) => restore(place, file, say));
      const { nodes, relationships, takenAt } = restored;
      if (json) print(JSON.stringify(restored));
      else print(`${count(nodes)} nodes and ${count(relationships)} relationships, as of ${takenAt}`);
    });
}
