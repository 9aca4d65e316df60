import { createHash } from 'node:crypto';
import { isObject } from '../../base/isObject.ts';
import type { UnaryMethod } from '../../calls/call.ts';
import type { UpdateResult } from '../../knowledge/update/propose.ts';
import type { Principal } from '../../security/principal.ts';
import { outcomeOf } from '../../skills/proposeSkill.ts';
import type { SkillCall, SkillOutcome } from '../../skills/skill.ts';
import type { KeySet } from '../cards/signature.ts';
import type { AgentStore } from '../nodes/agentStore.ts';
import { type AnsweredPatches, isSigned, patchesIn } from './answeredPatches.ts';
import type { Delegations } from './nodes/delegations.ts';

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
}

export interface ProposingParts {
  /** `knowledge/update` */
  update: Update;
  store: Pick<AgentStore, 'keysOf'>;
  delegations: Pick<Delegations, 'resting'>;
}

const longestKey = 200;

/** The same for each part of a task's answer, and for no other: a task may have any id, of up to 512 characters. */
function idempotencyKey(taskId: string, index: number): string {
  const key = `${taskId} ${index}`;
  return key.length <= longestKey ? key : createHash('sha256').update(key).digest('hex');
}

const askForRight = 'Send a message to have what it states proposed';

/** The worst of what became of several proposals. */
const badness = ['completed', 'input-required', 'rejected', 'failed'] as const;

/**
 * Proposes what an answer states, each part as an update of its own, as the caller may: as the agent's knowledge where
 * it has signed it, else as the caller's, and the provenance names the agent. Each is applied once, however often this
 * is done for one task. Of a task that another replica has taken up, nobody knows what its caller may: it waits for a
 * message.
 * @param done what the task comes to where the answer states nothing
 * @throws ConcordError as `knowledge/update`; `agent-answer`
 */
export async function proposedOrWaiting(
  { update, store, delegations }: ProposingParts,
  answered: Answered,
  done: SkillOutcome,
  call: SkillCall,
): Promise<SkillOutcome> {
  const all = patchesIn(answered.parts);
  if (all.length === 0) return done;
  const { principal, taskId } = call;
  const wait = () => call.alongside(delegations.resting({ tenant: principal.tenant, id: taskId }, 'proposing'));
  if (!principal.scopes.has('knowledge:update')) {
    wait();
    return { ...done, state: 'input-required', text: `${answered.agentId} has answered. ${askForRight}` };
  }
  const keys = await keysOf(store, answered.agentId, principal);
  const outcomes: SkillOutcome[] = [];
  for (const [index, patches] of all.entries()) {
    const isOwn = await isSigned(patches, answered.messageId, keys);
    const params = {
      mutations: isOwn ? patches.mutations : patches.mutations.map((each) => named(each, answered)),
      ...(patches.justification !== undefined && { justification: patches.justification }),
      taskId,
      metadata: { idempotencyKey: idempotencyKey(taskId, index) },
    };
    const by = isOwn ? { ...principal, agentId: answered.agentId } : principal;
    outcomes.push(outcomeOf(await update(params, { ...call, principal: by })));
  }
  const state = badness.findLast((each) => outcomes.some((outcome) => outcome.state === each)) ?? done.state;
  if (state === 'input-required') wait();
  const text = outcomes.map((each) => each.text).join('\n');
  return { ...done, state, text, artifacts: outcomes.flatMap(({ artifacts }) => artifacts) };
}

/** Those of an agent that speaks for itself: who registers others could speak for as many as it likes. */
async function keysOf(
  store: ProposingParts['store'],
  id: string,
  { tenant, agentId }: Principal,
): Promise<KeySet | undefined> {
  const found = await store.keysOf({ tenant, id });
  return found && (found.addedBy === id || agentId === undefined) ? found.keys : undefined;
}

/** A patch whose provenance says who has stated it. What is none, the update says. */
function named(patch: AnsweredPatches['mutations'][number], { agentId, remoteTaskId }: Answered): unknown {
  if (!isObject(patch) || !isObject(patch.statement)) return patch;
  const { provenance } = patch.statement;
  if (provenance != null && !isObject(provenance)) return patch;
  const said = { ...provenance, statedBy: agentId, ...(remoteTaskId !== undefined && { statedIn: remoteTaskId }) };
  return { ...patch, statement: { ...patch.statement, provenance: said } };
}
