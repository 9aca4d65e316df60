import type { Part } from '@a2a-js/sdk';
import { expect, test } from '@jest/globals';
import { Following } from '../../../src/agents/delegation/following.ts';
import { unreachable } from '../../../src/agents/delegation/protocols/failures.ts';
import type { Outgoing, RemoteAgent, RemoteReport } from '../../../src/agents/delegation/protocols/remoteAgent.ts';

const message: Outgoing = { messageId: 'm', conversation: 'c', parts: [], metadata: {} };
const working = (text = ''): RemoteReport => ({
  taskId: 't1',
  artifacts: [],
  status: { state: 'working', text, data: [] },
});
const completed: RemoteReport = { taskId: 't1', artifacts: [], status: { state: 'completed', text: '', data: [] } };
const textPart = (value: string) => ({ content: { $case: 'text', value } }) as Part;
const made = (id: string, text: string, append = false): RemoteReport => ({
  taskId: 't1',
  artifacts: [{ id, name: '', description: '', append, parts: [textPart(text)] }],
});

async function* saying(...reports: RemoteReport[]): AsyncGenerator<RemoteReport, void> {
  yield* reports;
}

function following(remote: Partial<RemoteAgent>, more: { answerMs?: number; maxArtifactBytes?: number } = {}) {
  const begun: string[] = [];
  const told: string[] = [];
  const published: { id: string; append: boolean }[] = [];
  const follows = new Following({
    remote: { send: () => saying(), ...remote },
    signal: new AbortController().signal,
    ...{ answerMs: 5_000, maxArtifactBytes: 1_000_000, ...more },
    begun: (id) => begun.push(id),
    publish: ({ id, append }) => published.push({ id, append }),
    tell: ({ text }) => told.push(text),
  });
  return { follows, begun, told, published };
}

const reason = (error: { data: { reason: string } }) => error.data.reason;

test('an agent says no more than 10,000 things of one task', async () => {
  const { follows } = following({ send: () => saying(...Array.from({ length: 9_999 }, () => working()), completed) });
  expect(await follows.send(message)).toMatchObject({ state: 'completed' });
  const more = following({ send: () => saying(...Array.from({ length: 10_000 }, () => working()), completed) });
  await expect(more.follows.send(message).catch(reason)).resolves.toBe('agent-answer');
});

test('a task has no more than 100 artifacts, and says the same progress once', async () => {
  const artifacts = Array.from({ length: 100 }, (_, n) => made(`a${n}`, 'x'));
  const { follows, told, begun } = following({
    send: () => saying(working('half'), working('half'), ...artifacts, made('a0', 'y'), completed),
  });
  expect(await follows.send(message)).toMatchObject({ state: 'completed' });
  expect([told, begun]).toEqual([['half'], ['t1']]);
  const more = following({ send: () => saying(...artifacts, made('a100', 'x'), completed) });
  await expect(more.follows.send(message).catch(reason)).resolves.toBe('agent-answer');
});

test('what is said again is not published again, what is added is, and both are counted once', async () => {
  const { follows, published } = following(
    { send: () => saying(made('a', 'one'), made('a', 'one'), made('a', 'two', true), made('a', 'new'), completed) },
    // Of `{"text":"one"}` and `{"text":"two"}` together.
    { maxArtifactBytes: 28 },
  );
  expect(await follows.send(message)).toMatchObject({ state: 'completed' });
  expect(published.map(({ append }) => append)).toEqual([false, true, false]);
  expect(follows.answer).toEqual([{ text: 'new' }]);
  const more = following(
    { send: () => saying(made('a', 'one'), made('a', 'two', true), completed) },
    { maxArtifactBytes: 27 },
  );
  await expect(more.follows.send(message).catch(reason)).resolves.toBe('artifact-too-large');
});

test('a report of another task is no answer', async () => {
  const { follows } = following({ send: () => saying(working(), { ...completed, taskId: 't2' }) });
  await expect(follows.send(message).catch(reason)).resolves.toBe('agent-answer');
});

test('an agent that comes back in time was not lost, however often it is away', async () => {
  // It is away, comes back, and is away again: longer together than it may be at a time.
  let asked = 0;
  const { follows } = following(
    {
      send: () => saying(working()),
      async get() {
        asked += 1;
        if (asked >= 8) return completed;
        if (asked % 2 === 1) throw unreachable('away');
        return working();
      },
    },
    { answerMs: 120 },
  );
  expect(await follows.send(message)).toMatchObject({ state: 'completed' });
  const lost = following(
    { send: () => saying(working()), get: () => Promise.reject(unreachable('away')) },
    { answerMs: 30 },
  );
  await expect(lost.follows.send(message).catch(reason)).resolves.toBe('agent-lost');
});

test('an agent that has forgotten its task has lost it; one that cannot be asked has to say how it ends', async () => {
  const forgets = following({ send: () => saying(working()), get: async () => undefined });
  await expect(forgets.follows.send(message).catch(reason)).resolves.toBe('agent-lost');
  const silent = following({ send: () => saying(working()) });
  await expect(silent.follows.send(message).catch(reason)).resolves.toBe('agent-answer');
  const nothing = following({ send: () => saying(), get: async () => completed });
  await expect(nothing.follows.send(message).catch(reason)).resolves.toBe('agent-answer');
});

test('of a stream nothing is heard once the task rests, and it is ended', async () => {
  let isEnded = false;
  const { follows, published } = following({
    async *send(_, signal) {
      signal.addEventListener('abort', () => {
        isEnded = true;
      });
      yield completed;
      yield made('late', 'x');
    },
  });
  await follows.send(message);
  expect([isEnded, published]).toEqual([true, []]);
});

test('an agent says of how far it is no more than a task may make', async () => {
  const long = (text: string) => working(text.padEnd(600, '.'));
  const { follows, told } = following({ send: () => saying(long('a'), completed) }, { maxArtifactBytes: 1_000 });
  expect(await follows.send(message)).toMatchObject({ state: 'completed' });
  expect(told).toHaveLength(1);
  const more = following({ send: () => saying(long('a'), long('b'), completed) }, { maxArtifactBytes: 1_000 });
  await expect(more.follows.send(message).catch(reason)).resolves.toBe('agent-answer');
});
