import { expect } from '@jest/globals';
import type { UpdateResult } from '../../../src/knowledge/update/propose.ts';
import type { Answer } from '../../support/service.ts';
import { type AgentUpdate, Model, type Policies } from './model.ts';
import type { Occurrences } from './occurrences.ts';
import type { Scenario, Wish } from './scenario.ts';

/** Calls `knowledge/update` as an agent. */
export type Send = (agent: string, params: object) => Promise<Answer<UpdateResult>>;

interface Sent extends Pick<AgentUpdate, 'agent' | 'patches'> {
  idempotencyKey: string;
  expectedRevision?: number;
}

/** Last of all, so that whoever waits for it has seen everything. */
const end: Wish = {
  agent: 'ann',
  patches: [
    {
      op: 'add',
      statement: { subject: { id: 'urn:end' }, predicate: { id: 'urn:p:end' }, object: { id: 'urn:end' } },
    },
  ],
  expects: 'any',
  copies: 1,
  again: false,
};

/**
 * Sends a scenario and has the model follow in the order of the answers' revisions, each of which must be what the
 * model comes to.
 * @param seen counts the kinds of answers
 * @returns the model
 */
export async function exchange(scenario: Scenario, policies: Policies, seen: Occurrences, send: Send): Promise<Model> {
  const model = new Model(policies);
  /** What was applied, by its key. */
  const applied = new Map<string, UpdateResult>();
  const step = async (sent: Sent[]) => {
    const answers = await Promise.all(
      sent.map(async ({ agent, patches, ...metadata }) =>
        send(agent, { mutations: patches, sourceAgentId: agent, metadata }),
      ),
    );
    follow(
      model,
      applied,
      sent.map((each, index) => ({ ...each, answer: answers[index] as Answer<UpdateResult> })),
      seen,
    );
  };
  const repeated: Sent[] = [];
  let key = 0;
  for (const wishes of [...scenario, [end]]) {
    const sent = wishes.map(({ agent, patches, expects }) => {
      key += 1;
      const passed = expects === 'passed' ? 1 : 0;
      const expectedRevision = expects === 'any' ? undefined : Math.max(0, model.revision - passed);
      return { agent, patches, idempotencyKey: `key ${key}`, expectedRevision };
    });
    // They are at an end before the scenario is.
    if (wishes[0] === end && repeated.length > 0) await step(repeated);
    await step(wishes.flatMap(({ copies }, index) => Array<Sent>(copies).fill(sent[index] as Sent)));
    repeated.push(...sent.filter((_, index) => wishes[index]?.again));
  }
  return model;
}

function follow(
  model: Model,
  applied: Map<string, UpdateResult>,
  answered: (Sent & { answer: Answer<UpdateResult> })[],
  seen: Occurrences,
): void {
  const fresh: (Sent & { result: UpdateResult; updateId: string; revision: number })[] = [];
  for (const { answer, ...sent } of answered) {
    const { updateId, revision = -1 } = answer.result ?? {};
    if (updateId === undefined) continue;
    const first = applied.get(sent.idempotencyKey);
    if (first === undefined) fresh.push({ ...sent, result: answer.result, updateId, revision });
    else {
      seen.add('copy answered as the first');
      expect(answer.result).toEqual(first);
    }
    applied.set(sent.idempotencyKey, first ?? answer.result);
  }
  fresh.sort((one, other) => one.revision - other.revision);
  for (const { result, updateId, revision, agent, patches, expectedRevision } of fresh) {
    seen.add('update applied');
    const effect = model.apply({ agent, updateId, patches });
    expect(effect.applied).toBe(true);
    expect({ ...result, affectedIds: result.affectedIds.toSorted() }).toEqual({
      success: true,
      statementsAffected: effect.statementsAffected,
      affectedIds: effect.affectedIds.toSorted(),
      verificationStatus: 'Verified',
      updateId,
      revision: model.revision,
    });
    if (expectedRevision !== undefined) expect(revision).toBe(expectedRevision + 1);
  }
  for (const { answer, ...sent } of answered) {
    const { result, error } = answer;
    if (result?.updateId !== undefined) continue;
    seen.add(error ? 'revision conflict' : 'update that changes nothing');
    if (error) expect(error).toMatchObject({ code: -32011, data: { reason: 'revision-conflict', retryable: false } });
    const at = Number(error ? error.data.revision : result.revision);
    // Nothing that comes after the update under this key may be answered as if there had been none.
    expect(at).toBeLessThan(applied.get(sent.idempotencyKey)?.revision ?? model.revision + 1);
    if (error) expect(at).not.toBe(sent.expectedRevision ?? at);
    else {
      expect(result).toEqual({
        success: true,
        statementsAffected: 0,
        affectedIds: [],
        verificationStatus: 'Verified',
        revision: at,
      });
      expect(at).toBe(sent.expectedRevision ?? at);
      expect(model.isNothing({ ...sent, updateId: '' }, at)).toBe(true);
    }
  }
}
