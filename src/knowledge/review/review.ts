import { z } from 'zod';
import { ErrorCode } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import type { Call, UnaryMethod } from '../../calls/call.ts';
import { faultOf } from '../../calls/faults.ts';
import { parseParams } from '../../calls/params.ts';
import { requireScope } from '../../calls/scope.ts';
import type { ClosedIris } from '../../graph/names/closed.ts';
import { idsOf } from '../../graph/statements/statement.ts';
import { findUpdate, listUpdates, lockLedger, recordUpdates } from '../../graph/updates/ledger.ts';
import type { PendingUpdate, RejectedUpdate, UpdateRecord } from '../../graph/updates/updateRecord.ts';
import type { Principal } from '../../security/principal.ts';
import type * as Wire from '../../wire/types.ts';
import { type ClassesOf, whyClosed } from '../closed/closedStatements.ts';
import { identifier, optional, type Patch, text } from '../patch.ts';
import { identifyPatches } from '../update/applyPatches.ts';
import { type ProposeParts, propose, resultOf, type UpdateResult } from '../update/propose.ts';
import { type ReviewTransactionParts, writeReviews } from '../update/reviewTransaction.ts';
import { isSuppressedUpdate } from '../update/suppressed.ts';

/** A proposal that waits for review, or waited once. */
export interface ReviewItem extends Wire.Proposal {
  mutations?: Patch[];
}

const updateId = z.uuid('is not an update id');
const params = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('list'),
    status: z.enum(['pending', 'applied', 'rejected']).default('pending'),
    first: z.int().min(1).max(100).default(20),
    /** The last update id of the page before. */
    after: optional(updateId),
  }),
  z.strictObject({ action: z.literal('approve'), updateId, reviewerId: optional(identifier) }),
  z.strictObject({
    action: z.literal('reject'),
    updateId,
    reviewerId: optional(identifier),
    reason: optional(text(10_000)),
  }),
]);

export interface ReviewParts extends ProposeParts, ReviewTransactionParts {
  classesOf: ClassesOf;
}

/**
 * `knowledge/review`, beyond the specification: `list`s the proposals that rules of severity `review` hold, `approve`s
 * one — which applies it, if the other rules let it through on the graph as it is now — or `reject`s it for good.
 * @throws ConcordError -32602, -32011, -32013
 */
export function reviewMethod(parts: ReviewParts): UnaryMethod<UpdateResult | { proposals: ReviewItem[] }> {
  const method: UnaryMethod<UpdateResult | { proposals: ReviewItem[] }> = async (raw, call) => {
    requireScope(call, 'knowledge:review', ErrorCode.KnowledgeUpdate);
    const request = parseParams(params, raw);
    requireAllGraphs(call);
    try {
      if (request.action === 'list') return await list(parts, call, request);
      const reviewer = call.principal.agentId ?? request.reviewerId ?? 'local';
      if (request.action === 'approve') return await approve(parts, call, request.updateId, reviewer);
      return await reject(parts, call, request.updateId, reviewer, request.reason);
    } catch (error) {
      throw faultOf(error, ErrorCode.KnowledgeUpdate, 'try again later');
    }
  };
  return Object.assign(method, { params });
}

/** A proposal and the reasons why it is held may speak of any graph. */
function requireAllGraphs({ principal }: Call): void {
  if (principal.graphs === undefined) return;
  throw refuse('limited-graphs', 'A reviewer must have access to all graphs of the tenant');
}

async function list(
  parts: ReviewParts,
  { principal }: Call,
  request: { status: UpdateRecord['status']; first: number; after?: string },
): Promise<{ proposals: ReviewItem[] }> {
  const { database, timeoutMs } = parts;
  const updates = await database.read((tx) => listUpdates(tx, principal.tenant, request), timeoutMs);
  const proposals = updates.map(itemOf);
  const closed = parts.closedTo(principal);
  return { proposals: closed ? await withoutClosed(parts, principal.tenant, closed, proposals) : proposals };
}

/** Without the patches that are closed to the reviewer, and without the reasons, which may quote what is. */
async function withoutClosed(
  { classesOf }: ReviewParts,
  tenant: string,
  closed: ClosedIris,
  proposals: ReviewItem[],
): Promise<ReviewItem[]> {
  const patches = proposals.flatMap(({ mutations = [] }) => mutations);
  const classes = await classesOf(tenant, idsOf(patches.map(({ statement }) => statement)));
  return proposals.map(({ verificationDetails: _, mutations, ...item }) => ({
    ...item,
    ...(mutations && {
      mutations: mutations.filter(({ statement }) => whyClosed(statement, closed, classes) === undefined),
    }),
  }));
}

/**
 * @throws ConcordError -32013 where the proposal holds what is closed to the reviewer, who could not know what it
 * decides on
 */
async function requireOpen(
  { closedTo, classesOf }: ReviewParts,
  principal: Principal,
  { proposal }: PendingUpdate,
): Promise<void> {
  const closed = closedTo(principal);
  if (closed === undefined) return;
  const statements = (JSON.parse(proposal) as Patch[]).map(({ statement }) => statement);
  const classes = await classesOf(principal.tenant, idsOf(statements));
  for (const each of statements) {
    const fault = whyClosed(each, closed, classes);
    if (fault) throw fault;
  }
}

async function approve(parts: ReviewParts, { principal }: Call, id: string, reviewer: string): Promise<UpdateResult> {
  const pending = await requirePending(parts, principal.tenant, id);
  await requireOpen(parts, principal, pending);
  const { status: _, proposal, verificationDetails: __, ...update } = pending;
  // What was held for another reason may have met a purge on its way to the review.
  const bringsBack = isSuppressedUpdate(pending);
  const patches = identifyPatches(principal.tenant, JSON.parse(proposal));
  return propose(parts, {
    tenant: principal.tenant,
    update,
    patches,
    approvedBy: reviewer,
    bringsBack,
    closed: parts.closedTo(principal),
  });
}

async function reject(
  parts: ReviewParts,
  { principal }: Call,
  id: string,
  reviewer: string,
  reason: string | undefined,
): Promise<UpdateResult> {
  const { tenant } = principal;
  const record = await writeReviews(parts, tenant, async (tx) => {
    await lockLedger(tx, tenant);
    const pending = pendingUpdate(await findUpdate(tx, tenant, id), id);
    await requireOpen(parts, principal, pending);
    const { proposal: _, ...update } = pending;
    const record: RejectedUpdate = {
      ...update,
      // A record would name what was erased.
      ...(isSuppressedUpdate(update) && { namedIds: [], justification: undefined }),
      status: 'rejected',
      reviewedBy: reviewer,
      verificationDetails: `Rejected by ${reviewer}${reason === undefined ? '' : `: ${reason}`}`,
    };
    await recordUpdates(tx, tenant, [record], parts.keysSince());
    return { result: record, reviewed: [record] };
  });
  return resultOf(record);
}

async function requirePending(
  { database, timeoutMs }: ProposeParts,
  tenant: string,
  id: string,
): Promise<PendingUpdate> {
  return pendingUpdate(await database.read((tx) => findUpdate(tx, tenant, id), timeoutMs), id);
}

function pendingUpdate(update: UpdateRecord | undefined, id: string): PendingUpdate {
  if (update?.status === 'pending') return update;
  const message =
    update === undefined ? `There is no proposal ${id}` : `The proposal ${id} is ${update.status} already`;
  throw refuse(update === undefined ? 'unknown-proposal' : 'not-pending', message);
}

function itemOf(update: UpdateRecord): ReviewItem {
  const { id, status, sourceAgentId, proposedAt, justification, verificationDetails } = update;
  const reviewedBy = status === 'pending' ? undefined : update.reviewedBy;
  return {
    updateId: id,
    status,
    sourceAgentId,
    proposedAt: new Date(proposedAt).toISOString(),
    ...(justification !== undefined && { justification }),
    ...(verificationDetails !== undefined && { verificationDetails }),
    ...(reviewedBy !== undefined && { reviewedBy }),
    ...(status === 'pending' && { mutations: JSON.parse(update.proposal) }),
  };
}
