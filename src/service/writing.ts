import { randomUUID } from 'node:crypto';
import type { Suppression } from '../graph/erasing/suppression.ts';
import { Capture, type CaptureParts } from '../knowledge/capture/capture.ts';
import type { Told } from '../knowledge/capture/takeEdits.ts';
import { purgeMethod } from '../knowledge/purge/purge.ts';
import { reviewMethod } from '../knowledge/review/review.ts';
import type { TakeEdits } from '../knowledge/update/behindEdits.ts';
import { Committer } from '../knowledge/update/committer.ts';
import { keySweep } from '../knowledge/update/keySweep.ts';
import type { DryRunParts } from '../knowledge/update/propose.ts';
import { type UpdateParts, updateMethod, validateMethod } from '../knowledge/update/update.ts';
import { WriteQueue } from '../knowledge/update/writeQueue.ts';
import { sourcePredicates } from '../sources/terms.ts';
import { type Logger, sparing } from '../telemetry/logger.ts';
import { literalFieldsOf, predicatesOf } from '../vocabulary/vocabulary.ts';
import type { Foundation } from './foundation.ts';
import type { Reading } from './reading.ts';
import type { Storage } from './storage.ts';
import type { OpenTasks } from './tasks.ts';

/** The methods that write, over one queue. */
export type Writing = ReturnType<typeof openWriting>;

/** @returns undefined where what was erased may come back */
function suppressionOf({ SUPPRESSION: mode, SUPPRESSION_KEY: keys }: Foundation['config']): Suppression | undefined {
  return mode === 'off' || keys === undefined ? undefined : { keys, mode };
}

/** Builds what writes, and begins to sweep idempotency keys. */
export function openWriting(
  foundation: Foundation,
  storage: Storage,
  { closedTo, classesOf, feed }: Reading,
  { endReviewed }: OpenTasks,
) {
  const { config, instruments, logger, closing } = foundation;
  const { database, dictionary, alignment, vocabulary } = storage;
  const [uuid, now] = [randomUUID, Date.now];
  const predicates = predicatesOf(vocabulary);
  const keysSince = () => now() - config.IDEMPOTENCY_KEY_HOURS * 3_600_000;
  const sweep = keySweep(database, {
    keysSince,
    onError: sparing(logger, 'expired idempotency keys cannot be let go'),
  });
  closing.add(sweep).start();

  const suppression = suppressionOf(config);
  const commitParts = {
    ...(suppression && { suppression }),
    dictionary,
    alignment,
    literalFields: literalFieldsOf(vocabulary),
    certaintyPolicies: new Map([...predicates].map(([iri, { field }]) => [iri, field.certainty])),
    isAudited: config.AUDIT !== 'off',
    uuid,
    now,
    keysSince,
  };
  const timeoutMs = config.UPDATE_TIMEOUT_MS;
  // So that subscribers of this replica needn't wait for a poll.
  const applied = () => feed.wake();
  const takeEdits = openCapture(foundation, storage, { ...commitParts, timeoutMs }, applied);
  const committer = new Committer({
    ...commitParts,
    ...(takeEdits && { takeEdits }),
    ...{ database, timeoutMs, endReviewed, applied },
  });
  const queue = new WriteQueue({ committer, maxWaiting: config.UPDATE_QUEUE });
  instruments.updatesWaiting.addCallback((gauge) => gauge.observe(queue.length));
  const updateParts: UpdateParts & DryRunParts = {
    database,
    dictionary,
    committer,
    queue,
    closedTo,
    // A source is described in words of Concord's own, whatever the vocabulary has.
    predicates: new Set([...predicates.keys(), ...(config.SOURCES ? sourcePredicates : [])]),
    closedVocabulary: config.VOCABULARY_MODE === 'closed',
    maxMutations: config.MAX_MUTATIONS,
    vocabulary,
    maxTextLength: config.MAX_TEXT_CHARACTERS,
    timeoutMs,
    uuid,
    now,
    keysSince,
    verdicts: (verdict, statements) => {
      instruments.updates.add(1, { verdict });
      instruments.statementsApplied.add(statements);
    },
  };
  return {
    update: updateMethod(updateParts),
    validate: validateMethod(updateParts),
    review: reviewMethod({ ...updateParts, classesOf, endReviewed }),
    purge: purgeMethod({
      ...updateParts,
      endReviewed,
      ...(suppression && { suppression }),
      ...(takeEdits && { takeEdits }),
    }),
  };
}

/**
 * Begins to take edits by hand as statements, also those that an earlier start of Concord has left.
 * @returns undefined where they are not to be taken
 */
function openCapture(
  { config, instruments, logger, closing }: Foundation,
  { database, vocabulary, capture }: Storage,
  parts: Omit<CaptureParts, 'database' | 'source' | 'base' | 'pollMs' | 'onTaken' | 'onError'>,
  applied: () => void,
): TakeEdits | undefined {
  const { source } = capture;
  if (source === undefined) return undefined;
  const cannot = sparing(logger, 'edits by hand cannot be taken; they wait');
  const taking = new Capture({
    ...parts,
    database,
    source,
    base: vocabulary.base,
    pollMs: config.FEED_POLL_MS,
    onTaken: (tenant, taken) => {
      applied();
      instruments.editsTaken.add(taken.edits);
      for (const told of taken.told) tellOf(logger, tenant, told);
    },
    onError: cannot,
  });
  taking.start();
  closing.add(taking);
  return (tenant) => taking.take(tenant).catch(cannot);
}

/** Names and no values: a purge doesn't reach the log. */
function tellOf(logger: Logger, tenant: string, { user, updateId, faults, restored, system }: Told): void {
  const by = { tenant, user };
  if (updateId !== undefined)
    logger.warn({ ...by, updateId, faults: faults.length }, 'edits by hand are no statements and wait for a review');
  if (restored.length > 0) logger.warn({ ...by, restored }, 'edits by hand of what only Concord writes were put back');
  if (system.length > 0) logger.error({ ...by, system }, 'what Concord keeps was edited by hand');
}
