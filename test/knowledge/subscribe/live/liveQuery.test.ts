import { expect, test } from '@jest/globals';
import { refuse } from '../../../../src/base/reasons.ts';
import type { Listener } from '../../../../src/changes/audience.ts';
import type { LoggedChange } from '../../../../src/graph/updates/changeLog.ts';
import { LiveQuery } from '../../../../src/knowledge/subscribe/live/liveQuery.ts';
import { loggedChange } from '../../../changes/loggedChange.ts';

/** A live query whose runs end when the test says so. */
function live({ ofAny = false } = {}) {
  const runs: { end(text: string): void; fail(error: unknown): void; signal: AbortSignal }[] = [];
  const heard: Listener[] = [];
  let stops = 0;
  const query = new LiveQuery({
    feed: {
      listen: async (_tenant, _filter, listener) => {
        heard.push(listener);
        return {
          position: 7,
          told: () => 7,
          stop: () => {
            stops += 1;
          },
        };
      },
    },
    tenant: 't',
    classes: ofAny ? undefined : new Set(['urn:C']),
    classesOf: async ({ statement }) => {
      if (statement.subject.id === 'unreadable') throw new Error('Neo4j is away');
      return new Map([
        [
          statement.subject.id,
          { type: statement.subject.id === 'unknown' ? undefined : `urn:${statement.subject.id}` },
        ],
        ['o', { type: 'urn:Other' }],
        ['before', { type: 'urn:C' }],
      ]);
    },
    run: (signal) =>
      new Promise((resolve, reject) => {
        runs.push({ end: (text) => resolve({ text, revision: 1 }), fail: reject, signal });
      }),
    intervalMs: 1,
  });
  const ran = async (count: number) => {
    for (const end = Date.now() + 5_000; runs.length < count && Date.now() < end; ) await new Promise(setImmediate);
    const run = runs[count - 1];
    if (!run) throw new Error(`There was no run ${count}`);
    return run;
  };
  const hear = (...changes: LoggedChange[]) => {
    for (const listener of heard) listener(changes);
  };
  const tell = (...subjects: string[]) => hear(...subjects.map((subject, index) => loggedChange(8 + index, subject)));
  /** Long enough for a run that must not come. */
  const rest = () => new Promise((resolve) => setTimeout(resolve, 50));
  /** Started, with this answer. */
  const begun = async (text = '{"a":1}') => {
    const started = query.start();
    (await ran(1)).end(text);
    await started;
  };
  return { query, runs, ran, hear, tell, rest, begun, stopsOf: () => stops };
}

test('it has an answer once it has started, of what the feed had told then', async () => {
  const { query, begun } = live();
  await begun();
  expect(query.answer).toEqual({ sequence: 7, revision: 1, text: '{"a":1}' });
  query.close();
});

test('a change of a class that it reads makes it run again, and another answer is told with its sequence', async () => {
  const { query, begun, ran, tell } = live();
  await begun();
  const told = new Promise<void>((resolve) => query.follow(resolve));
  tell('Other', 'C');
  (await ran(2)).end('{"a":2}');
  await told;
  expect(query.answer).toEqual({ sequence: 9, revision: 1, text: '{"a":2}' });
  query.close();
});

test('a change of other classes makes no run', async () => {
  const { query, begun, tell, rest, runs } = live();
  await begun();
  tell('Other');
  await rest();
  expect(runs).toHaveLength(1);
  query.close();
});

test.each([
  ['what is of no known class', 'unknown', false],
  ['what nobody can say the class of', 'unreadable', false],
  ['anything, where it reads any', 'Other', true],
])('%s makes it run again', async (_what, subject, ofAny) => {
  const { query, begun, ran, tell } = live({ ofAny });
  await begun();
  tell(subject);
  (await ran(2)).end('{"a":2}');
  query.close();
});

test('what gave place to another counts too', async () => {
  const { query, begun, ran, hear } = live();
  await begun();
  hear({ ...loggedChange(8, 'Other'), previous: [loggedChange(8, 'before').statement] });
  (await ran(2)).end('{}');
  query.close();
});

test('an equal answer is not told', async () => {
  const { query, begun, ran, tell, rest } = live();
  await begun();
  let count = 0;
  query.follow(() => {
    count += 1;
  });
  tell('C');
  (await ran(2)).end('{"a":1}');
  await rest();
  expect(count).toBe(0);
  query.close();
});

test('there is one run at a time, and one more for all that came meanwhile', async () => {
  const { query, begun, ran, tell, rest, runs } = live();
  await begun();
  tell('C');
  const second = await ran(2);
  tell('C');
  tell('C');
  await rest();
  expect(runs).toHaveLength(2);
  second.end('{"a":2}');
  (await ran(3)).end('{"a":3}');
  await rest();
  expect(runs).toHaveLength(3);
  query.close();
});

test('more changes than can be looked at one by one touch it', async () => {
  const { query, begun, ran, tell } = live();
  await begun();
  tell(...Array.from({ length: 1_001 }, () => 'Other'));
  (await ran(2)).end('{"a":2}');
  query.close();
});

test('a passing fault is tried again, and nothing is told of it', async () => {
  const { query, begun, ran, tell } = live();
  await begun();
  let count = 0;
  const told = new Promise<void>((resolve) =>
    query.follow(() => {
      count += 1;
      resolve();
    }),
  );
  tell('C');
  (await ran(2)).fail(refuse('database-unavailable', 'away', { retryable: true }));
  (await ran(3)).end('{"a":3}');
  await told;
  expect([count, query.failure]).toEqual([1, undefined]);
  query.close();
});

test('a run that takes too long is tried three times more, then that is told', async () => {
  const { query, begun, ran, tell, rest } = live();
  await begun();
  const late = refuse('timeout', 'late');
  tell('C');
  (await ran(2)).fail(late);
  (await ran(3)).end('{"a":3}');
  tell('C');
  for (const n of [4, 5, 6]) (await ran(n)).fail(late);
  await rest();
  expect(query.failure).toBeUndefined();
  (await ran(7)).fail(late);
  await rest();
  expect(query.failure).toBe(late);
});

test('any other ends it, and is told', async () => {
  const { query, begun, ran, tell, stopsOf } = live();
  await begun();
  const told = new Promise<void>((resolve) => query.follow(resolve));
  tell('C');
  const fault = refuse('too-costly', 'too much');
  (await ran(2)).fail(fault);
  await told;
  expect(query.failure).toBe(fault);
  expect(stopsOf()).toBe(1);
});

test('a first run that fails is what starting rejects with, and nothing listens any more', async () => {
  const { query, ran, stopsOf } = live();
  const started = query.start();
  (await ran(1)).fail(refuse('database-unavailable', 'away', { retryable: true }));
  await expect(started).rejects.toMatchObject({ data: { reason: 'database-unavailable' } });
  expect(stopsOf()).toBe(1);
});

test('closing it stops the run that is under way', async () => {
  const { query, begun, ran, tell, stopsOf } = live();
  await begun();
  tell('C');
  const { signal } = await ran(2);
  query.close();
  expect([signal.aborted, stopsOf()]).toEqual([true, 1]);
});
