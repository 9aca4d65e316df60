import { z } from 'zod';
import { ErrorCode } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import type { Call, UnaryMethod } from '../../calls/call.ts';
import { parseParams } from '../../calls/params.ts';
import { requireScope } from '../../calls/scope.ts';
import type { ClosedIris } from '../../graph/names/closed.ts';
import { seesGraph } from '../../security/principal.ts';
import { sampledSpan } from '../../telemetry/links.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import { identifier, optional, patch, text } from '../patch.ts';
import { type IdentifiedPatch, identifyPatches } from './applyPatches.ts';
import { removalsOf } from './clearedFields.ts';
import type { CommitParts } from './commit.ts';
import { type EntityChanges, entitiesOf } from './entities/entities.ts';
import type { Proposal } from './plan.ts';
import {
  type DryRunParts,
  type DryRunResult,
  dryRun,
  type ProposeParts,
  propose,
  type UpdateResult,
  updateError,
} from './propose.ts';
import { requireTexts } from './textLimits.ts';

export interface UpdateParts extends ProposeParts, Pick<CommitParts, 'now'> {
  maxMutations: number;
  vocabulary: Vocabulary;
  /** Of a literal, in characters. */
  maxTextLength: number;
}

/**
 * `knowledge/update`: applies patches in one transaction, all or none; what is said of entities by the vocabulary's
 * names becomes patches first. Knowledge graph extension 1.0, section 4.2.
 * @throws ConcordError -32602, -32011, -32013
 */
export function updateMethod(parts: UpdateParts): UnaryMethod<UpdateResult> {
  const params = updateParams(parts);
  const proposalIn = proposalReader(parts, params);
  const update: UnaryMethod<UpdateResult> = async (raw, call) => propose(parts, await proposalIn(raw, call));
  return Object.assign(update, { params });
}

/**
 * What `knowledge/update` would answer to these params now, with `dryRun: true`; nothing is applied or held.
 * @throws ConcordError -32602, -32011, -32013, as `knowledge/update` would
 */
export function validateMethod(parts: UpdateParts & DryRunParts): UnaryMethod<DryRunResult> {
  const params = updateParams(parts);
  const proposalIn = proposalReader(parts, params);
  const validate: UnaryMethod<DryRunResult> = async (raw, call) => dryRun(parts, await proposalIn(raw, call));
  return Object.assign(validate, { params });
}

function proposalReader(
  parts: UpdateParts,
  params: ReturnType<typeof updateParams>,
): (raw: unknown, call: Call) => Promise<Proposal> {
  return async (raw, call) => {
    requireScope(call, 'knowledge:update', ErrorCode.KnowledgeUpdate);
    const { mutations = [], entities = nothing, metadata, sourceAgentId, ...said } = parseParams(params, raw);
    requireTexts({ mutations, entities: entities.patches }, parts.maxTextLength);
    const agentId = agentOf(call, sourceAgentId);
    const graphs = [...mutations, ...entities.patches].map(({ statement }) => statement.graph);
    requireGraphs(call, [...graphs, ...entities.cleared.map(({ graph }) => graph)]);
    const { tenant } = call.principal;
    const closed = parts.closedTo(call.principal);
    const id = parts.uuid();
    const removals = await removalsIn(parts, tenant, entities, mutations.length, closed);
    return {
      tenant,
      update: {
        id,
        sourceAgentId: agentId,
        ...said,
        ...(call.traceId !== undefined && { ...sampledSpan(), traceId: call.traceId }),
        ...(metadata?.idempotencyKey !== undefined && { idempotencyKey: metadata.idempotencyKey }),
        proposedAt: parts.now(),
      },
      patches: [...identifyPatches(tenant, mutations), ...removals, ...identifyPatches(tenant, entities.patches)],
      expectedRevision: metadata?.expectedRevision,
      refuseSuppressed: metadata?.onSuppressed === 'refuse',
      closed,
    };
  };
}

const nothing: EntityChanges = { patches: [], cleared: [] };

/** What takes back the values of the fields that are null. */
async function removalsIn(
  parts: UpdateParts,
  tenant: string,
  { patches, cleared }: EntityChanges,
  mutations: number,
  closed: ClosedIris | undefined,
): Promise<IdentifiedPatch[]> {
  const most = parts.maxMutations - patches.length - mutations;
  const removals = await removalsOf(parts, tenant, cleared, closed, most).catch((error) => {
    throw updateError(error);
  });
  if (removals.length <= most) return removals;
  const message = `come to ${tooMany(parts.maxMutations)}`;
  throw refuse('invalid-params', `Invalid params: entities ${message}`, {
    issues: [{ path: 'entities', message }],
  });
}

const tooMany = (most: number) => `more than ${most} patches; send several updates`;

const some = { type: 'array', minItems: 1 };
/** For who describes it by JSON Schema: there is something to do. */
const notEmpty = {
  anyOf: ['mutations', 'entities'].map((name) => ({ required: [name], properties: { [name]: some } })),
};

/** What `knowledge/update` takes. */
export function updateParams({ maxMutations, vocabulary }: Pick<UpdateParts, 'maxMutations' | 'vocabulary'>) {
  const shape = z.strictObject({
    mutations: optional(
      z
        .array(z.unknown())
        .max(maxMutations, `holds ${tooMany(maxMutations)}`)
        .pipe(z.array(patch)),
    ),
    entities: optional(entitiesOf(vocabulary, maxMutations)),
    taskId: optional(identifier),
    sessionId: optional(identifier),
    sourceAgentId: optional(identifier),
    justification: optional(text(10_000)),
    metadata: optional(
      z.looseObject({
        idempotencyKey: optional(text(200).min(1, 'is empty')),
        expectedRevision: optional(z.int().min(0)),
        onSuppressed: optional(z.literal('refuse')),
      }),
    ),
  });
  return shape.meta(notEmpty).transform((params, context) => {
    // It comes here also where a member too many stands in it.
    if (context.issues.length > 0) return z.NEVER;
    const { mutations = [], entities = nothing } = params;
    const fault = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    const count = mutations.length + entities.patches.length + entities.cleared.length;
    if (count === 0) fault('mutations', 'is empty');
    if (count > maxMutations) fault('entities', `come with the mutations to ${tooMany(maxMutations)}`);
    return params;
  });
}

/** Who speaks: the principal's own agent; the local principal speaks for any. */
function agentOf({ principal }: Call, said: string | undefined): string {
  if (principal.agentId === undefined) return said ?? 'local';
  if (said === undefined || said === principal.agentId) return principal.agentId;
  throw refuse('foreign-agent', `sourceAgentId '${said}' is not the caller, '${principal.agentId}'`);
}

/** A principal writes where it reads. */
function requireGraphs({ principal }: Call, graphs: (string | undefined)[]): void {
  for (const graph of graphs) {
    if (!seesGraph(principal, graph))
      throw refuse('closed-graph', `The caller has no access to the graph ${graph ?? '(default)'}`);
  }
}
