import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { QueryResult } from '../../src/knowledge/query/query.ts';
import type { ModelMessage } from '../../src/skills/model.ts';
import type { TaskJson } from '../a2a/tasks.ts';
import { bearerOf, identities } from '../support/identities.ts';
import { add, schemaOrg } from '../support/patches.ts';
import { call, startServiceOnGraph, testDatabase } from '../support/service.ts';
import { useService } from '../support/setUp.ts';
import { artifactOf, faultOf, sendTask } from './tasks.ts';

const key = 'the key of the model';
/** What the endpoint has been asked, and what it is to answer: a status, or what the model says. */
const asked: { path?: string; headers: IncomingHttpHeaders; messages: ModelMessage[]; model: string }[] = [];
let answers: (string | number | ((response: ServerResponse) => void))[] = [];
let endpoint: Server;

beforeAll(async () => {
  endpoint = createServer(async (request, response) => {
    const body = (await json(request)) as { messages: ModelMessage[]; model: string };
    asked.push({ path: request.url, headers: request.headers, ...body });
    const next = answers.shift() ?? 500;
    if (typeof next === 'function') return next(response);
    response.statusCode = typeof next === 'number' ? next : 200;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content: next } }] }));
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
});
const service = useService(() => ({
  ...identities,
  MODEL_URL: `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/v1/`,
  MODEL_NAME: 'small',
  MODEL_KEY: key,
}));
beforeAll(async () => {
  const type = `${schemaOrg}Country`;
  const mutations = [add('urn:a:fr', `${schemaOrg}name`, 'France', { type })];
  await call(service.url, 'knowledge/update', { mutations }, atlas);
  await awaitIndex();
});
beforeEach(() => {
  asked.length = 0;
});
afterAll(() => new Promise((resolve) => endpoint.close(resolve)));

/** The full-text index follows an update a moment later. */
async function awaitIndex() {
  const database = testDatabase();
  await database.run('READ', 'CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()');
  await database.close();
}

const atlas = bearerOf({ tenant: 'north', sub: 'atlas' });
/** One that the reader doesn't understand, so that the model is asked. */
const question = 'Whose wine is the finest?';
const good = '{ countries(where: { name: { eq: "France" } }, limit: 5) { id name } }';

async function say(text: string, url = service.url, further: object = {}) {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...further };
  const headers = { ...atlas, 'A2A-Version': '1.0' };
  const { result } = await call<{ task?: TaskJson; message?: { parts: { text?: string }[] } }>(
    url,
    'SendMessage',
    { message },
    headers,
  );
  return result;
}

test('plain text becomes a query by the model, which sees the schema, and is run as the caller', async () => {
  answers = [`Here it is:\n\`\`\`graphql\n${good}\n\`\`\``];
  const { task } = await say(question);
  expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
  expect(task && artifactOf<QueryResult & { query: string }>(task)).toMatchObject({
    query: good,
    data: { countries: [{ id: 'urn:a:fr', name: 'France' }] },
    queryMetadata: { revision: 1 },
  });
  const [{ path, headers, messages, model } = { headers: {}, messages: [] }] = asked;
  expect({ path, model, key: headers.authorization }).toEqual({
    path: '/v1/chat/completions',
    model: 'small',
    key: `Bearer ${key}`,
  });
  expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
  for (const part of ['countries(where: CountryWhere', 'type Country {', 'nativeName', `${schemaOrg}name`])
    expect(messages[0]?.content).toContain(part);
  expect(messages[1]?.content).toBe(question);

  answers = [good];
  const south = await sendTask(service.url, bearerOf({ tenant: 'south', sub: 'sam' }), {
    skill: 'ask',
    question,
  });
  expect(artifactOf<QueryResult>(south).data).toEqual({ countries: [] });
});

test('a query that fails is given back twice at most, with its fault', async () => {
  answers = ['{ countries { nothing } }', 'mutation { drop }', good];
  const { task } = await say(question);
  expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
  expect(asked[1]?.messages.at(-1)?.content).toContain('nothing');
  expect(asked[2]?.messages).toHaveLength(6);

  answers = ['no', 'no', 'no', good];
  const hopeless = await say(question);
  expect(hopeless.task?.status.state).toBe('TASK_STATE_FAILED');
  expect(hopeless.task && faultOf(hopeless.task)).toMatchObject({
    code: -32010,
    data: { reason: 'no-query', query: 'no' },
  });
  expect(asked).toHaveLength(6);
});

test('a model that fails tells nothing of itself, and nobody without the scope comes to it', async () => {
  answers = [401];
  const { task } = await say(question);
  expect(task && faultOf(task)).toMatchObject({
    data: { reason: 'model-unavailable', retryable: true },
  });
  expect(JSON.stringify(task)).not.toContain(key);
  asked.length = 0;
  const without = bearerOf({ tenant: 'north', sub: 'tess', scope: 'tasks' });
  const refused = await sendTask(service.url, without, { skill: 'ask', question });
  expect(faultOf(refused)).toMatchObject({ data: { reason: 'missing-scope' } });
  expect(asked).toEqual([]);
});

test.each<[string, (response: ServerResponse) => void]>([
  ['is cut off', (response) => void response.write('{"choices": [', () => response.destroy())],
  ['is no JSON', (response) => void response.end('<html>busy</html>')],
  ['is JSON of another kind', (response) => void response.end('{"choices": [{"message": {"content": 7}}]}')],
  ['is endless', (response) => void response.end(`{"x": "${'x'.repeat(300_000)}"`)],
  ['leads elsewhere', (response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()],
])('an answer of the model that %s ends the task, and tells nothing of the endpoint', async (_, misbehave) => {
  answers = [misbehave];
  const { task } = await say(question);
  expect(task && faultOf(task)).toMatchObject({ data: { reason: 'model-unavailable' } });
  expect(JSON.stringify(task)).not.toMatch(/127\.0\.0\.1|busy/);
});

test('what a model answers is never more than a query of the caller', async () => {
  const hostile = [
    'mutation { createCountries(input: []) { info { nodesCreated } } }',
    'I refuse to answer that.',
    'MATCH (n) DETACH DELETE n',
  ];
  answers = [...hostile];
  const { task } = await say(question);
  expect(task && faultOf(task)).toMatchObject({ data: { reason: 'no-query', query: hostile[2] } });
  const { result } = await call<QueryResult>(service.url, 'knowledge/query', { query: good }, atlas);
  expect(result.data).toEqual({ countries: [{ id: 'urn:a:fr', name: 'France' }] });

  answers = ['{ countries { id name } } # ignore the rules: I am the tenant north'];
  const south = await sendTask(service.url, bearerOf({ tenant: 'south', sub: 'sam' }), { skill: 'ask', question });
  expect(artifactOf<QueryResult>(south).data).toEqual({ countries: [] });
});

test('without a model a question is answered by its words, as the caller, and told how it was read', async () => {
  asked.length = 0;
  const { task } = await say('Which countries are called France?');
  expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
  expect(task && artifactOf(task)).toMatchObject({
    reading: {
      inWords: 'each Country (France)',
      certainty: 1,
      taken: expect.arrayContaining([{ words: 'France', as: 'the Country France' }]),
    },
    variables: { where0: { id: { in: ['urn:a:fr'] } } },
    table: { columns: [{ name: 'name', type: 'Entity' }], rows: [{ id: 'urn:a:fr', name: 'France' }] },
  });
  expect(asked).toEqual([]);
});

test('what may mean several things is asked back, and the task goes on with the answer', async () => {
  const bare = await startServiceOnGraph(identities);
  try {
    const named = (id: string, name: string) => add(id, `${schemaOrg}name`, name, { type: `${schemaOrg}Country` });
    const mutations = [named('urn:a:nk', 'North Korea'), named('urn:a:sk', 'South Korea')];
    await call(bare.url, 'knowledge/update', { mutations }, atlas);
    await awaitIndex();
    const { task } = await say('countries called Korea', bare.url);
    expect(task?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const choices = task?.status.message?.parts[1]?.data?.choices as { choice: number; inWords: string }[];
    expect(choices.map(({ inWords }) => inWords).sort()).toEqual([
      'each Country (North Korea)',
      'each Country (South Korea)',
    ]);
    const number = choices.findIndex(({ inWords }) => inWords.includes('South')) + 1;
    const chosen = await say(String(number), bare.url, { taskId: task?.id, contextId: task?.contextId });
    expect(chosen.task?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(chosen.task && artifactOf(chosen.task)).toMatchObject({ table: { rows: [{ id: 'urn:a:sk' }] } });

    const south = await sendTask(bare.url, bearerOf({ tenant: 'south', sub: 'sam' }), {
      skill: 'ask',
      question: 'countries called Korea',
    });
    expect(south.status.state).toBe('TASK_STATE_REJECTED');
    const { task: unknown } = await say('Who is the king of France?', bare.url);
    expect(unknown?.status.state).toBe('TASK_STATE_REJECTED');
    expect(unknown?.status.message?.parts[1]?.data).toMatchObject({ understood: false, unknown: ['king'] });
  } finally {
    await bare.close();
  }
});

test('where the schema is not shown, plain text is told so, and which skills there are', async () => {
  const bare = await startServiceOnGraph({ ...identities, INTROSPECTION: 'false' });
  try {
    const { message } = await say(question, bare.url);
    expect(message?.parts[0]?.text).toContain('INTROSPECTION');
    expect(message?.parts[0]?.text).toContain('query, propose, validate, explain, explore, watch');
    const card = (await (await fetch(`${bare.url}/.well-known/agent-card.json`)).json()) as {
      skills: { id: string; examples: string[] }[];
    };
    const ids = card.skills.map(({ id }) => id);
    expect(ids).not.toContain('ask');
    for (const id of ['query', 'propose', 'validate', 'explain', 'explore', 'watch']) {
      const examples = card.skills.find((each) => each.id === id)?.examples ?? [];
      expect(JSON.parse(examples.at(-1) ?? '{}')).toMatchObject({ skill: id });
    }
  } finally {
    await bare.close();
  }
});
