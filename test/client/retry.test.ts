import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import { add, type ClientOptions, connect, KnowledgeUpdateError, TransportError } from '../../src/client/index.ts';
import { backoffMs, defaultRetry, pause, retrying } from '../../src/client/retry.ts';
import { type Agent, type AgentOptions, answer, startAgent } from './agent.ts';

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0).reverse()) await each.close();
});

const quick = { baseMs: 5, maxMs: 20 };
const patches = [add('urn:s1', 'urn:p', 'once')];

/** An agent that fails so often, in the way of `fail`, before it answers. */
async function failing(times: number, fail: NonNullable<AgentOptions['script']>): Promise<Agent> {
  const agent = await startAgent({
    script: (response, request, id) =>
      agent.requests.length <= times
        ? fail(response, request, id)
        : answer(response, id, { result: { success: true } }),
  });
  closing.push(agent);
  return agent;
}
const connected = (agent: Agent, options: ClientOptions = {}) => connect(agent.url, { retry: quick, ...options });
const keysOf = ({ requests }: Agent) =>
  new Set(requests.map(({ params }) => (params.metadata as { idempotencyKey: string }).idempotencyKey));
const unavailable: AgentOptions['script'] = (response, _request, id) =>
  answer(response, id, {
    error: { code: -32011, message: 'away', data: { reason: 'database-unavailable', retryable: true } },
  });

test('an update that fails for a passing reason is sent again under the same key', async () => {
  const agent = await failing(3, unavailable);
  const client = await connected(agent, { agentId: 'scout' });
  expect(await client.update(patches)).toMatchObject({ success: true });
  expect(agent.requests).toHaveLength(4);
  expect(keysOf(agent).size).toBe(1);
  expect([...keysOf(agent)][0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(agent.requests[0]?.params.sourceAgentId).toBe('scout');
  await client.update({ mutations: patches, metadata: { idempotencyKey: 'mine' } });
  expect(keysOf(agent)).toContain('mine');
});

test.each([
  ['a connection that is cut', (response) => response.destroy()],
  [
    'an answer that breaks off',
    (response) => {
      response.writeHead(200, { 'Content-Length': '1000' });
      response.write('{"jsonrpc"');
      setTimeout(() => response.destroy(), 10);
    },
  ],
  ['a proxy that finds no service', (response) => response.writeHead(502).end('<h1>Bad gateway</h1>')],
  [
    'a service that shuts down',
    (response, _request, id) =>
      answer(response, id, { error: { code: -32603, message: 'draining', data: { retryable: true } } }, 503),
  ],
] as [string, NonNullable<AgentOptions['script']>][])('a query is asked again after %s', async (_what, fail) => {
  const agent = await failing(2, fail);
  await (await connected(agent)).query('{ a }');
  expect(agent.requests).toHaveLength(3);
});

test('the last error is thrown when the attempts are used up', async () => {
  const agent = await failing(9, unavailable);
  const client = await connected(agent, { retry: { ...quick, attempts: 3 } });
  const error = await client.update(patches).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(KnowledgeUpdateError);
  expect(error).toMatchObject({ code: -32011, reason: 'database-unavailable', retryable: true });
  expect(agent.requests).toHaveLength(3);
});

test('what would fail again is not sent again', async () => {
  const agent = await failing(9, (response, _request, id) =>
    answer(response, id, {
      error: { code: -32011, message: 'moved on', data: { reason: 'revision-conflict' } },
    }),
  );
  const client = await connected(agent);
  await expect(client.update(patches)).rejects.toMatchObject({
    reason: 'revision-conflict',
    retryable: false,
  });
  expect(agent.requests).toHaveLength(1);
});

test('an approval is sent once, for it has no key', async () => {
  const agent = await failing(9, unavailable);
  const client = await connected(agent);
  await expect(client.review.approve('1')).rejects.toMatchObject({ retryable: true });
  expect(agent.requests).toHaveLength(1);
});

test('a signal ends the waiting, with its reason', async () => {
  const agent = await failing(9, unavailable);
  const client = await connected(agent, { retry: { baseMs: 60_000, maxMs: 60_000 } });
  await expect(client.update(patches, { signal: AbortSignal.timeout(50) })).rejects.toThrow(/timeout/);
  expect(agent.requests).toHaveLength(1);
  const reason = new Error('enough');
  await expect(client.query('{ a }', {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(agent.requests).toHaveLength(1);
});

test('an attempt that takes too long counts as failed', async () => {
  const agent = await failing(1, () => {});
  const client = await connected(agent, { timeoutMs: 1000 });
  expect(await client.update(patches)).toMatchObject({ success: true });
  expect(keysOf(agent).size).toBe(1);
  const silent = await failing(9, () => {});
  const other = await connected(silent, { retry: { attempts: 1 } });
  const error = await other.query('{ a }', {}, { timeoutMs: 50 }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TransportError);
  expect(error).toMatchObject({ reason: 'timeout', retryable: true });
});

test('what is no JSON-RPC is a transport error with its status', async () => {
  const agent = await failing(1, (response) => response.writeHead(200).end('<p>hello</p>'));
  const client = await connected(agent);
  await expect(client.query('{ a }')).rejects.toMatchObject({ reason: 'bad-answer', status: 200 });
  const closed = await failing(1, (response) => response.writeHead(403).end());
  await expect((await connected(closed)).query('{ a }')).rejects.toMatchObject({
    reason: 'http-status',
    status: 403,
    retryable: false,
  });
});

test('no error shows the token, nor does the client', async () => {
  const agent = await failing(9, (response) => response.destroy());
  const client = await connected(agent, { token: 'hush-hush', retry: { attempts: 1 } });
  const lost = await client.query('{ a }').catch((thrown: unknown) => thrown);
  expect(lost).toBeInstanceOf(TransportError);
  const odd = await connect(agent.url, { token: 'hush\nhush' }).catch((thrown: unknown) => thrown);
  expect(odd).toMatchObject({ reason: 'invalid-header' });
  expect(inspect([lost, odd, client], { depth: 10, showHidden: true })).not.toContain('hush');
});

test('the waits double up to their limit, and chance is half of each', () => {
  const waits = (random: number) => [1, 2, 3, 9].map((n) => backoffMs(n, defaultRetry, () => random));
  expect(waits(1)).toEqual([250, 500, 1000, 10_000]);
  expect(waits(0)).toEqual([125, 250, 500, 5_000]);
});

test('a pause ends with the reason of a signal that aborts meanwhile, or has aborted', async () => {
  const controller = new AbortController();
  const paused = pause(60_000, controller.signal);
  controller.abort(new Error('enough'));
  await expect(paused).rejects.toThrow('enough');
  await expect(pause(60_000, controller.signal)).rejects.toThrow('enough');
});

test('a pause that is over listens to its signal no more', async () => {
  const { signal } = new AbortController();
  const paused = pause(5, signal);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  await paused;
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  await pause(1, undefined);
});

test('no attempt is begun once patience is over', async () => {
  let attempts = 0;
  const lasting = async () => {
    attempts += 1;
    await pause(20, undefined);
    throw new TransportError('away', { reason: 'connection', retryable: true });
  };
  const settings = { ...quick, attempts: 3 };
  await expect(retrying(lasting, { ...settings, patienceMs: 5 }, undefined)).rejects.toThrow('away');
  expect(attempts).toBe(1);
  await expect(retrying(lasting, settings, undefined)).rejects.toThrow('away');
  expect(attempts).toBe(4);
});
