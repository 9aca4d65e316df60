import { isObject } from '../../base/isObject.ts';
import type { UnaryMethod } from '../../calls/call.ts';
import type { UpdateResult } from '../../knowledge/update/propose.ts';
import { outcomeOf } from '../../skills/proposeSkill.ts';
import type { SkillCall, SkillOutcome } from '../../skills/skill.ts';
import type { KeySet } from '../cards/signature.ts';
import { type AnsweredPatches, isSigned, patchesIn } from './answeredPatches.ts';

/** `knowledge/update` */
export type Update = UnaryMethod<UpdateResult>;

/** What an agent has answered, and to which message. */
export interface Answered {
  agentId: string;
  messageId: string;
  /** The agent's own task. */
  remoteTaskId?: string;
  /** As A2A 1.0 writes parts in JSON. */
  parts: readonly unknown[];
  /** That the agent has registered itself with; absent where nobody knows whose they are. */
  keys?: KeySet | undefined;
}

/** The worst of what became of several proposals. */
const badness = ['completed', 'input-required', 'rejected', 'failed'] as const;

/**
 * Proposes what an answer states, each part as an update of its own, as the caller may: as the agent's knowledge where
 * it has signed it, else as the caller's, and the provenance names the agent. Each is applied once, however often this
 * is done for one task.
 * @returns nothing where the answer states nothing
 * @throws ConcordError as `knowledge/update`; `agent-answer`
 */
export async function proposed(update: Update, answered: Answered, call: SkillCall): Promise<SkillOutcome | undefined> {
  const outcomes: SkillOutcome[] = [];
  for (const [index, patches] of patchesIn(answered.parts).entries()) {
    const isOwn = await isSigned(patches, answered.messageId, answered.keys);
    const principal = isOwn ? { ...call.principal, agentId: answered.agentId } : call.principal;
    const params = {
      mutations: isOwn ? patches.mutations : patches.mutations.map((each) => named(each, answered)),
      ...(patches.justification !== undefined && { justification: patches.justification }),
      taskId: call.taskId,
      metadata: { idempotencyKey: `${call.taskId} ${index}`.slice(-200) },
    };
    outcomes.push(outcomeOf(await update(params, { ...call, principal })));
  }
  const [first] = outcomes;
  if (!first) return undefined;
  const state = badness.findLast((each) => outcomes.some((outcome) => outcome.state === each)) ?? first.state;
  const text = outcomes.map((each) => each.text).join('\n');
  return { state, text, artifacts: outcomes.flatMap(({ artifacts }) => artifacts) };
}

/** A patch whose provenance says who has stated it. What is none, the update says. */
function named(patch: AnsweredPatches['mutations'][number], { agentId, remoteTaskId }: Answered): unknown {
  if (!isObject(patch) || !isObject(patch.statement)) return patch;
  const { provenance } = patch.statement;
  if (provenance != null && !isObject(provenance)) return patch;
  const said = { ...provenance, statedBy: agentId, ...(remoteTaskId !== undefined && { statedIn: remoteTaskId }) };
  return { ...patch, statement: { ...patch.statement, provenance: said } };
}
