import { randomUUID } from 'node:crypto';
import type { Suppression } from '../graph/erasing/suppression.ts';
import { purgeMethod } from '../knowledge/purge/purge.ts';
import { reviewMethod } from '../knowledge/review/review.ts';
import { Committer } from '../knowledge/update/committer.ts';
import { keySweep } from '../knowledge/update/keySweep.ts';
import type { DryRunParts } from '../knowledge/update/propose.ts';
import { type UpdateParts, updateMethod, validateMethod } from '../knowledge/update/update.ts';
import { WriteQueue } from '../knowledge/update/writeQueue.ts';
import { sparing } from '../telemetry/logger.ts';
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
  { config, instruments, logger, closing }: Foundation,
  { database, dictionary, alignment, vocabulary }: Storage,
  { closedTo, classesOf, feed }: Reading,
  { endReviewed }: OpenTasks,
) {
  const [uuid, now] = [randomUUID, Date.now];
  const predicates = predicatesOf(vocabulary);
  const keysSince = () => now() - config.IDEMPOTENCY_KEY_HOURS * 3_600_000;
  const sweep = keySweep(database, {
    keysSince,
    onError: sparing(logger, 'expired idempotency keys cannot be let go'),
  });
  closing.add(sweep).start();

  const suppression = suppressionOf(config);
  const committer = new Committer({
    ...(suppression && { suppression }),
    database,
    dictionary,
    alignment,
    literalFields: literalFieldsOf(vocabulary),
    certaintyPolicies: new Map([...predicates].map(([iri, { field }]) => [iri, field.certainty])),
    timeoutMs: config.UPDATE_TIMEOUT_MS,
    endReviewed,
    // So that subscribers of this replica needn't wait for a poll.
    applied: () => feed.wake(),
    uuid,
    now,
    keysSince,
  });
  const updateParts: UpdateParts & DryRunParts = {
    database,
    dictionary,
    committer,
    queue: new WriteQueue({ committer, maxWaiting: config.UPDATE_QUEUE }),
    closedTo,
    predicates: new Set(predicates.keys()),
    closedVocabulary: config.VOCABULARY_MODE === 'closed',
    maxMutations: config.MAX_MUTATIONS,
    vocabulary,
    maxTextLength: config.MAX_TEXT_CHARACTERS,
    timeoutMs: config.UPDATE_TIMEOUT_MS,
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
    purge: purgeMethod({ ...updateParts, endReviewed, ...(suppression && { suppression }) }),
  };
}
