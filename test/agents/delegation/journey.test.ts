import { setTimeout as sleep } from 'node:timers/promises';
import { type Message, Part } from '@a2a-js/sdk';
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { Journey } from '../../../src/agents/delegation/journey.ts';
import type { JourneyParts } from '../../../src/agents/delegation/journeyParts.ts';
import type { Outgoing, RemoteAgent, RemoteReport } from '../../../src/agents/delegation/protocols/remoteAgent.ts';
import type { DelegateRequest } from '../../../src/agents/delegation/request.ts';
import { refuse } from '../../../src/base/reasons.ts';
import { requestDraining } from '../../../src/calls/streamEnd.ts';
import { localPrincipal } from '../../../src/security/principal.ts';
import type { SkillCall } from '../../../src/skills/skill.ts';
import type { RegisteredAgentWithCard } from '../../../src/wire/agents.ts';

const agent = { id: 'worker' } as RegisteredAgentWithCard;
const ended = (state: 'completed' | 'failed', data: unknown[] = []): RemoteReport => ({
  ...{ taskId: 't1', artifacts: [], status: { state, text: '', data } },
});

/** A delegation to an agent that does what a test says, and what is kept of it. */
function delegation(remote: Partial<RemoteAgent>, request: Partial<DelegateRequest> = {}, timeoutMs = 5_000) {
  const stop = new AbortController();
  const told: string[] = [];
  const cancelled: string[] = [];
  let left = 0;
  const beside = () => async () => {};
  const parts = {
    delegations: {
      ...{ begin: beside, following: beside, resting: beside, sendingAgain: beside, answering: beside },
      leave: async () => {
        left += 1;
      },
    },
    connect: async (): Promise<RemoteAgent> => ({
      send: () => (async function* () {})(),
      cancel: async (id) => void cancelled.push(id),
      ...remote,
    }),
    ...{ timeoutMs, answerMs: 1_000, maxArtifactBytes: 1_000, logger: pino({ level: 'silent' }) },
    ...{ uuid: () => crypto.randomUUID(), now: Date.now },
  } as unknown as JourneyParts;
  const message = { messageId: 'm', parts: [Part.fromJSON({ text: 'go' })] } as Message;
  const call: SkillCall = {
    ...{ principal: localPrincipal, signal: stop.signal, taskId: 'task', contextId: 'c', message },
    tell: (text) => void told.push(text),
    publish() {},
    alongside() {},
    kept: async () => {},
  };
  const asked = { request: { message: 'go', ...request } as DelegateRequest, hops: [] };
  const outcome = new Journey(parts, call, asked).begin(agent);
  outcome.catch(() => {});
  return { outcome, stop, told, cancelled, left: () => left };
}

const until = async (condition: () => boolean) => {
  for (const end = Date.now() + 5_000; !condition(); await sleep(1))
    if (Date.now() > end) throw new Error('It never was');
};
const silent = (_message: Outgoing, signal: AbortSignal) =>
  (async function* (): AsyncGenerator<RemoteReport, void> {
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  })();
const reason = (error: { data: { reason: string } }) => error.data.reason;

test('a delegation takes no longer than the operator allows, whatever its deadline', async () => {
  const { outcome } = delegation({ send: silent }, { deadline: '2100-01-01T00:00:00Z' }, 30);
  await expect(outcome.catch(reason)).resolves.toBe('delegation-deadline');
});

test('of a message that was not answered yet the task is looked for, and cancelled at the agent', async () => {
  const sent: string[] = [];
  const { outcome, stop, cancelled } = delegation({
    send: (message, signal) => {
      sent.push(message.messageId);
      return silent(message, signal);
    },
    find: async ({ messageId }) => (messageId === sent[0] ? { taskId: 't9', artifacts: [] } : undefined),
  });
  await until(() => sent.length === 1);
  stop.abort(new Error('cancelled'));
  await expect(outcome).rejects.toThrow('cancelled');
  await until(() => cancelled.length === 1);
  expect(cancelled).toEqual(['t9']);
});

test('a delegation whose replica closes is left to another, and the agent goes on', async () => {
  const { outcome, stop, cancelled, left } = delegation({
    send: async function* () {
      yield { taskId: 't1', artifacts: [], status: { state: 'working', text: '', data: [] } };
    },
    get: (_id, signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  });
  await sleep(20);
  stop.abort(requestDraining());
  expect([await outcome, left(), cancelled]).toEqual([undefined, 1, []]);
});

test('what fails for good is tried once, and what may pass as often as it was wished', async () => {
  const attempts = (fail: () => Promise<never> | RemoteReport) => {
    let count = 0;
    const { outcome } = delegation(
      {
        send: async function* () {
          count += 1;
          yield await fail();
        },
      },
      { retry: { max: 1, backoff: 'linear' } },
    );
    return outcome.then(
      () => count,
      () => count,
    );
  };
  const error = (retryable: boolean) => [{ error: { data: { retryable } } }];
  expect(
    await Promise.all([
      attempts(() => ended('failed', error(false))),
      attempts(() => Promise.reject(refuse('agent-refused', 'no'))),
      attempts(() => Promise.reject(new TypeError('a fault'))),
      attempts(() => ended('failed', error(true))),
      attempts(() => ended('failed')),
      attempts(() => ended('completed')),
    ]),
  ).toEqual([1, 1, 1, 2, 2, 1]);
});
