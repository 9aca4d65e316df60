import type { Command } from 'commander';
import { StartupError } from '../base/errors.ts';
import { newReceipt } from '../graph/erasing/tombstone.ts';
import type { PurgeResult } from '../knowledge/purge/purge.ts';
import { type Credentials, withCredentials } from './target/connection.ts';
import { rpcOf, type WritingParts } from './target/target.ts';
import { isYes } from './terminal/ask.ts';

interface PurgeOptions extends Credentials {
  predicate?: string;
  dryRun?: boolean;
  lift?: boolean;
  yes?: boolean;
  receipt?: string;
  json?: boolean;
  url: string;
}

const help = `
Erases the entity, what was ever said of it and with it, current or past, and what the change log, updates and proposals hold of
that. Subscribers are not told; a tombstone without any of the data stays. The credentials need the scope admin, all graphs, and a
policy that closes nothing to them.

The receipt proves later what was erased. It is kept nowhere: without it nobody can tell what the tombstone stands for. A purge
that was cut short is gone on with by the same command, with --receipt if it is to count as one.

Examples:
  concord purge urn:person:alice --dry-run
  concord purge urn:person:alice --predicate https://schema.org/email
  concord purge urn:person:alice --yes --json > receipts/alice.json
  concord purge urn:person:alice --lift

Where the service has a SUPPRESSION_KEY, statements that would bring back what was erased are held for review or refused, by its
setting SUPPRESSION; --lift lets them come back.

Backups, the transaction logs of Neo4j, what subscribers have received, and the messages and artifacts of A2A tasks are yours to
erase.`;

/** One attempt; a longer purge goes on with the next. */
const attemptMs = 240_000;

/** Adds `purge` to a program. */
export function addPurgeCommand(program: Command, parts: WritingParts): void {
  const command = program
    .command('purge')
    .description('erase an entity, or what is said of it with a predicate, for good, history included')
    .argument('<id>', 'the id of the entity')
    .option('--predicate <iri>', 'erase only the statements about it with this predicate')
    .option('--dry-run', 'erase nothing, and tell how much there is to erase')
    .option('--lift', 'erase nothing: what was erased may come back from now on')
    .option('--yes', "don't ask first")
    .option('--receipt <receipt>', 'the receipt of a purge that was cut short')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', help);
  withCredentials(command).action((id: string, options: PurgeOptions) => purge(id, options, parts));
}

async function purge(subject: string, options: PurgeOptions, { print, say, ask }: WritingParts): Promise<void> {
  const { predicate, dryRun, lift, yes, json, receipt = newReceipt() } = options;
  const { rpc } = await rpcOf(options);
  const call = (more: object) =>
    rpc.call<PurgeResult>('knowledge/purge', { subject, predicate, ...more }, { timeoutMs: attemptMs });
  const show = (result: PurgeResult) => {
    if (json) print(JSON.stringify(result, null, 2));
    else for (const line of linesOf(result)) print(line);
  };
  if (dryRun) return show(await call({ dryRun }));
  if (lift) {
    const result = await call({ lift });
    if (json) return show(result);
    return print(result.lifted ? 'It may come back from now on.' : 'It was not kept away.');
  }
  if (!yes) {
    if (!ask) throw new StartupError('Nobody is there to confirm: say --yes to erase, or --dry-run to look.');
    for (const line of linesOf(await call({ dryRun: true }))) say(line);
    if (!isYes(await ask('Erase this for good? [y/N] '))) throw new StartupError('Nothing was erased.');
  }
  const result = await call({ receipt }).catch((error: unknown) => {
    say(`To go on with this purge: --receipt ${receipt}`);
    throw error;
  });
  show(result);
  if (result.receipt !== undefined) say('Keep the receipt: it is shown this once.');
}

/** The result in words. */
function linesOf({ dryRun, erased, suppressed, stillNaming, receipt }: PurgeResult): string[] {
  const counts: [count: number, one: string, many: string][] = [
    [erased.entities, 'entity', 'entities'],
    [erased.statements, 'statement', 'statements'],
    [erased.pastStatements, 'past version of a statement', 'past versions of statements'],
    [erased.literals, 'literal', 'literals'],
    [erased.changes, 'change in the log', 'changes in the log'],
    [erased.updates, 'update, what was said of it', 'updates, what was said of them'],
    [erased.proposals, 'proposal that waited', 'proposals that waited'],
    [erased.provenances, 'provenance of another statement', 'provenances of other statements'],
  ];
  const found = counts.filter(([count]) => count > 0);
  if (found.length === 0) return ['There is nothing to erase.'];
  return [
    dryRun ? 'There is to erase:' : 'Erased for good:',
    ...found.map(([count, one, many]) => `  ${count} ${count === 1 ? one : many}`),
    ...(stillNaming.count > 0
      ? [
          stillNaming.count === 1
            ? '1 statement about another names it in its value and is left:'
            : `${stillNaming.count} statements about others name it in their value and are left:`,
        ]
      : []),
    ...stillNaming.statements.map(({ subject, predicate }) => `  ${subject} ${predicate}`),
    ...(dryRun || suppressed ? [] : ['Nothing keeps it from coming back: the service has no SUPPRESSION_KEY.']),
    ...(receipt === undefined ? [] : [`Receipt: ${receipt}`]),
  ];
}
