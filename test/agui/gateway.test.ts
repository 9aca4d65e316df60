import { HttpAgent } from '@ag-ui/client';
import type { Event, Interrupt, RunAgentInput } from '@ag-ui/core';
import { EventSchema } from '@ag-ui/core/schemas';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { HttpAgent as EarlierHttpAgent } from 'ag-ui-client-0';
import { type AgentSkill, question, type RunningAgent, SkillError, startAgent } from '../../src/kit/index.ts';
import { useService } from '../support/setUp.ts';

const service = useService({ AGENT_ALLOW: '127.0.0.1' });

const agentOf = (id: string, description: string, tags: string[], run: AgentSkill['run']) =>
  startAgent({
    ...{ id, name: id, description, concord: { url: service.url }, onError() {} },
    skills: [{ id: tags[0] ?? id, name: description, description, tags, run }],
  });

const agents: RunningAgent[] = [];
let runsOfPainter = 0;
beforeAll(async () => {
  agents.push(
    await agentOf('painter', 'Paints flags of countries', ['flags', 'painting'], ({ text, history, tell }) => {
      runsOfPainter += 1;
      if (history.length === 0) return question('In which colours?');
      tell('mixing the colours');
      return `A flag in ${text}`;
    }),
    await agentOf('surveyor', 'Measures rivers', ['rivers'], () => ({ length: 1_233, unit: 'km' })),
    await agentOf('grumbler', 'Forecasts the weather', ['weather'], () => {
      throw new SkillError('Not on Sundays');
    }),
    await agentOf('sleeper', 'Counts sheep', ['sheep'], ({ signal }) => {
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    }),
  );
});
afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.close()));
});

const input = (said: string, more: Partial<RunAgentInput> = {}): RunAgentInput => ({
  threadId: crypto.randomUUID(),
  runId: crypto.randomUUID(),
  messages: [{ id: crypto.randomUUID(), role: 'user', content: said }],
  tools: [],
  context: [],
  ...more,
});

const post = (body: unknown, url = service.url, headers: Record<string, string> = {}) =>
  fetch(`${url}/ag-ui`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** The events of a run, each checked by the protocol's own schema. */
async function run(body: RunAgentInput): Promise<Event[]> {
  const response = await post(body);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const frames = (await response.text()).split('\n\n').filter((frame) => frame.startsWith('data: '));
  return frames.map((frame) => EventSchema.parse(JSON.parse(frame.slice('data: '.length))) as Event);
}

const typesOf = (events: Event[]) => events.map(({ type }) => String(type));
const textOf = (events: Event[]) =>
  events.flatMap((event) => (event.type === 'TEXT_MESSAGE_CONTENT' ? [event.delta] : [])).join('');
const last = (events: Event[]) => events.at(-1) as Event & Record<string, unknown>;
const interruptIn = (events: Event[]) =>
  (last(events).outcome as { interrupts: Interrupt[] } | undefined)?.interrupts[0] as Interrupt;

describe('a run', () => {
  test('is done by the agent that is meant, with its steps, its call, its state and its text', async () => {
    const events = await run(input('How long is the river? Rivers, please', { state: { theme: 'dark' } }));
    expect(typesOf(events)).toEqual([
      ...['RUN_STARTED', 'STATE_SNAPSHOT', 'STEP_STARTED', 'STATE_DELTA'],
      ...['TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END'],
      ...typesOf(events)
        .filter((type) => type === 'STATE_DELTA')
        .slice(1),
      ...['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END'],
      ...['TOOL_CALL_RESULT', 'STEP_FINISHED', 'RUN_FINISHED'],
    ]);
    expect(events[1]).toMatchObject({ snapshot: { theme: 'dark', concord: { agent: null, artifacts: [] } } });
    expect(events[4]).toMatchObject({ toolCallName: 'delegate' });
    expect(events[5]).toMatchObject({ delta: expect.stringContaining('"to":"surveyor"') });
    expect(JSON.parse(textOf(events))).toEqual({ length: 1_233, unit: 'km' });
    expect(last(events)).toMatchObject({ outcome: { type: 'success' }, result: { state: 'COMPLETED' } });
  });

  test('asks the person where the agent needs to know more, and goes on with the answer', async () => {
    const thread = { threadId: 'the flag of Atlantis' };
    const asked = await run(input('Paint flags for me', thread));
    expect(textOf(asked)).toBe('In which colours?');
    const interrupt = interruptIn(asked);
    expect(interrupt).toMatchObject({ reason: 'input_required', message: 'In which colours?' });
    const resume = [{ interruptId: interrupt.id, status: 'resolved' as const, payload: { answer: 'blue' } }];
    const done = await run(input('', { ...thread, messages: [], resume }));
    expect(textOf(done)).toBe('A flag in blue');
    expect(last(done)).toMatchObject({ outcome: { type: 'success' }, result: { taskId: interrupt.id } });
  });

  test('takes what is said next for the answer, where a front end knows no interrupts', async () => {
    const thread = { threadId: 'the flag of Lemuria' };
    const asked = await run(input('Paint flags for me', thread));
    const done = await run(input('green', thread));
    expect(textOf(done)).toBe('A flag in green');
    expect(last(done)).toMatchObject({ result: { taskId: interruptIn(asked).id } });
  });

  test('gives up what an agent waits to hear, where the person does', async () => {
    const thread = { threadId: 'the flag of Mu' };
    const asked = await run(input('Paint flags for me', thread));
    const resume = [{ interruptId: interruptIn(asked).id, status: 'cancelled' as const }];
    expect(last(await run(input('', { ...thread, messages: [], resume })))).toMatchObject({
      type: 'RUN_FINISHED',
      outcome: { type: 'cancelled' },
    });
  });

  test('of a message that has come before is the same task, and not done twice', async () => {
    const body = input('Paint flags for me');
    const before = runsOfPainter;
    const first = await run(body);
    const second = await run({ ...body, runId: 'another run' });
    expect(interruptIn(second).id).toBe(interruptIn(first).id);
    expect(runsOfPainter).toBe(before + 1);
  });

  test('goes to the agent that the front end names', async () => {
    const events = await run(input('anything at all', { forwardedProps: { agent: 'surveyor' } }));
    expect(events.find(({ type }) => type === 'STEP_STARTED')).toMatchObject({ stepName: 'surveyor' });
  });

  test('stays with the agent of the thread, where what is said is like no other', async () => {
    const thread = { threadId: 'a thread about rivers' };
    await run(input('rivers', thread));
    const events = await run(input('xyzzy', thread));
    expect(events.find(({ type }) => type === 'STEP_STARTED')).toMatchObject({ stepName: 'surveyor' });
  });

  test('says what it does not understand, where no agent can do it and it is no question either', async () => {
    const events = await run(input('xyzzy'));
    expect(events.find(({ type }) => type === 'STEP_STARTED')).toMatchObject({ stepName: 'concord' });
    expect(last(events)).toMatchObject({
      type: 'RUN_ERROR',
      message: expect.stringContaining("I don't understand: xyzzy"),
    });
  });

  test('ends by an error where the agent fails, with what it says and the reason', async () => {
    const events = await run(input('weather'));
    expect(last(events)).toMatchObject({
      type: 'RUN_ERROR',
      message: expect.stringContaining('Not on Sundays'),
      code: 'agent-failed',
    });
    expect(typesOf(events).slice(-3)).toEqual(['TOOL_CALL_RESULT', 'STEP_FINISHED', 'RUN_ERROR']);
  });

  test('of an agent that is not there ends by an error', async () => {
    const events = await run(input('anything', { forwardedProps: { agent: 'nobody-of-this-name' } }));
    expect(last(events)).toMatchObject({ type: 'RUN_ERROR', code: 'unknown-agent' });
  });

  test('does not end the task when its reader goes', async () => {
    const body = input('Count sheep, please');
    const left = new AbortController();
    const response = await fetch(`${service.url}/ag-ui`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: left.signal,
    });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let read = '';
    while (!read.includes('TOOL_CALL_END')) read += new TextDecoder().decode((await reader.read()).value);
    const [, taskId] = /"toolCallId":"([^"]+)"/.exec(read) ?? [];
    left.abort();
    const task = await rpc('GetTask', { id: taskId });
    expect(task.status.state).toBe('TASK_STATE_WORKING');
    await rpc('CancelTask', { id: taskId });
    expect(last(await run({ ...body, runId: 'again' }))).toMatchObject({ outcome: { type: 'cancelled' } });
  });
});

async function rpc(method: string, params: object) {
  const response = await fetch(`${service.url}/a2a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'A2A-Version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return ((await response.json()) as { result: { status: { state: string } } }).result;
}

describe.each([
  ['1.0', HttpAgent],
  ['0.0.59', EarlierHttpAgent as unknown as typeof HttpAgent],
])('the official client of AG-UI %s', (_version, Agent) => {
  test('runs, is asked, and goes on', async () => {
    const agent = new Agent({ url: `${service.url}/ag-ui`, threadId: crypto.randomUUID() });
    agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: 'Paint flags for me' });
    const { newMessages } = await agent.runAgent();
    expect(newMessages.find(({ content }) => content === 'In which colours?')).toBeDefined();
    expect(agent.state).toMatchObject({ concord: { agent: 'painter', task: { state: 'INPUT_REQUIRED' } } });
    const interruptId = (agent.state as { concord: { task: { id: string } } }).concord.task.id;
    const answer = await agent.runAgent({ resume: [{ interruptId, status: 'resolved', payload: 'red and gold' }] });
    expect(answer.newMessages.map(({ content }) => content)).toContain('A flag in red and gold');
    expect(agent.state).toMatchObject({ concord: { progress: 'mixing the colours', task: { state: 'COMPLETED' } } });
  });

  test('is told of a failure as one', async () => {
    const agent = new Agent({ url: `${service.url}/ag-ui`, threadId: crypto.randomUUID() });
    agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: 'weather' });
    const failures: string[] = [];
    await agent
      .runAgent({}, { onRunErrorEvent: ({ event }) => void failures.push(event.message) })
      .catch((error: Error) => failures.push(error.message));
    expect(failures.join()).toContain('Not on Sundays');
  });
});

describe('a request that is no run', () => {
  const faulty: [string, unknown, number][] = [
    ['is no JSON', 'nonsense', 400],
    ['has no messages', { threadId: 't', runId: 'r' }, 400],
    ['has no message of a person', input('', { messages: [] }), 400],
    ['says nothing', input(''), 400],
    ['has an empty thread', input('weather', { threadId: '' }), 400],
    ['has a thread of 300 characters', input('weather', { threadId: 'x'.repeat(300) }), 400],
    ['has control characters in an id', input('weather', { runId: 'a\u0007b' }), 400],
    ['names an agent by a number', input('weather', { forwardedProps: { agent: 7 } }), 400],
    [
      'answers two interrupts at once',
      input('', { resume: ['a', 'b'].map((interruptId) => ({ interruptId, status: 'resolved' as const })) }),
      400,
    ],
    ['is nested 2,000 deep', `{"threadId":${'['.repeat(2_000)}${']'.repeat(2_000)}}`, 400],
  ];
  test.each(faulty)('and %s is refused under a status', async (_what, body, status) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toHaveProperty('error');
  });

  test('is refused where an interrupt is of no task of the thread', async () => {
    const resume = [{ interruptId: 'no-such-task', status: 'resolved' as const, payload: 'x' }];
    expect(last(await run(input('', { messages: [], resume })))).toMatchObject({
      type: 'RUN_ERROR',
      code: 'unknown-interrupt',
    });
  });

  test('is told that POST is needed', async () => {
    const response = await fetch(`${service.url}/ag-ui`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });
});
