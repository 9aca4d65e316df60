import type { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../graph/database/database.ts';
import { type Migration, pendingMigrations } from '../../graph/setup/migrations.ts';
import { setUpGraph } from '../../graph/setup/setUpGraph.ts';
import { atTheStart, checkVocabulary, type Finding, linesOf, refuseHidden } from '../../graph/setup/vocabularyCheck.ts';
import { readVocabulary } from '../../vocabulary/read.ts';
import { exitCodes } from '../terminal/exit.ts';
import { type DatabaseParts, withDatabase } from './database.ts';

export interface MigrateParts extends DatabaseParts {
  config(): Pick<Config, 'VOCABULARY' | 'VOCABULARY_CHECK'>;
}

const help = `
It does what a start of this version does before it serves: commands of cypher/schema that have not run yet, names and indexes of the
vocabulary (VOCABULARY), and projections of fields that are new. It finds Neo4j by the same settings as the service (NEO4J_URI and the
like, or DATA_DIR), and works while replicas run: it takes turns with those that start. The version before goes on working.
With --plan nothing is changed, and it ends with 1 where something is to be done.

Examples:
  concord migrate --plan
  VOCABULARY=world.graphql concord migrate
`;

/** Adds `concord migrate`. */
export function addMigrateCommand(program: Command, parts: MigrateParts): void {
  program
    .command('migrate')
    .description('bring the graph up to this version and the vocabulary, as the next start would')
    .option('--plan', 'tell what it would do, and change nothing')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(async ({ plan = false, json = false }: { plan?: boolean; json?: boolean }) => {
      const work = plan ? tellPlan : migrateGraph;
      process.exitCode = await withDatabase(parts, (database) => work(database, json, parts));
    });
}

async function tellPlan(database: Database, json: boolean, { config, print, say }: MigrateParts): Promise<number> {
  const vocabulary = await readVocabulary(config().VOCABULARY);
  const migrations = await pendingMigrations(database);
  const findings = await checkVocabulary(database, vocabulary, atTheStart);
  if (json) print(JSON.stringify({ migrations, vocabulary: findings ?? 'new' }));
  else {
    for (const { file, commands } of migrations) {
      print(`${file}:`);
      for (const command of commands) print(`  ${command.replace(/\s+/g, ' ')}`);
    }
    if (findings === undefined) print('vocabulary: none has been served yet; its names and indexes will be made');
    for (const line of linesFor(findings)) print(`vocabulary: ${line}`);
    if (isNothing(migrations, findings)) say('There is nothing to do.');
  }
  return isNothing(migrations, findings) ? exitCodes.done : exitCodes.failed;
}

async function migrateGraph(database: Database, json: boolean, parts: MigrateParts): Promise<number> {
  const { VOCABULARY, VOCABULARY_CHECK } = parts.config();
  const vocabulary = await readVocabulary(VOCABULARY);
  const migrations = await pendingMigrations(database);
  const judge = (findings: Finding[]) => {
    if (VOCABULARY_CHECK === 'refuse') refuseHidden(findings);
    for (const line of linesFor(findings)) parts.say(`vocabulary: ${line}`);
  };
  await setUpGraph(database, { vocabulary, judge, report: parts.say });
  const files = migrations.map(({ file }) => file);
  if (json) parts.print(JSON.stringify({ migrated: files }));
  else parts.print(files.length === 0 ? 'The graph is as this version needs it.' : `Migrated: ${files.join(', ')}`);
  return exitCodes.done;
}

const linesFor = (findings: Finding[] | undefined) => (findings ?? []).flatMap((finding) => linesOf(finding));

const isNothing = (migrations: Migration[], findings: Finding[] | undefined) =>
  migrations.length === 0 && findings?.length === 0;
