import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { agentForIntent } from '../../src/agui/choosing.ts';
import type { Call } from '../../src/calls/call.ts';
import { readConfig } from '../../src/config/config.ts';
import { configuredModel } from '../../src/questions/model/chatModel.ts';
import type { ModelMessage } from '../../src/questions/model/model.ts';
import { createInstruments } from '../../src/telemetry/instruments.ts';
import type { AgentStatus, FoundAgent } from '../../src/wire/agents.ts';
import { listening } from '../client/listening.ts';

const agent = (id: string, status: AgentStatus = 'up', matchingSkills = ['paint']) =>
  ({
    ...{ id, name: id, description: 'd'.repeat(600), status, matchingSkills },
    skills: Array.from({ length: 25 }, (_, n) => ({
      id: `${id}${n}`,
      name: '',
      description: 'd'.repeat(600),
      tags: [],
    })),
  }) as unknown as FoundAgent;

interface World {
  found?: FoundAgent[];
  listed?: FoundAgent[];
  model?: (messages: ModelMessage[], signal: AbortSignal) => Promise<string>;
}

/** The agent for a text, and what the registry and the model were asked. */
async function chosen(text: string, { found = [], listed = [], model }: World, stop = new AbortController()) {
  const asked: { words?: string; first?: number }[] = [];
  const told: { question: string; agents: { id: string; description: string; skills: { description: string }[] }[] }[] =
    [];
  const method = (agents: FoundAgent[]) => async (params: unknown) => {
    asked.push(params as { words?: string });
    return { agents };
  };
  const id = await agentForIntent(
    {
      find: method(found),
      list: method(listed),
      model:
        model &&
        (async (messages, { signal }) => {
          told.push(JSON.parse(messages[1]?.content ?? ''));
          return { text: await model(messages, signal), isCut: false, refuses: false };
        }),
      logger: pino({ level: 'silent' }),
    },
    text,
    { principal: { tenant: 'blue' }, signal: stop.signal } as Call,
  );
  return { id, asked, told };
}

test('without a model the likest agent is chosen that is not down, and none of which no skill is like it', async () => {
  const found = [agent('down', 'down'), agent('words only', 'up', []), agent('second')];
  expect(await chosen('paint it', { found })).toMatchObject({
    id: 'second',
    asked: [{ words: 'paint it', first: 20 }],
  });
  expect((await chosen('paint it', { found: found.slice(0, 1) })).id).toBe('down');
  expect((await chosen('paint it', { found: found.slice(1, 2) })).id).toBeUndefined();
});

test('of a long text the words at its beginning are looked for, none of them cut', async () => {
  const { asked } = await chosen(`${'word '.repeat(39)}${'x'.repeat(10)} end`, {});
  expect(asked[0]?.words).toBe('word '.repeat(39).trimEnd());
  expect((await chosen('y'.repeat(300), {})).asked[0]?.words).toBe('y'.repeat(100));
  expect((await chosen('z'.repeat(200), {})).asked[0]?.words).toBe('z'.repeat(200));
  expect((await chosen('?! …', { found: [agent('a')] })).asked).toEqual([]);
});

test('a model chooses among what is found, else among all; it is told of them, and of the question, in bounds', async () => {
  const found = [agent('a'), agent('b')];
  const { id, told } = await chosen('q'.repeat(3_000), { found, model: async () => ' `b`.\n' });
  expect(id).toBe('b');
  expect(told[0]?.question).toHaveLength(2_000);
  expect(told[0]?.agents.map((each) => [each.id, each.description.length, each.skills.length])).toEqual([
    ['a', 500, 20],
    ['b', 500, 20],
  ]);
  expect(told[0]?.agents[0]?.skills[0]?.description).toHaveLength(500);
  const listed = await chosen('anything', { listed: found, model: async () => 'a' });
  expect([listed.id, listed.asked.length]).toEqual(['a', 2]);
  const nothing = await chosen('anything', { model: async () => 'a' });
  expect([nothing.id, nothing.told]).toEqual([undefined, []]);
});

test('a model that says nobody is believed; one that makes an agent up, or is away, is passed over', async () => {
  const found = [agent('a')];
  expect((await chosen('paint it', { found, model: async () => 'nobody' })).id).toBeUndefined();
  expect((await chosen('paint it', { found, model: async () => 'eve' })).id).toBe('a');
  expect((await chosen('paint it', { found, model: () => Promise.reject(new Error('away')) })).id).toBe('a');
});

test('who has gone while the model thinks has no agent chosen', async () => {
  const stop = new AbortController();
  const model = () => {
    stop.abort(new Error('gone'));
    return Promise.reject(new Error('away'));
  };
  await expect(chosen('paint it', { found: [agent('a')], model }, stop)).rejects.toThrow('gone');
});

test('a model behind an endpoint as OpenAI has it chooses; where that is away or talks nonsense the likest does it', async () => {
  const asked: { path: string | undefined; key: string | undefined; body: { model: string; messages: object[] } }[] =
    [];
  const answers = [{ choices: [{ message: { role: 'assistant', content: '"b"' } }] }, { choices: [] }, 500];
  const server = createServer(async (request, response) => {
    const { url: path, headers } = request;
    asked.push({ path, key: headers.authorization, body: JSON.parse(await text(request)) });
    const answer = answers.shift();
    response.statusCode = typeof answer === 'number' ? answer : 200;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  const { url, close } = await listening(server);
  const config = readConfig({ MODEL_URL: `${url}/v1`, MODEL_NAME: 'small', MODEL_KEY: 'secret' });
  const configured = configuredModel(config, { instruments: createInstruments(), rates: undefined });
  if (!configured) throw new Error('There is no model');
  const model = async (messages: ModelMessage[], signal: AbortSignal) =>
    (await configured(messages, { principal: { tenant: 'blue', scopes: new Set() }, signal })).text;
  const found = [agent('a'), agent('b')];
  const ids: (string | undefined)[] = [];
  for (let times = 0; times < 3; times++) ids.push((await chosen('paint it', { found, model })).id);
  server.closeAllConnections();
  await close();
  ids.push((await chosen('paint it', { found, model })).id);
  expect(ids).toEqual(['b', 'a', 'a', 'a']);
  expect(asked[0]).toMatchObject({ path: '/v1/chat/completions', key: 'Bearer secret', body: { model: 'small' } });
  expect(asked[0]?.body.messages).toMatchObject([{ role: 'system' }, { role: 'user' }]);
});
