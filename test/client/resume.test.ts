import { afterEach, expect, test } from '@jest/globals';
import { connect } from '../../src/client/index.ts';
import { type Agent, answer, event, type Script, startAgent, stream } from './agent.ts';
import { type Following, following } from './following.ts';

const all = 'subscription { statementChanged { op } }';

let agent: Agent;
let events: Following;
let end: AbortController;
afterEach(async () => {
  end.abort();
  await agent.close();
});

/** Subscribes to an agent that answers as the script says. */
async function subscribed(script: Script): Promise<void> {
  agent = await startAgent({ script });
  const client = await connect(agent.url, { retry: { attempts: 3, baseMs: 5, maxMs: 20 } });
  end = new AbortController();
  events = following(client.subscribe(all, {}, { signal: end.signal }));
}

const refused = (reason: string) => ({
  error: { code: -32012, message: reason, data: { reason, retryable: true } },
});
const changed = (n: number) => ({
  result: { op: 'add', statement: { subject: { id: `urn:s${n}` } }, changeId: String(n) },
});

test('a stream that ends for a passing reason goes on behind its last event', async () => {
  await subscribed((response, { headers }, id) => {
    if (agent.requests.length === 2) return answer(response, id, refused('database-unavailable'), 400);
    const next = Number(headers['last-event-id'] ?? 0) + 1;
    stream(response);
    event(response, changed(next), next);
    const reason = ['slow-consumer', '', 'draining', 'database-unavailable'][agent.requests.length - 1];
    if (reason === undefined) return;
    event(response, refused(reason));
    response.end();
  });
  await events.count(4);
  expect(events.numbers()).toEqual([1, 2, 3, 4]);
  expect(agent.requests.map(({ headers }) => headers['last-event-id'])).toEqual([
    undefined,
    '1',
    '1',
    '2',
    '3',
  ]);
});

test('a stream goes on from where it began, if it ends before its first event', async () => {
  await subscribed((response, { headers }) => {
    stream(response, { 'Last-Event-ID': '41' });
    if (headers['last-event-id'] === '41') event(response, changed(42), 42);
    else response.end();
  });
  await events.count(1);
  expect(agent.requests).toHaveLength(2);
});

test('an agent that repeats itself is not heard twice', async () => {
  await subscribed((response) => {
    stream(response);
    for (let n = 1; n <= agent.requests.length; n++) event(response, changed(n), n);
    if (agent.requests.length < 4) response.end();
  });
  await events.count(4);
  expect(events.numbers()).toEqual([1, 2, 3, 4]);
});

test('an event that is cut into bytes arrives whole', async () => {
  await subscribed(async (response) => {
    stream(response);
    const text = `: heartbeat\r\n\r\nid: 1\r\ndata: ${JSON.stringify({ ...changed(1), note: 'Zürich 🏔' })}\r\n\r\n`;
    for (const byte of Buffer.from(text)) {
      response.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  await events.count(1);
  expect(events.numbers()).toEqual([1]);
});

test('a stream that ends for good throws its error', async () => {
  await subscribed((response) => {
    stream(response);
    event(response, changed(1), 1);
    event(response, { error: { code: -32012, message: 'gone', data: { reason: 'cursor-too-old' } } });
  });
  await expect(events.ended).rejects.toMatchObject({ reason: 'cursor-too-old', retryable: false });
  expect(events.numbers()).toEqual([1]);
});

test('a subscription that never stood is given up after the attempts of any call', async () => {
  await subscribed((response) => response.writeHead(503).end());
  await expect(events.ended).rejects.toMatchObject({ status: 503 });
  expect(agent.requests).toHaveLength(3);
});

test('one that stood waits longer for its agent than any call', async () => {
  await subscribed((response) => {
    const n = agent.requests.length;
    if (n > 1 && n < 9) return response.destroy();
    stream(response);
    event(response, changed(n), n);
    if (n === 1) response.end();
  });
  await events.count(2);
  expect(agent.requests).toHaveLength(9);
});
