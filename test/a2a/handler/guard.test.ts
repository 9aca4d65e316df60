import { afterAll, beforeAll, expect, test } from '@jest/globals';
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
