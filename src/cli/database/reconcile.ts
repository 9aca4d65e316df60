import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import { Alignment } from '../../alignment/alignment.ts';
import { loadRules } from '../../alignment/rule.ts';
import { StartupError } from '../../base/errors.ts';
import type { Config } from '../../config/config.ts';
import { forgetMissed } from '../../graph/capture/captureCursor.ts';
import { CdcSource } from '../../graph/capture/cdcSource.ts';
import type { Database } from '../../graph/database/database.ts';
import { Dictionary } from '../../graph/names/dictionary.ts';
import { installedVocabulary } from '../../graph/setup/installedVocabulary.ts';
import { pendingMigrations } from '../../graph/setup/migrations.ts';
import type { Difference } from '../../knowledge/reconcile/difference.ts';
import { Reconciliation, type Walked } from '../../knowledge/reconcile/reconcile.ts';
import { defaultTenant } from '../../security/tenant.ts';
import { differencesBetween } from '../../vocabulary/differences.ts';
import { readVocabulary } from '../../vocabulary/read.ts';
import { literalFieldsOf, predicatesOf, type Vocabulary } from '../../vocabulary/vocabulary.ts';
import { exitCodes } from '../terminal/exit.ts';
import type { Io } from '../terminal/io.ts';

export interface ReconcileCommandParts extends Io {
  /** Opens the database for a piece of work, and closes it again. */
  withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T>;
  config(): Config;
}

interface ReconcileOptions {
  tenant?: string;
  all?: boolean;
  mend?: boolean;
  json?: boolean;
}

const help = `
It compares each edge with the statement that it is kept as, what entities show with their statements, and the log with its ledger
and with the edges, page by page: for edits that somebody made in Neo4j while Concord didn't see them (CAPTURE), and after a restore.
It finds Neo4j by the same settings as the service (NEO4J_URI and the like, or DATA_DIR), takes the same VOCABULARY and RULES, and
works while the service runs. Each line is a difference, by names and ids.

With --mend, what somebody has edited is stated by the agent direct:reconcile as an edit by hand is: with history, rules and events;
what is no statement is taken out of the graph and waits for a review. A value that an entity doesn't show any more is shown again.
A place of the log that is empty is filled by one that says nothing.

It ends with 0 where nothing differs or all is mended, with 1 where something differs, and with 3 where some of what was mended waits
for a review.

Examples:
  concord reconcile
  concord reconcile --tenant north --mend
  concord reconcile --json | jq -r '.difference.kind // empty' | sort | uniq -c
`;

/** What a page holds: edges, entities, or changes of the log. */
const page = 500;
/** Least time between two lines that tell how far it is. */
const everyMs = 5_000;

/** Adds `concord reconcile`. */
export function addReconcileCommand(program: Command, parts: ReconcileCommandParts): void {
  program
    .command('reconcile')
    .description('tell or mend where edges, what entities show, and the log differ')
    .addOption(new Option('--tenant <tenant>', 'of one tenant').conflicts('all'))
    .option('--all', 'of all tenants, as without --tenant')
    .option('--mend', 'mend what differs, as edits by hand are taken')
    .option('--json', 'print a line of JSON for each difference, and one for all of it')
    .addHelpText('after', help)
    .action(async (options: ReconcileOptions) => {
      process.exitCode = await parts.withDatabase((database) => reconcile(database, options, parts));
    });
}

async function reconcile(database: Database, options: ReconcileOptions, parts: ReconcileCommandParts): Promise<number> {
  const { tenant, mend = false, json = false } = options;
  const { print, say } = parts;
  const { waiting, ...rest } = await reconciliationOf(database, options, parts);
  const { differences, walked } = await rest.reconciliation.run();
  // What was missed by change data capture is found by now.
  if (mend && tenant === undefined) await forgetMissed(database);
  const held = waiting();
  if (json) print(JSON.stringify({ differences, mended: mend, held, walked }));
  else {
    const found = differences === 1 ? '1 difference' : `${differences} differences`;
    print(differences === 0 ? 'Nothing differs.' : `${found}${mend ? ', mended' : '; --mend mends what differs'}`);
    if (held > 0)
      say(`${held === 1 ? '1 proposal waits' : `${held} proposals wait`} for a review (concord review list)`);
  }
  if (!mend) return differences === 0 ? exitCodes.done : exitCodes.failed;
  return held === 0 ? exitCodes.done : exitCodes.partly;
}

async function reconciliationOf(
  database: Database,
  { tenant, mend = false, json = false }: ReconcileOptions,
  { config, print, say }: ReconcileCommandParts,
) {
  const {
    VOCABULARY,
    RULES,
    TENANTS = [defaultTenant],
    UPDATE_TIMEOUT_MS,
    IDEMPOTENCY_KEY_HOURS,
    ...settings
  } = config();
  const { SUPPRESSION: suppressionMode, SUPPRESSION_KEY: keys, CAPTURE } = settings;
  const owner = [...TENANTS][0] ?? defaultTenant;
  const vocabulary = await readVocabulary(VOCABULARY);
  await requireServed(database, vocabulary);
  const dictionary = await Dictionary.load(database);
  const predicates = [...predicatesOf(vocabulary)];
  const functional = predicates.filter(([, { field }]) => field.functional).map(([iri]) => iri);
  const types = functional.map((iri) => dictionary.relationshipType(iri));
  let held = 0;
  const reconciliation = new Reconciliation({
    ...{ database, dictionary, page, mends: mend, timeoutMs: UPDATE_TIMEOUT_MS, base: vocabulary.base },
    ...(tenant !== undefined && { tenant }),
    ...(suppressionMode !== 'off' && keys !== undefined && { suppression: { keys, mode: suppressionMode } }),
    // What is told is taken first, for its editor is known.
    ...(CAPTURE === 'cdc' && { source: new CdcSource(database, { tenant: owner }) }),
    defaultTenant: owner,
    isAudited: settings.AUDIT !== 'off',
    alignment: await Alignment.prepare(database, await loadRules(RULES), types),
    literalFields: literalFieldsOf(vocabulary),
    certaintyPolicies: new Map(predicates.map(([iri, { field }]) => [iri, field.certainty])),
    uuid: randomUUID,
    now: Date.now,
    keysSince: () => Date.now() - IDEMPOTENCY_KEY_HOURS * 3_600_000,
    onDifference: (difference) => print(json ? JSON.stringify({ difference }) : lineOf(difference)),
    onProgress: json ? () => {} : progress(say),
    onTaken: (_, { told }) => {
      held += told.filter(({ updateId }) => updateId !== undefined).length;
    },
  });
  return { reconciliation, waiting: () => held };
}

/** By another vocabulary, what entities show would differ from what they are to show. @throws StartupError */
async function requireServed(database: Database, vocabulary: Vocabulary): Promise<void> {
  const served = await installedVocabulary(database);
  const isServed = served !== undefined && differencesBetween(served, vocabulary, false).length === 0;
  if (isServed && (await pendingMigrations(database)).length === 0) return;
  throw new StartupError(
    'The graph was served last with another VOCABULARY or another version of Concord. Set VOCABULARY to that one, or run concord migrate first.',
  );
}

function progress(say: (line: string) => void) {
  let told = Date.now();
  return ({ edges, entities, changes }: Walked) => {
    if (Date.now() - told < everyMs) return;
    told = Date.now();
    say(`${edges} edges, ${entities} entities and ${changes} changes compared`);
  };
}

const words: Record<Difference['kind'], string> = {
  node: 'a node with the label of a class is no entity',
  edge: 'an edge is not the statement that it is kept as, or none',
  'edge-value': 'an edge has values that cannot be',
  'edge-log': 'an edge says another certainty or provenance than the log',
  'edge-missing': 'a statement holds by the log, and has no edge',
  projection: 'an entity shows other values than its statements say',
  class: 'an entity has other labels than its class',
  'log-gap': 'the log has no change there',
  'log-orphan': 'a change of the log belongs to no update',
  ledger: 'the ledger says less than the log',
};

function lineOf({ kind, tenant, id, of, sequence, count }: Difference): string {
  const place = [
    id,
    of,
    sequence === undefined ? undefined : `sequence ${sequence}`,
    count && count > 1 ? `${count} in a row` : undefined,
  ];
  return `${tenant}: ${words[kind]}: ${place.filter((each) => each !== undefined).join(' ')}`;
}
