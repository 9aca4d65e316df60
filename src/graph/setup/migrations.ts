import { readdir, readFile } from 'node:fs/promises';
import type { Database } from '../database/database.ts';

const folder = new URL('../../../cypher/schema/', import.meta.url);

/**
 * Applies what is new in `cypher/schema/`, in the order of the numbers, and records each file as a `Migration` node.
 * Every command in them is idempotent, so replicas may start together and a migration cut short is simply run again.
 */
export async function migrate(database: Database): Promise<void> {
  // Without it, two that record the same file at once would both make a node.
  await database.ensure('CREATE CONSTRAINT migration_file IF NOT EXISTS FOR (m:Migration) REQUIRE m.file IS UNIQUE');
  const applied = await database.run<{ file: string }>('READ', 'MATCH (m:Migration) RETURN m.file AS file');
  const done = new Set(applied.map(({ file }) => file));
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.cypher')).sort()) {
    if (done.has(file)) continue;
    for (const command of commandsOf(await readFile(new URL(file, folder), 'utf8'))) {
      await database.ensure(command);
    }
    await database.ensure('MERGE (m:Migration {file: $file}) ON CREATE SET m.appliedAt = datetime()', {
      file,
    });
  }
  await database.run('READ', 'CALL db.awaitIndexes(300)');
}

/** The commands of a Cypher file: comment lines dropped, split at the semicolons that end a line. */
export function commandsOf(text: string): string[] {
  return text
    .replace(/^\s*\/\/.*$/gm, '')
    .split(/;\s*$/m)
    .map((command) => command.trim())
    .filter(Boolean);
}
