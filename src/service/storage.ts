import { Alignment } from '../alignment/alignment.ts';
import { loadRules } from '../alignment/rule.ts';
import { dropCursor } from '../graph/capture/captureCursor.ts';
import { removeTrigger, TriggerSource } from '../graph/capture/captureTrigger.ts';
import { CaptureWatch } from '../graph/capture/captureWatch.ts';
import { CdcSource } from '../graph/capture/cdcSource.ts';
import type { CaptureState } from '../graph/capture/editSource.ts';
import { Database } from '../graph/database/database.ts';
import { connectReader } from '../graph/database/reader.ts';
import { countByKey } from '../graph/erasing/suppression.ts';
import { type Dictionary, knownNames } from '../graph/names/dictionary.ts';
import { requireApoc } from '../graph/setup/apoc.ts';
import { inspect, lineOf } from '../graph/setup/looseSettings.ts';
import { setUpGraph } from '../graph/setup/setUpGraph.ts';
import { withSetupLock } from '../graph/setup/setupLock.ts';
import { recordTrust } from '../graph/setup/trust.ts';
import { type Finding, hides, linesOf, refuseHidden } from '../graph/setup/vocabularyCheck.ts';
import { type Neo4jServer, startNeo4j } from '../neo4jServer/server.ts';
import { defaultTenant } from '../security/tenant.ts';
import { readVocabulary } from '../vocabulary/read.ts';
import { predicatesOf, type Vocabulary } from '../vocabulary/vocabulary.ts';
import type { Foundation } from './foundation.ts';

/** The graph with its schema, and what is known of it. */
export interface Storage {
  neo4j: Neo4jServer;
  database: Database;
  /** The database as a user who may only read, where one is set; else the same. */
  reader: Database;
  vocabulary: Vocabulary;
  dictionary: Dictionary;
  alignment: Alignment;
  /** Whether edits by hand are seen. */
  capture: CaptureWatch;
}

/**
 * Starts or reaches Neo4j and brings its schema up to what the vocabulary and the rules need.
 * @throws StartupError
 */
export async function openStorage(foundation: Foundation): Promise<Storage> {
  const { config, instruments, closing, report, signal } = foundation;
  const vocabulary = await readVocabulary(config.VOCABULARY);
  const rules = await loadRules(config.RULES);
  const neo4j = closing.add(await startNeo4j(config, report, process.env, signal));
  const database = closing.add(new Database({ ...neo4j, database: config.NEO4J_DATABASE }, instruments));
  const reader = await connectReader(config, neo4j, database, instruments);
  if (reader) closing.add(reader);
  for (const each of reader ? [database, reader] : [database]) logOutages(each, foundation);
  if (neo4j.kind !== 'embedded') await warnOfLooseSettings(database, foundation);
  const functional = [...predicatesOf(vocabulary).values()].filter(({ field }) => field.functional);
  const prepare = (typeOf: (iri: string) => string) =>
    Alignment.prepare(
      database,
      rules,
      functional.map(({ iri }) => typeOf(iri)),
    );
  const planned = planAhead(database, prepare);
  const required = requireApoc(database);
  const judge = (findings: Finding[]) => judgeChange(findings, foundation);
  const dictionary = await setUpGraph(database, { vocabulary, judge, required, report, signal });
  await Promise.all([
    recordTrust(database, config.TENANTS ?? [defaultTenant], config.AGENT_TRUST),
    tellSuppressionKeys(database, foundation),
    planned,
  ]);
  const alignment = await prepare((iri) => dictionary.relationshipType(iri));
  const capture = await openCaptureSource(database, foundation);
  return { neo4j, database, reader: reader ?? database, vocabulary, dictionary, alignment, capture };
}

/**
 * Has Neo4j plan the rules while the graph is set up: it takes seconds for them when it has just started. Where a name
 * isn't known yet, or a rule is wrong, that is found out afterwards.
 */
async function planAhead(database: Database, prepare: (typeOf: (iri: string) => string) => Promise<unknown>) {
  try {
    const { types } = await knownNames(database);
    await prepare((iri) => {
      const type = types.get(iri);
      if (type === undefined) throw new Error(`No name yet for ${iri}`);
      return type;
    });
  } catch {}
}

/** The last of the set-up: what that changes is no edit by hand. */
async function openCaptureSource(database: Database, foundation: Foundation): Promise<CaptureWatch> {
  const { config, logger, closing, report, signal } = foundation;
  const { CAPTURE: mode, TENANTS = [defaultTenant] } = config;
  const tell = (state: CaptureState) => {
    if (state.isSeen) logger.info('edits by hand in Neo4j are seen again');
    else logger.warn({ why: state.why }, 'edits by hand in Neo4j are not seen: they get no history and no events');
  };
  // Else two would see the same edits.
  if (mode === 'off' || mode === 'cdc') await removeTrigger(database);
  if (mode !== 'cdc') await dropCursor(database);
  if (mode === 'off') return new CaptureWatch({ state: { isSeen: false, why: 'CAPTURE is off' }, onChange: tell });
  const [tenant = defaultTenant] = TENANTS;
  const alone = <T>(work: () => Promise<T>) => withSetupLock(database, { report, signal }, work);
  const source =
    mode === 'cdc' ? new CdcSource(database, { tenant }) : new TriggerSource(database, { mode, tenant, alone });
  const state = await source.open(signal);
  if (!state.isSeen) tell(state);
  const watch = closing.add(new CaptureWatch({ source, state, onChange: tell }));
  watch.start();
  return watch;
}

/** The log gets no examples: a purge doesn't reach it. */
function judgeChange(findings: Finding[], foundation: Foundation): void {
  if (foundation.config.VOCABULARY_CHECK === 'refuse') refuseHidden(findings);
  for (const finding of findings.filter(hides)) {
    const { what, mend, counts } = finding;
    const counted = counts.map(({ examples: _, ...rest }) => rest);
    foundation.logger.warn(
      { what, mend, counts: counted },
      `The vocabulary has changed. ${linesOf(finding).join(';')}`,
    );
  }
}

function logOutages(database: Database, { logger }: Foundation): void {
  let since = 0;
  database.onAway((isAway) => {
    if (isAway) {
      since = Date.now();
      logger.error('Neo4j does not answer: calls that need it fail at once, until it does');
    } else logger.info({ awayMs: Date.now() - since }, 'Neo4j answers again');
  });
}

/** A key that is left out by mistake would let come back what a purge has erased, and nobody would see it. */
async function tellSuppressionKeys(database: Database, { config, logger }: Foundation): Promise<void> {
  const { SUPPRESSION_KEY: keys = [], UPDATE_TIMEOUT_MS: timeoutMs } = config;
  const { older, unknown } = await database.read((tx) => countByKey(tx, keys), timeoutMs);
  if (unknown > 0) {
    logger.warn(
      { suppressions: unknown },
      'What some purges have erased may come back: it is kept away under a key that is not in SUPPRESSION_KEY',
    );
  }
  if (older > 0) {
    logger.info({ suppressions: older }, 'Of what purges have erased, this much is kept away under older keys');
  }
}

async function warnOfLooseSettings(database: Database, { config, logger }: Foundation): Promise<void> {
  for (const finding of await inspect(database, config.NEO4J_HEAP)) {
    if (finding.state !== 'tight') logger.warn({ setting: finding.setting }, lineOf(finding));
  }
}
