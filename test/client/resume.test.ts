import { afterEach, expect, test } from '@jest/globals';
import { type ClientOptions, connect, type SubscribeOptions } from '../../src/client/index.ts';
import { type Agent, answer, event, type Script, startAgent, stream } from './agent.ts';
import { eventually, type Following, following } from './following.ts';

const all = 'subscription { statementChanged { op } }';

let agent: Agent;
let events: Following;
let end: AbortController;
afterEach(async () => {
  end.abort();
  await agent.close();
});

/** Subscribes to an agent that answers as the script says. */
async function subscribed(script: Script, options: SubscribeOptions = {}, client: ClientOptions = {}): Promise<void> {
  agent = await startAgent({ script });
  const connected = await connect(agent.url, { retry: { attempts: 3, baseMs: 5, maxMs: 20 }, ...client });
  end = new AbortController();
  events = following(connected.subscribe(all, {}, { signal: end.signal, ...options }));
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
  expect(agent.requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '1', '1', '2', '3']);
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

test('connections that stood and are lost one after another are each made anew after the shortest delay', async () => {
  const delays: number[] = [];
  await subscribed(
    (response) => {
      stream(response);
      event(response, changed(agent.requests.length), agent.requests.length);
      response.end();
    },
    { onState: (state) => state.phase === 'waiting' && delays.push(state.delayMs) },
  );
  await events.count(6);
  expect(delays.length).toBeGreaterThanOrEqual(5);
  expect(Math.max(...delays)).toBeLessThanOrEqual(5);
});

test('a connection over which an error came is closed, though the agent leaves it open', async () => {
  const closed: number[] = [];
  await subscribed((response) => {
    const n = agent.requests.length;
    response.once('close', () => closed.push(n));
    stream(response);
    if (n === 1) event(response, refused('draining'));
    else event(response, changed(n), n);
  });
  await events.count(1);
  await eventually(() => closed.length > 0);
  expect(closed).toEqual([1]);
});

test('a subscription from the beginning of the log says so', async () => {
  await subscribed(
    (response) => {
      stream(response);
      event(response, changed(1), 1);
    },
    { after: 0 },
  );
  await events.count(1);
  expect(agent.requests.map(({ headers }) => headers['last-event-id'])).toEqual(['0']);
});

test('a snapshot that is cut off goes on in its middle, and its end is told', async () => {
  const ends: object[] = [];
  await subscribed(
    (response) => {
      stream(response);
      if (agent.requests.length === 1) {
        event(response, changed(1), '2.1.YQ');
        event(response, changed(2), '2.1.Yg');
        response.end();
        return;
      }
      event(response, changed(2), '2.1.Yg');
      event(response, changed(3), '2.1.Yw');
      event(response, { result: { snapshot: 'complete', sequence: 2, revision: 1 } }, 2);
      event(response, changed(4), 3);
    },
    { snapshot: true, onSnapshot: (end) => ends.push(end) },
  );
  await events.count(4);
  expect(events.numbers()).toEqual([1, 2, 3, 4]);
  expect(ends).toEqual([{ snapshot: 'complete', sequence: 2, revision: 1 }]);
  expect(agent.requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2.1.Yg']);
  expect(agent.requests.map(({ params }) => (params as { metadata?: object }).metadata)).toEqual(
    Array(2).fill({ snapshot: true }),
  );
});

test("another agent's ids, which don't count, are only told apart", async () => {
  const ids = ['b', 'b', 'a', '9', 'c'];
  await subscribed((response) => {
    stream(response);
    for (const [index, id] of ids.entries()) event(response, changed(index), id);
  });
  await events.count(4);
  expect(events.numbers()).toEqual([0, 2, 3, 4]);
});

test('a signal ends the wait for the next attempt, which is not made before', async () => {
  let calls = 0;
  let isWaiting = false;
  await subscribed(
    (response) => response.writeHead(503).end(),
    {
      onState: ({ phase }) => {
        isWaiting ||= phase === 'waiting';
      },
    },
    {
      retry: { attempts: 3, baseMs: 600_000, maxMs: 600_000 },
      fetch: (url, request) => {
        if (request?.method === 'POST') calls += 1;
        return fetch(url, request);
      },
    },
  );
  await eventually(() => isWaiting);
  end.abort();
  await events.ended;
  expect(calls).toBe(1);
});
