import { z } from 'zod';
import { ErrorCode } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import type { Call, UnaryMethod } from '../../calls/call.ts';
import { parseParams } from '../../calls/params.ts';
import { requireScope } from '../../calls/scope.ts';
import { seesGraph } from '../../security/principal.ts';
import { identifier, optional, type Patch, patch, text } from '../patch.ts';
import { identifyPatches } from './applyPatches.ts';
import type { CommitParts, Proposal } from './commit.ts';
import {
  type DryRunParts,
  type DryRunResult,
  dryRun,
  type ProposeParts,
  propose,
  type UpdateResult,
} from './propose.ts';

export interface UpdateParts extends ProposeParts, Pick<CommitParts, 'now'> {
  maxMutations: number;
}

/**
 * `knowledge/update`: applies patches in one transaction, all or none. Knowledge graph extension 1.0, section 4.2.
 * @throws ConcordError -32602, -32011, -32013
 */
export function updateMethod(parts: UpdateParts): UnaryMethod<UpdateResult> {
  const proposalIn = proposalReader(parts);
  return async (raw, call) => propose(parts, proposalIn(raw, call));
}

/**
 * What `knowledge/update` would answer to these params now, with `dryRun: true`; nothing is applied or held.
 * @throws ConcordError -32602, -32011, -32013, as `knowledge/update` would
 */
export function validateMethod(parts: UpdateParts & DryRunParts): UnaryMethod<DryRunResult> {
  const proposalIn = proposalReader(parts);
  return async (raw, call) => dryRun(parts, proposalIn(raw, call));
}

function proposalReader(parts: UpdateParts): (raw: unknown, call: Call) => Proposal {
  const params = paramsOf(parts.maxMutations);
  return (raw, call) => {
    requireScope(call, 'knowledge:update', ErrorCode.KnowledgeUpdate);
    const { mutations, metadata, sourceAgentId, ...said } = parseParams(params, raw);
    const agentId = agentOf(call, sourceAgentId);
    requireGraphs(call, mutations);
    return {
      tenant: call.principal.tenant,
      update: {
        id: parts.uuid(),
        sourceAgentId: agentId,
        ...said,
        ...(call.traceId !== undefined && { traceId: call.traceId }),
        ...(metadata?.idempotencyKey !== undefined && { idempotencyKey: metadata.idempotencyKey }),
        proposedAt: parts.now(),
      },
      patches: identifyPatches(call.principal.tenant, mutations),
      expectedRevision: metadata?.expectedRevision,
      closed: parts.closedTo(call.principal),
    };
  };
}

function paramsOf(maxMutations: number) {
  return z.strictObject({
    mutations: z
      .array(z.unknown())
      .min(1, 'is empty')
      .max(maxMutations, `holds more than ${maxMutations} patches; send several updates`)
      .pipe(z.array(patch)),
    taskId: optional(identifier),
    sessionId: optional(identifier),
    sourceAgentId: optional(identifier),
    justification: optional(text(10_000)),
    metadata: optional(
      z.looseObject({
        idempotencyKey: optional(text(200).min(1, 'is empty')),
        expectedRevision: optional(z.int().min(0)),
      }),
    ),
  });
}

/** Who speaks: the principal's own agent; the local principal speaks for any. */
function agentOf({ principal }: Call, said: string | undefined): string {
  if (principal.agentId === undefined) return said ?? 'local';
  if (said === undefined || said === principal.agentId) return principal.agentId;
  throw refuse('foreign-agent', `sourceAgentId '${said}' is not the caller, '${principal.agentId}'`);
}

/** A principal writes where it reads. */
function requireGraphs({ principal }: Call, patches: Patch[]): void {
  const closed = patches.find(({ statement }) => !seesGraph(principal, statement.graph));
  if (closed === undefined) return;
  throw refuse(
    'closed-graph',
    `The caller has no access to the graph ${closed.statement.graph ?? '(default)'}`,
  );
}
