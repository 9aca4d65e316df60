import type { SendMessageRequest } from '@a2a-js/sdk';
import type { A2ARequestHandler, TaskStore } from '@a2a-js/sdk/server';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { guarded } from '../../../src/a2a/handler/guard.ts';
import { contextOf } from '../../../src/a2a/protocol/callContext.ts';
import { stateIn } from '../../../src/calls/callState.ts';
import { Slots } from '../../../src/calls/slots.ts';
import { CallerGone } from '../../../src/calls/streamEnd.ts';
import { localPrincipal } from '../../../src/security/principal.ts';
import { byName, message, message03, type TaskJson, testSkills } from '../tasks.ts';
import { type Answer, call, json, startTestService, type TestService } from '../testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    skills: testSkills().skills,
    a2a: { authenticate: byName, card: { queryLanguages: ['graphql'], identities: true } },
  });
});
afterAll(() => service.close());

const as = (name: string, method: string, params?: object, headers: object = { 'A2A-Version': '1.0' }) =>
  json<Answer>(
    service.post(call(method, params), {
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${name}`, ...headers },
    }),
  );
const taskOf = ({ result }: Answer) => result.task as TaskJson;

test("a task is there for the agent that began it, and for no other agent or tenant's agent", async () => {
  const { id } = taskOf(await as('ana', 'SendMessage', message({ skill: 'ask' })));
  for (const other of ['bob', 'ana_south']) {
    for (const method of ['GetTask', 'CancelTask', 'SubscribeToTask']) {
      expect([other, method, (await as(other, method, { id })).error.code]).toEqual([other, method, -32001]);
    }
    const params = message({ skill: 'ask' }, { taskId: id });
    expect((await as(other, 'SendMessage', params)).error.code).toBe(-32001);
    expect((await as(other, 'tasks/get', { id }, {})).error.code).toBe(-32001);
    expect((await as(other, 'ListTasks', {})).result.tasks).toEqual([]);
  }
  expect((await as('ana', 'GetTask', { id })).result).toMatchObject({ id });
});

test.each(['GetTask', 'SendMessage', 'SendStreamingMessage', 'ListTasks'])(
  '%s for another tenant is refused and not believed',
  async (method) => {
    const params = { tenant: 'south', id: 'x', ...message({ skill: 'echo' }) };
    expect((await as('ana', method, params)).error).toMatchObject({
      code: -32600,
      data: { reason: 'foreign-tenant' },
    });
  },
);

test('a caller may name its own tenant', async () => {
  const params = { tenant: 'north', ...message({ skill: 'echo' }) };
  expect(taskOf(await as('ana', 'SendMessage', params)).status.state).toBe('TASK_STATE_COMPLETED');
});

test('a caller without the scope tasks has none, in either version', async () => {
  const refusals = [
    await as('reader', 'SendMessage', message({ skill: 'echo' })),
    await as('reader', 'message/send', message03({ skill: 'echo' }), {}),
    await as('reader', 'ListTasks', {}),
  ];
  for (const { error } of refusals) {
    expect(error).toMatchObject({ code: -32600, data: { reason: 'missing-scope' } });
  }
});

test('the extended card tells a caller what it is here, and shows what it may ask for', async () => {
  const { result } = await as('reader', 'GetExtendedAgentCard');
  expect(result).toMatchObject({
    skills: [{ id: 'query' }],
    securitySchemes: { bearer: {}, apiKey: {} },
    capabilities: {
      extendedAgentCard: true,
      extensions: [
        {
          params: { caller: { tenant: 'north', agentId: 'reader', scopes: ['knowledge:query'] } },
        },
      ],
    },
  });
  const old = await as('ana', 'agent/getAuthenticatedExtendedCard', {}, {});
  expect(old.result).toMatchObject({ protocolVersion: '0.3', supportsAuthenticatedExtendedCard: true });
  const open = await json<Record<string, unknown>>(fetch(`${service.listening.url}/.well-known/agent-card.json`));
  expect(JSON.stringify(open)).not.toContain('"caller"');
});

const unexpected = async () => {
  throw new Error('This is not to be called');
};
const handlerOfNothing = {
  getAuthenticatedExtendedAgentCard: unexpected,
  getTask: unexpected,
  listTasks: unexpected,
  cancelTask: unexpected,
  getTaskPushNotificationConfig: unexpected,
  listTaskPushNotificationConfigs: unexpected,
  deleteTaskPushNotificationConfig: unexpected,
} as unknown as A2ARequestHandler;

/** The guard before a handler of the test's own, and what it gives back. */
function guard(handler: Partial<A2ARequestHandler>) {
  const released: string[] = [];
  const slots = () => new Slots({ what: 'tasks', perAgent: 1, inAll: 1 });
  const guards = guarded({
    handler: { ...handlerOfNothing, ...handler },
    taskStore: { load: async () => undefined } as unknown as TaskStore,
    claims: { release: async (taskId) => void released.push(taskId) },
    tasks: slots(),
    streams: slots(),
    maxHistory: 10,
    maxHistoryBytes: 1_000,
    requireReceiver: async () => {},
    changesNothing: () => false,
    failed: () => {},
  });
  const controller = new AbortController();
  const context = contextOf({ principal: localPrincipal, signal: controller.signal }, '1.0');
  return { guards, context, controller, released };
}
const request = { tenant: '', message: { taskId: 'waits' } } as SendMessageRequest;

test('the turn that a message has taken is given back where nothing is executed by it', async () => {
  const { guards, context, released } = guard({
    sendMessage: async (_params, context) => {
      stateIn(context).turn = 'taken';
      throw new Error('the executor is away');
    },
  });
  await expect(guards.sendMessage(request, context)).rejects.toThrow('the executor is away');
  expect(released).toEqual(['waits']);
});

test('what was not taken is not given back', async () => {
  const fail = async () => {
    throw new Error('it is not known');
  };
  const { guards, context, released } = guard({ sendMessage: fail });
  await expect(guards.sendMessage(request, context)).rejects.toThrow('it is not known');
  expect(released).toEqual([]);
});

test('a stream ends in silence for a caller that has gone, and else says why', async () => {
  const forEver = {
    resubscribe: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }),
  };
  const ended = async (reason: Error) => {
    const { guards, context, controller } = guard(forEver as unknown as A2ARequestHandler);
    const step = guards.resubscribe({ tenant: '', id: 't' }, context).next();
    controller.abort(reason);
    return step;
  };
  expect(await ended(new CallerGone())).toEqual({ done: true, value: undefined });
  await expect(ended(new Error('draining'))).rejects.toThrow('draining');
});
