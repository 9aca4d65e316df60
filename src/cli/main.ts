#!/usr/bin/env node
import { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { addAgentsCommand } from './agents.ts';
import { addAskCommand } from './ask.ts';
import { addBrowserCommand } from './browser.ts';
import { addAuditCommand } from './database/audit.ts';
import { addBackupCommands } from './database/backup.ts';
import { connectDatabase, databaseAddress, withDatabase, withDatabaseAtRest } from './database/database.ts';
import { addDoctorCommand } from './database/doctor.ts';
import { addKeysCommand } from './database/keys.ts';
import { addMigrateCommand } from './database/migrate.ts';
import { addReconcileCommand } from './database/reconcile.ts';
import { addExportCommand } from './export.ts';
import { addImportCommand } from './import.ts';
import { addPurgeCommand } from './purge.ts';
import { addQueryCommand } from './query.ts';
import { addReviewCommand } from './review.ts';
import { addRulesCommand } from './rules.ts';
import { addSourcesCommand } from './sources.ts';
import { addStartCommand } from './start.ts';
import { addStatusCommand } from './status.ts';
import { addSubjectCommand } from './subject.ts';
import { addSubscriptionsCommand } from './subscriptions.ts';
import { terminal } from './terminal/ask.ts';
import { exitCodes, exitCodesHelp, explained } from './terminal/exit.ts';
import type { Io } from './terminal/io.ts';
import { addTypesCommand } from './types.ts';
import { addUpdateCommand } from './update.ts';
import { addVocabularyCommand } from './vocabulary.ts';
import { addWatchCommand } from './watch.ts';

const io: Io = {
  print: (line) => process.stdout.write(`${line}\n`),
  say: (line) => process.stderr.write(`${line}\n`),
};

// Who reads the output has seen enough: `concord export | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(exitCodes.done);
});

const config = () => readConfig(process.env);
const database = { ...io, connect: async () => connectDatabase(config()) };
const writing = { ...io, ask: terminal() };

const program = new Command('concord')
  .description('Concord, the shared knowledge graph of agents: starts one, and works with one that runs.')
  .configureHelp({ showGlobalOptions: true })
  .addHelpText('after', exitCodesHelp)
  .showHelpAfterError('(--help says more)')
  // Help that was asked for is no fault; commander ends with 1 where it doesn't understand.
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? exitCodes.done : exitCodes.usage));

// In the order in which help lists them.
addStartCommand(program);
addStatusCommand(program, io);
addQueryCommand(program, io);
addAskCommand(program, io);
addUpdateCommand(program, writing);
addWatchCommand(program, io);
addImportCommand(program, writing);
addExportCommand(program, io);
addSubscriptionsCommand(program, io);
addAgentsCommand(program, io);
addSourcesCommand(program, io);
addReviewCommand(program, io);
addRulesCommand(program, io);
addTypesCommand(program, io);
addBrowserCommand(program, io);
addVocabularyCommand(program, database);
addKeysCommand(program, database);
addAuditCommand(program, database);
addMigrateCommand(program, { ...database, config });
addBackupCommands(program, {
  address: async () => databaseAddress(config()),
  atRest: (work) => withDatabaseAtRest(config(), io.say, work),
  ...io,
});
addReconcileCommand(program, { ...io, config, withDatabase: (work) => withDatabase(database, work) });
addDoctorCommand(program, { ...database, heap: () => config().NEO4J_HEAP, capture: () => config().CAPTURE });
addSubjectCommand(program, io);
addPurgeCommand(program, writing);

try {
  await program.parseAsync();
} catch (error) {
  const explanation = explained(error);
  if (explanation === undefined) throw error;
  io.say(`concord: ${explanation.line}`);
  process.exitCode = explanation.code;
}
