import { readdir, readFile } from 'node:fs/promises';
import type { Database } from '../database/database.ts';

const folder = new URL('../../../cypher/schema/', import.meta.url);

export interface Migration {
  /** Its name in `cypher/schema/`. */
  file: string;
  commands: string[];
}

/** The migrations that a database has not been given yet, in their order. It only reads. */
export async function pendingMigrations(database: Database): Promise<Migration[]> {
  const applied = await database.run<{ file: string }>('READ', 'MATCH (m:Migration) RETURN m.file AS file');
  const done = new Set(applied.map(({ file }) => file));
  const files = (await readdir(folder)).filter((name) => name.endsWith('.cypher') && !done.has(name)).sort();
  const read = async (file: string) => ({ file, commands: commandsOf(await readFile(new URL(file, folder), 'utf8')) });
  return Promise.all(files.map(read));
}

/**
 * Applies what is new in `cypher/schema/`, in the order of the numbers, and records each file as a `Migration` node.
 * Every command in them is idempotent, so replicas may start together and a migration cut short is simply run again.
 * What was applied is known by its name: so two that begin with 0018, of which neither needs the other, keep theirs.
 */
export async function migrate(database: Database): Promise<void> {
  // Without it, two that record the same file at once would both make a node.
  await database.ensure('CREATE CONSTRAINT migration_file IF NOT EXISTS FOR (m:Migration) REQUIRE m.file IS UNIQUE');
  const pending = await pendingMigrations(database);
  for (const { file, commands } of pending) {
    for (const command of commands) await database.ensure(command);
    await database.ensure('MERGE (m:Migration {file: $file}) ON CREATE SET m.appliedAt = datetime()', {
      file,
    });
  }
  if (pending.length > 0) await database.run('READ', 'CALL db.awaitIndexes(300)');
}

/** The commands of a Cypher file: comment lines dropped, split at the semicolons that end a line. */
export function commandsOf(text: string): string[] {
  return text
    .replace(/^\s*\/\/.*$/gm, '')
    .split(/;\s*$/m)
    .map((command) => command.trim())
    .filter(Boolean);
}
