import type { UnaryMethod } from '../calls/call.ts';
import type { ChangeFeed } from '../changes/feed.ts';
import type { Config } from '../config/config.ts';
import type { ClassesOf } from '../knowledge/closed/closedStatements.ts';
import type { ClosedTo } from '../knowledge/conditions.ts';
import { purgeMethod } from '../knowledge/purge/purge.ts';
import { reviewMethod } from '../knowledge/review/review.ts';
import { Committer, type CommitterParts } from '../knowledge/update/committer.ts';
import { keySweep } from '../knowledge/update/keySweep.ts';
import type { DryRunParts, DryRunResult, UpdateResult } from '../knowledge/update/propose.ts';
import { type UpdateParts, updateMethod, validateMethod } from '../knowledge/update/update.ts';
import { WriteQueue } from '../knowledge/update/writeQueue.ts';
import type { Instruments } from '../telemetry/instruments.ts';
import { type Logger, sparing } from '../telemetry/logger.ts';
import { literalFieldsOf, predicatesOf, type Vocabulary } from '../vocabulary/vocabulary.ts';

export interface WritingParts
  extends Pick<CommitterParts, 'database' | 'dictionary' | 'alignment' | 'endReviewed' | 'uuid' | 'now'> {
  vocabulary: Vocabulary;
  closedTo: ClosedTo;
  classesOf: ClassesOf;
  feed: Pick<ChangeFeed, 'wake'>;
  config: Pick<
    Config,
    'IDEMPOTENCY_KEY_HOURS' | 'UPDATE_TIMEOUT_MS' | 'UPDATE_QUEUE' | 'VOCABULARY_MODE' | 'MAX_MUTATIONS'
  >;
  instruments: Pick<Instruments, 'updates' | 'statementsApplied'>;
  logger: Logger;
}

/** The methods that write, over one queue. */
export interface Writing {
  update: UnaryMethod<UpdateResult>;
  validate: UnaryMethod<DryRunResult>;
  review: UnaryMethod;
  purge: UnaryMethod;
  /** Ends the sweep of idempotency keys. */
  close(): Promise<void>;
}

/** Builds what writes, and begins to sweep idempotency keys. */
export function startWriting(parts: WritingParts): Writing {
  const { database, dictionary, alignment, vocabulary, closedTo, endReviewed, feed, config, uuid, now } =
    parts;
  const predicates = predicatesOf(vocabulary);
  const keysSince = () => now() - config.IDEMPOTENCY_KEY_HOURS * 3_600_000;
  const sweep = keySweep(database, {
    keysSince,
    onError: sparing(parts.logger, 'expired idempotency keys cannot be let go'),
  });
  sweep.start();

  const committer = new Committer({
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
    timeoutMs: config.UPDATE_TIMEOUT_MS,
    uuid,
    now,
    keysSince,
    verdicts: (verdict, statements) => {
      parts.instruments.updates.add(1, { verdict });
      parts.instruments.statementsApplied.add(statements);
    },
  };
  return {
    update: updateMethod(updateParts),
    validate: validateMethod(updateParts),
    review: reviewMethod({ ...updateParts, classesOf: parts.classesOf, endReviewed }),
    purge: purgeMethod({ ...updateParts, endReviewed }),
    close: () => sweep.close(),
  };
}
