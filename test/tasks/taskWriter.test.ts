import { randomUUID } from 'node:crypto';
import { TaskState, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import { AgentEvent } from '@a2a-js/sdk/server';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { migrate } from '../../src/graph/migrations.ts';
import { type Draft, nothingKnown } from '../../src/tasks/draft.ts';
import { TaskWriter } from '../../src/tasks/taskWriter.ts';
import { holdLock, untilBlocked } from '../support/heldLock.ts';
import { emptyGraph, testDatabase } from '../support/service.ts';
import { messageOf, taskOf } from './contexts.ts';

const database = testDatabase();
let transactions = 0;
const counted: typeof database = Object.create(database, {
  write: {
    value: (...given: Parameters<typeof database.write>) => {
      transactions += 1;
      return database.write(...given);
    },
  },
});
const writer = new TaskWriter({
  database: counted,
  leaseMs: 60_000,
  eventsKeptMs: 60_000,
  now: Date.now,
  written() {},
  ended() {},
});

beforeAll(async () => {
  await emptyGraph();
  await migrate(database);
});
afterAll(async () => {
  await writer.idle();
  await database.close();
});

const draftOf = (id: string, ...texts: string[]): Draft => ({
  tenant: 'north',
  id,
  owner: 'ana',
  task: taskOf({ id, history: texts.map((text) => messageOf(text)) }),
  known: nothingKnown(),
  passed: [],
  events: [],
});

const eventOf = (taskId: string, timestamp: string) =>
  AgentEvent.statusUpdate(
    TaskStatusUpdateEvent.fromJSON({ taskId, status: { state: TaskState.TASK_STATE_WORKING, timestamp } }),
  );

const stored = (id: string) =>
  database.run<{ messages: string[]; indexes: number[]; events: number[]; asked: number }>(
    'READ',
    `MATCH (t:Task {id: $id})
     RETURN COLLECT { MATCH (t)-[h:HAS_MESSAGE]->(m) RETURN m.text AS x ORDER BY h.index } AS messages,
       COLLECT { MATCH (t)-[h:HAS_MESSAGE]->() RETURN h.index AS x ORDER BY x } AS indexes,
       COLLECT { MATCH (t)-[:HAS_EVENT]->(e) RETURN e.index AS x ORDER BY x } AS events,
       COUNT { (:Agent)-[:ASKED]->(t) } AS asked`,
    { id },
  );

test('what is published while a write is under way is written with the next', async () => {
  const draft = draftOf(randomUUID());
  await writer.write(draft);
  const lock = await holdLock(database, 'MATCH (t:Task {id: $id}) SET t.updatedAt = datetime()', {
    id: draft.id,
  });
  draft.events.push(eventOf(draft.id, '2026-01-01T00:00:01Z'));
  const first = writer.write(draft);
  await untilBlocked(database);
  const later = eventOf(draft.id, '2026-01-01T00:00:02Z');
  draft.events.push(later);
  const second = writer.write(draft);
  await lock.letGo();
  await first;
  expect(draft.events).toEqual([later]);
  await second;
  expect(draft.events).toEqual([]);
  expect(await stored(draft.id)).toMatchObject([{ events: [0, 1] }]);
});

test.each(['new', 'known'])(
  'two drafts of one %s task, published at once, lose and double nothing',
  async (which) => {
    const id = randomUUID();
    if (which === 'known') await writer.write(draftOf(id));
    const drafts = [draftOf(id, 'one'), draftOf(id, 'other')];
    for (const [index, draft] of drafts.entries())
      draft.events.push(eventOf(id, `2026-01-01T00:00:0${index}Z`));
    transactions = 0;
    await Promise.all(drafts.map((draft) => writer.write(draft)));
    // One that fails for the other's sake would be a third.
    expect(transactions).toBe(2);
    expect(await stored(id)).toEqual([
      { messages: ['one', 'other'], indexes: [0, 1], events: [0, 1], asked: 1 },
    ]);
  },
);
