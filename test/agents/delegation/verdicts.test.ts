import { expect, test } from '@jest/globals';
import { type Answered, proposedOrWaiting } from '../../../src/agents/delegation/proposing.ts';
import type { UpdateResult } from '../../../src/knowledge/update/propose.ts';
import { localPrincipal, type Principal } from '../../../src/security/principal.ts';
import type { SkillCall, SkillOutcome } from '../../../src/skills/skill.ts';

type Verdict = UpdateResult['verificationStatus'];
const ann: Principal = { ...localPrincipal, agentId: 'ann' };
const done: SkillOutcome = { state: 'completed', artifacts: [], text: 'Done' };
const part = (value: string) => ({ data: { mutations: [{ op: 'add', statement: { object: { value } } }] } });

/** What becomes of an answer whose parts get these verdicts, one after another. */
async function proposed(verdicts: Verdict[], more: Partial<Answered> = {}, principal = ann, taskId = 'task') {
  const updates: { metadata: { idempotencyKey: string }; taskId: string; mutations: { statement: object }[] }[] = [];
  const states: (string | undefined)[] = [];
  let alongside = 0;
  const left = [...verdicts];
  const parts = {
    update: async (params: unknown) => {
      updates.push(params as (typeof updates)[number]);
      return { success: true, verificationStatus: left.shift() } as UpdateResult;
    },
    store: { keysOf: async () => undefined },
    delegations: {
      resting: (_key: object, state?: string) => {
        states.push(state);
        return async () => {};
      },
    },
  };
  const call = {
    ...{ principal, taskId, signal: new AbortController().signal },
    alongside() {
      alongside += 1;
    },
  } as unknown as SkillCall;
  const answered = { agentId: 'sage', messageId: 'm', parts: verdicts.map((_, n) => part(`${n}`)), ...more };
  const outcome = await proposedOrWaiting(parts as never, answered, done, call);
  return { outcome, updates, states, alongside };
}

test('each part of an answer is an update of its own, which is known again', async () => {
  const { outcome, updates, alongside } = await proposed(['Verified', 'Verified'], { remoteTaskId: 't9' });
  expect(outcome).toMatchObject({ state: 'completed', text: 'Verified\nVerified' });
  expect(outcome.artifacts).toHaveLength(2);
  expect(updates.map(({ metadata, taskId }) => [metadata.idempotencyKey, taskId])).toEqual([
    ['task 0', 'task'],
    ['task 1', 'task'],
  ]);
  expect(updates[1]?.mutations[0]?.statement).toEqual({
    object: { value: '1' },
    provenance: { statedBy: 'sage', statedIn: 't9' },
  });
  expect(alongside).toBe(0);
});

const rejected = 'Rejected - Constraint Violation';

test.each<[string, Verdict[]]>([
  ['input-required', ['Verified', 'Pending Review']],
  ['rejected', [rejected, 'Pending Review', 'Verified']],
  ['completed', ['Verified']],
])('the worst of several verdicts counts: %s', async (state, verdicts) => {
  expect((await proposed(verdicts)).outcome.state).toBe(state);
});

test('a task whose proposal waits for a review is kept as one that proposes', async () => {
  const { states, alongside } = await proposed(['Pending Review']);
  expect([states, alongside]).toEqual([['proposing'], 1]);
});

test('of a task whose caller may not be known any more nothing is proposed: it waits for who may', async () => {
  const { outcome, updates, states } = await proposed(['Verified'], {}, { ...ann, scopes: new Set() });
  expect(outcome).toMatchObject({ state: 'input-required', text: expect.stringContaining('sage has answered') });
  expect([updates, states]).toEqual([[], ['proposing']]);
});

test('an answer that states nothing comes to what it came to', async () => {
  const { outcome, updates } = await proposed(['Verified'], { parts: [{ text: 'nothing' }, { data: { other: 1 } }] });
  expect([outcome, updates]).toEqual([done, []]);
});

test('the updates of two tasks are known apart, however long their ids are and alike their ends', async () => {
  const keys: string[] = [];
  for (const begin of ['a', 'b'])
    for (const { metadata } of (await proposed(['Verified', 'Verified'], {}, ann, begin.padEnd(512, 'x'))).updates)
      keys.push(metadata.idempotencyKey);
  expect(new Set(keys).size).toBe(4);
  expect(keys.every((key) => key.length <= 200)).toBe(true);
});
