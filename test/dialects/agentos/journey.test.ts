import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Service } from '../../../src/service/startService.ts';
import { eventually } from '../../a2a/testService.ts';
import { bearerOf, identities } from '../../support/identities.ts';
import { add, schemaOrg } from '../../support/patches.ts';
import { call, startTestService } from '../../support/service.ts';
import { type AgentSocket, openSocket, run } from './client.ts';
import { check } from './schemas.ts';

let service: Service;
const headers = bearerOf({ tenant: 'north', sub: 'ana' });
const others = bearerOf({ tenant: 'south', sub: 'ana' });
const opened: AgentSocket[] = [];

beforeAll(async () => {
  service = await startTestService({ ...identities, TENANTS: 'north,south', AGENT_TRUST: 'rumour=0.2' });
});
afterAll(async () => {
  for (const { ws } of opened) ws.terminate();
  await service?.close();
});

const at = (agent: string) => `${service.url}/a2a/${agent}`;
const naming = (subject: string, name: string) => ({ mutations: [add(subject, `${schemaOrg}name`, name)] });
const dataOf = <Data>({ result }: Awaited<ReturnType<typeof run>>) => result?.artifacts[0]?.parts[0]?.data as Data;

async function open(agent: string, as = headers): Promise<AgentSocket> {
  const socket = await openSocket(at(agent), as);
  opened.push(socket);
  return socket;
}

const a2a = <Result>(method: string, params: object, as = headers) =>
  call<Result>(service.url, method, params, { 'A2A-Version': '1.0', ...as });

test('each skill is an agent that is asked by the words of its task', async () => {
  const proposed = await run(
    at('propose'),
    { task: 'Read in the atlas', context: naming('urn:ch', 'Switzerland') },
    headers,
  );
  expect(proposed.result).toMatchObject({ content: 'Verified', task: { state: 'completed' } });
  const query = '{ entities { id statements { object { value } } } }';
  expect(dataOf(await run(at('query'), { task: query }, headers))).toMatchObject({
    data: { entities: [{ id: 'urn:ch', statements: [{ object: { value: 'Switzerland' } }] }] },
  });
  type History = { versions: { update: { justification: string; taskId: string } }[] };
  const { versions } = dataOf<History>(await run(at('explain'), { task: 'urn:ch' }, headers));
  expect(versions[0]?.update).toMatchObject({ justification: 'Read in the atlas', taskId: proposed.result?.task?.id });
  const found = await run(at('explore'), { task: 'name of a place' }, headers);
  expect(dataOf(found)).toMatchObject({ predicates: expect.any(Array) });
  expect(dataOf(await run(at('query'), { task: query }, others))).toMatchObject({ data: { entities: [] } });
});

test('a proposal that is sent again with its request id is applied once', async () => {
  const sent = { task: 'x', context: { request_id: 'req-1', ...naming('urn:once', 'once') } };
  const [one, other] = await Promise.all([run(at('propose'), sent, headers), run(at('propose'), sent, headers)]);
  const again = await run(at('propose'), sent, headers);
  type Verdict = { updateId: string; revision: number };
  const verdicts = [one, other, again].map((each) => dataOf<Verdict>(each));
  expect(new Set(verdicts.map(({ updateId }) => updateId)).size).toBe(1);
  expect(new Set(verdicts.map(({ revision }) => revision)).size).toBe(1);
  const elsewhere = await run(at('propose'), sent, others);
  expect(dataOf<Verdict>(elsewhere).updateId).not.toBe(verdicts[0]?.updateId);
});

test('a proposal that is held waits for input, which another run of its task may be', async () => {
  const rumour = bearerOf({ tenant: 'north', sub: 'rumour' });
  const { result } = await run(at('propose'), { task: 'x', context: naming('urn:held', 'x') }, rumour);
  expect(result).toMatchObject({
    content: expect.stringContaining('Held for review'),
    task: { state: 'input-required' },
  });
  const id = result?.task?.id;
  const again = { task: 'x', context: { task_id: id, ...naming('urn:held', 'y') } };
  expect((await run(at('propose'), again, others)).error?.code).toBe(-32001);
  expect((await run(at('propose'), again, rumour)).result?.task).toMatchObject({ id, state: 'input-required' });
  const { result: task } = await a2a<{ artifacts: object[] }>('GetTask', { id }, rumour);
  expect(task.artifacts).toHaveLength(2);
});

test("the cards' parameter schemas take what the skills take, and refuse what they refuse", async () => {
  const cardOf = async (agent: string) => (await fetch(`${at(agent)}/.well-known/agent-card.json`)).json();
  type Card = { skills: { name: string; parameters: { examples: object[] } }[] };
  const card = (await cardOf('concord')) as Card;
  check('card', card);
  const ajv = new Ajv2020({ strictTypes: false, formats: { 'date-time': true, date: true } });
  const statement = { subject: { id: 'urn:a' }, predicate: { id: 'urn:p' }, object: { value: 1, id: 'urn:b' } };
  const inputs: Record<string, object[]> = {
    query: [
      { query: '{ entities { id } }', requiredCertainty: 2 },
      { query: '' },
      { query: '{ entities { id } }', more: 1 },
    ],
    propose: [{ mutations: [{ op: 'add', statement }] }, { mutations: [] }, { ...naming('urn:a', 'a'), more: 1 }],
    validate: [{ mutations: [{ op: 'put' }] }, naming('urn:a', 'a')],
    explain: [{ subject: '' }, { subject: 'urn:a', first: 0 }, { subject: 'urn:a', first: null }],
    ask: [{ question: '' }, { question: 'x', more: 1 }],
    explore: [{ text: '?' }, { text: 'x', first: 101 }, { text: 'x', first: 1.5 }],
    watch: [{ subscriptionQuery: 'subscription { statementChanged { op } }', metadata: { since: 'now' } }],
    delegate: [{ message: 'x' }, { to: 'a', priority: 'soon' }, { to: 'a', message: 'x', retry: { max: 11 } }],
    coordinate: [
      {},
      { steps: [] },
      { steps: [{ agent: 'b' }] },
      { steps: [{ id: 'a', agent: 'b' }], deadline: 'soon' },
    ],
  };
  expect(card.skills.map(({ name }) => name).sort()).toEqual(Object.keys(inputs).sort());
  for (const { name, parameters } of card.skills) {
    const takes = ajv.compile(parameters);
    for (const input of [...parameters.examples, ...(inputs[name] ?? [])]) {
      const { error } = await run(at('concord'), { task: 'x', context: { skill: name, ...input } }, headers);
      // The agents that an example names aren't here.
      const isElsewhere = error?.data.reason === 'workflow-invalid' && parameters.examples.includes(input);
      const isRefused = error?.code === -32600 && !isElsewhere;
      expect([name, input, takes(input)]).toEqual([name, input, !isRefused]);
    }
  }
  const { result } = await a2a<{ tasks: { id: string }[] }>('ListTasks', { status: 'TASK_STATE_WORKING' });
  for (const { id } of result.tasks) await a2a('CancelTask', { id });
});

test('a watch is answered at once, and followed and cancelled over A2A; over a socket its changes come as progress', async () => {
  const task = 'subscription { statementChanged { op } }';
  const { result } = await run(at('watch'), { task }, headers);
  expect(['submitted', 'working']).toContain(result?.task?.state);
  const socket = await open('watch');
  const watching = socket.call('run', { task }, 'w');
  await eventually(() => socket.notifications.some(({ params }) => String(params.content).startsWith('Watching')));
  await run(at('propose'), { task: 'x', context: naming('urn:watched', 'x') }, headers);
  await eventually(() => socket.notifications.some(({ params }) => params.artifact !== undefined));
  await socket.call('cancel', { run: 'w' });
  expect((await watching).error?.data.reason).toBe('task-cancelled');
  const id = result?.task?.id;
  expect((await a2a('CancelTask', { id }, others)).error?.code).toBe(-32001);
  const cancelled = await a2a<{ status: { state: string } }>('CancelTask', { id });
  expect(cancelled.result.status.state).toBe('TASK_STATE_CANCELED');
});

test('events of the graph are those of the caller’s tenant, and are resumed after a cursor', async () => {
  const [socket, stranger] = [await open('concord'), await open('concord', others)];
  const subscriptionQuery = 'subscription { statementChanged { op } }';
  const { result } = await socket.call<{ cursor: string }>('subscribe', { subscriptionQuery });
  await stranger.call('subscribe', { subscriptionQuery });
  await run(at('propose'), { task: 'x', context: naming('urn:event', 'first') }, headers);
  await run(at('propose'), { task: 'x', context: naming('urn:event', 'second') }, headers);
  const values = ({ notifications }: AgentSocket) =>
    notifications.map(({ params }) => (params.event as { statement: { object: object } }).statement.object);
  await eventually(() => socket.notifications.length === 2);
  expect(values(socket)).toMatchObject([{ value: 'first' }, { value: 'second' }]);
  const later = await open('concord');
  const metadata = { afterSequence: Number(socket.notifications[0]?.params.cursor) };
  await later.call('subscribe', { subscriptionQuery, metadata });
  await eventually(() => later.notifications.length === 1);
  expect(values(later)).toMatchObject([{ value: 'second' }]);
  expect(Number(result?.cursor)).toBeLessThan(metadata.afterSequence);
  expect(stranger.notifications).toEqual([]);
  const refused = await socket.call('subscribe', { subscriptionQuery: 'nonsense' });
  expect(refused.error?.code).toBe(-32012);
  const reader = await open('concord', bearerOf({ tenant: 'north', sub: 'bob', scope: 'tasks' }));
  expect((await reader.call('subscribe', { subscriptionQuery })).error?.data.reason).toBe('missing-scope');
});
