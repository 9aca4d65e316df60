import type { Violation } from '../../alignment/alignment.ts';
import { ConcordError, ErrorCode } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import { faultOf } from '../../calls/faults.ts';
import { isTimedOut } from '../../graph/database/away.ts';
import type { Database } from '../../graph/database/database.ts';
import { OutcomeUnknown } from '../../graph/database/outcomeUnknown.ts';
import { idsOf } from '../../graph/statements/statement.ts';
import { findUpdates, lockLedger, recordUpdates } from '../../graph/updates/ledger.ts';
import type { ProposedUpdate, UpdateRecord } from '../../graph/updates/updateRecord.ts';
import type { UpdateResult } from '../../wire/types.ts';
import type { ClosedTo } from '../conditions.ts';
import { type CommitParts, NotAligned } from './commit.ts';
import type { Committer } from './committer.ts';
import { type NamingParts, nameThings } from './nameThings.ts';
import type { Proposal, Verdict } from './plan.ts';
import { suppressedDetails, suppressedRule } from './suppressed.ts';
import type { WriteQueue } from './writeQueue.ts';

export type { UpdateResult };

/** What proposing needs of the service. */
export interface ProposeParts extends Pick<CommitParts, 'uuid' | 'keysSince'>, NamingParts {
  database: Database;
  closedTo: ClosedTo;
  queue: WriteQueue;
  timeoutMs: number;
  verdicts(verdict: 'applied' | 'unchanged' | 'repeated' | 'pending' | 'rejected', statements: number): void;
}

/** Applies a proposal, or keeps it for review, or refuses it; also the way of an approved one. */
export async function propose(parts: ProposeParts, proposal: Proposal): Promise<UpdateResult> {
  try {
    await nameThings(parts, proposal);
    const verdict = await parts.queue.commit(proposal);
    return answer(parts, verdict);
  } catch (error) {
    if (error instanceof NotAligned) return await recordRefusal(parts, proposal, error.violations.get(0) ?? []);
    if (error instanceof ConcordError) throw error;
    throw updateError(error, isKnownAgain(proposal));
  }
}

/** Whether the same proposal, sent again, is known for the same. */
function isKnownAgain({ update: { idempotencyKey }, approvedBy }: Proposal): boolean {
  return idempotencyKey !== undefined || approvedBy !== undefined;
}

/** What an update's record answers to its proposer, now or when it asks again. */
export function resultOf(update: UpdateRecord, violations: Violation[] = []): UpdateResult {
  const details = update.verificationDetails;
  const applied = update.status === 'applied' ? update : undefined;
  return {
    success: update.status !== 'rejected',
    statementsAffected: applied?.statementsAffected ?? 0,
    affectedIds: applied?.affectedIds ?? [],
    verificationStatus: statusText[update.status],
    ...(details !== undefined && { verificationDetails: details }),
    ...(violations.length > 0 && { violations }),
    updateId: update.id,
    ...(applied && { revision: applied.revision }),
  };
}

const statusText = {
  applied: 'Verified',
  pending: 'Pending Review',
  rejected: 'Rejected - Constraint Violation',
} as const;

function answer(parts: ProposeParts, verdict: Verdict): UpdateResult {
  if (verdict.kind === 'conflict') {
    throw refuse('revision-conflict', `The graph has moved on to revision ${verdict.revision}; nothing was applied`, {
      revision: verdict.revision,
    });
  }
  if (verdict.kind === 'unchanged') {
    parts.verdicts('unchanged', 0);
    return {
      success: true,
      statementsAffected: 0,
      affectedIds: [],
      verificationStatus: 'Verified',
      revision: verdict.revision,
    };
  }
  parts.verdicts(verdict.kind, verdict.kind === 'applied' ? verdict.update.statementsAffected : 0);
  return resultOf(verdict.update, verdict.kind === 'applied' ? verdict.warnings : []);
}

/** What proposing would come to now: the same result, without what only an update has, or the same error. */
export interface DryRunResult extends Omit<UpdateResult, 'updateId' | 'revision'> {
  dryRun: true;
}

export interface DryRunParts extends ProposeParts {
  committer: Pick<Committer, 'dryRun'>;
}

/**
 * Proposes and takes it back. What stays are names in the graph for predicates and classes that it hasn't seen, as of a
 * proposal that is rejected.
 */
export async function dryRun(parts: DryRunParts, proposal: Proposal): Promise<DryRunResult> {
  const uncounted = { ...parts, verdicts: () => {} };
  try {
    await nameThings(parts, proposal);
    return dryRunResult(answer(uncounted, await parts.committer.dryRun(proposal)));
  } catch (error) {
    if (error instanceof ConcordError) throw error;
    if (!(error instanceof NotAligned)) throw updateError(error);
    const violations = error.violations.get(0) ?? [];
    if (isKeptAway(proposal, violations)) return { ...keptAway(violations), dryRun: true };
    const { record, forbidden } = refusedUpdate(proposal, violations);
    if (forbidden) throw forbidden;
    return dryRunResult(resultOf(record, violations));
  }
}

function dryRunResult({ updateId: _, revision: __, ...result }: UpdateResult): DryRunResult {
  return { ...result, dryRun: true };
}

/** The transaction was rolled back: says so, and keeps what a reviewer or an analyst must find. */
async function recordRefusal(parts: ProposeParts, proposal: Proposal, violations: Violation[]): Promise<UpdateResult> {
  if (isKeptAway(proposal, violations)) {
    parts.verdicts('rejected', 0);
    return keptAway(violations);
  }
  const { record, forbidden } = refusedUpdate(proposal, violations);
  // A proposal that fails its approval stays under review: its reviewer decides what becomes of it.
  if (proposal.approvedBy === undefined) {
    const earlier = await keep(parts, proposal.tenant, record).catch((error) => {
      throw updateError(error, isKnownAgain(proposal));
    });
    if (earlier !== undefined) return answer(parts, { kind: 'repeated', update: earlier });
  }
  parts.verdicts(record.status === 'rejected' ? 'rejected' : 'pending', 0);
  if (forbidden) throw forbidden;
  return resultOf(record, violations);
}

/** Whether nothing is to be kept of a proposal, for it would bring back what was erased for good. */
function isKeptAway({ refuseSuppressed }: Proposal, violations: Violation[]): boolean {
  return violations.some(
    ({ rule, severity }) => rule === suppressedRule && (severity === 'reject' || refuseSuppressed),
  );
}

/** Its answer: a record would name what was erased. */
function keptAway(violations: Violation[]): UpdateResult {
  return {
    success: false,
    statementsAffected: 0,
    affectedIds: [],
    verificationStatus: statusText.rejected,
    verificationDetails: suppressedDetails(violations),
    violations,
  };
}

/** The record of a proposal that the rules don't let through, and what its proposer is told where a rule forbids it. */
function refusedUpdate(
  { update, patches }: Proposal,
  violations: Violation[],
): { record: UpdateRecord; forbidden?: ConcordError } {
  const details = explain(violations);
  const forbidden = violations.find(({ severity }) => severity === 'forbid');
  const isRejected = forbidden !== undefined || violations.some(({ severity }) => severity === 'reject');
  const proposed: ProposedUpdate = {
    ...update,
    // A record answers with a verdict, and this one is to be an error each time it is asked for.
    idempotencyKey: forbidden ? undefined : update.idempotencyKey,
    verificationDetails: details,
    namedIds: idsOf(patches.map(({ statement }) => statement)),
  };
  const proposal = JSON.stringify(patches.map(({ op, statement }) => ({ op, statement })));
  const record: UpdateRecord = isRejected
    ? { ...proposed, status: 'rejected' }
    : { ...proposed, status: 'pending', proposal };
  if (!forbidden) return { record };
  return { record, forbidden: refuse('forbidden', details, { rule: forbidden.rule, violations }) };
}

/**
 * Keeps a proposal that was not applied.
 * @returns the update that another call has made meanwhile under the same idempotency key, if there is one
 */
function keep(
  { database, timeoutMs, keysSince }: ProposeParts,
  tenant: string,
  record: UpdateRecord,
): Promise<UpdateRecord | undefined> {
  return database.write(async (tx) => {
    await lockLedger(tx, tenant);
    const since = keysSince();
    const [earlier] = await findUpdates(tx, tenant, [record], since);
    if (earlier !== undefined && earlier.id !== record.id) return earlier;
    await recordUpdates(tx, tenant, [record], since);
    return undefined;
  }, timeoutMs);
}

/** What violations come to, in words. */
export function explain(violations: Violation[]): string {
  if (violations.some(({ rule }) => rule === suppressedRule)) return suppressedDetails(violations);
  return violations
    .map(({ rule, subject, predicate, object, message }) => {
      const about = [subject, predicate, object].filter((part) => part !== undefined).join(' ');
      return about === '' ? `${rule}: ${message}` : `${rule}: ${about}: ${message}`;
    })
    .join('\n');
}

/**
 * What an update's caller is told of a fault of the database.
 * @param hasKey whether the same update, sent again, is known for the same
 */
export function updateError(error: unknown, hasKey = true): unknown {
  if (error instanceof OutcomeUnknown && !hasKey) {
    return refuse(
      'outcome-unknown',
      'Neo4j did not say whether it has applied the update. It has no idempotencyKey: look at the graph before you send ' +
        'it again.',
      { retryable: false },
      { cause: error },
    );
  }
  if (isTimedOut(error)) {
    return refuse(
      'timeout',
      'The update took too long; nothing was applied. Send it in smaller parts.',
      {},
      { code: ErrorCode.KnowledgeUpdate, cause: error },
    );
  }
  const advice = 'nothing is known to have been applied. Send the update again, best with an idempotencyKey.';
  return faultOf(error, ErrorCode.KnowledgeUpdate, advice);
}
