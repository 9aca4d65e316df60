import { randomUUID } from 'node:crypto';
import { TaskState, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import { AgentEvent } from '@a2a-js/sdk/server';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { migrate } from '../../../src/graph/setup/migrations.ts';
import { nothingKnown, type TaskDraft } from '../../../src/tasks/store/draft.ts';
import { TaskWriter } from '../../../src/tasks/store/taskWriter.ts';
import { holdLock, untilBlocked } from '../../support/heldLock.ts';
import { emptyGraph, testDatabase } from '../../support/service.ts';
import { messageOf, taskOf } from '../contexts.ts';

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

const draftOf = (id: string, ...texts: string[]): TaskDraft => ({
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

const statesOf = async (id: string) =>
  (
    await database.run<{ states: string[] }>('READ', 'MATCH (t:Task {id: $id}) RETURN t.states AS states', {
      id,
    })
  )[0]?.states;
const statusOf = (state: TaskState) => ({ state, message: undefined, timestamp: '2026-01-01T00:00:05Z' });

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

test.each(['new', 'known'])('two drafts of one %s task, published at once, lose and double nothing', async (which) => {
  const id = randomUUID();
  if (which === 'known') await writer.write(draftOf(id));
  const drafts = [draftOf(id, 'one'), draftOf(id, 'other')];
  for (const [index, draft] of drafts.entries()) draft.events.push(eventOf(id, `2026-01-01T00:00:0${index}Z`));
  transactions = 0;
  await Promise.all(drafts.map((draft) => writer.write(draft)));
  // One that fails for the other's sake would be a third.
  expect(transactions).toBe(2);
  expect(await stored(id)).toEqual([{ messages: ['one', 'other'], indexes: [0, 1], events: [0, 1], asked: 1 }]);
});

test('a task is owed from when it is published until it is written, and its receivers are known then', async () => {
  const draft = draftOf(randomUUID());
  await writer.write(draft);
  await database.run('WRITE', 'MATCH (t:Task {id: $id}) CREATE (t)-[:NOTIFIES]->(:PushConfig {id: $id})', {
    id: draft.id,
  });
  const lock = await holdLock(database, 'MATCH (t:Task {id: $id}) SET t.updatedAt = datetime()', {
    id: draft.id,
  });
  expect([writer.owes(draft), await writer.receivers(draft)]).toEqual([false, 0]);
  const written = writer.write(draft);
  expect(writer.owes(draft)).toBe(true);
  await untilBlocked(database);
  expect(writer.owes(draft)).toBe(true);
  const receivers = writer.receivers(draft);
  await lock.letGo();
  expect(await receivers).toBe(1);
  await written;
  expect(writer.owes(draft)).toBe(false);
});

test('a status is written once, however often its task is written after', async () => {
  const draft = draftOf(randomUUID());
  draft.passed.push({ state: 'SUBMITTED', at: 0 }, { state: 'WORKING', at: 1 });
  await writer.write(draft);
  expect(draft.passed).toEqual([]);
  draft.task.history.push(messageOf('more'));
  await writer.write(draft);
  expect(await statesOf(draft.id)).toEqual(['SUBMITTED', 'WORKING']);
});

test('a write that the driver makes twice is one, and is not refused for what it has written itself', async () => {
  const refused: TaskDraft[] = [];
  const twice: typeof database = Object.create(database, {
    write: {
      value: async (...given: Parameters<typeof database.write>) => {
        await database.write(...given);
        return database.write(...given);
      },
    },
  });
  const repeating = new TaskWriter({
    database: twice,
    leaseMs: 60_000,
    eventsKeptMs: 60_000,
    now: Date.now,
    written: (_drafts, over) => refused.push(...over),
    ended() {},
  });
  const draft = draftOf(randomUUID());
  await repeating.write(draft);
  draft.events.push(eventOf(draft.id, '2026-01-01T00:00:01Z'));
  draft.task.status = statusOf(TaskState.TASK_STATE_COMPLETED);
  await repeating.write(draft);
  expect(await statesOf(draft.id)).toEqual(['WORKING', 'COMPLETED']);
  expect(await stored(draft.id)).toMatchObject([{ events: [0], asked: 1 }]);
  expect(refused).toEqual([]);
});

test('a status that comes after the end of its task is refused, and what says nothing of it is not', async () => {
  const told: { written: string[]; refused: string[] }[] = [];
  const telling = new TaskWriter({
    database,
    leaseMs: 60_000,
    eventsKeptMs: 60_000,
    now: Date.now,
    written: (drafts, refused) =>
      told.push({ written: drafts.map(({ id }) => id), refused: refused.map(({ id }) => id) }),
    ended() {},
  });
  const draft = draftOf(randomUUID());
  await telling.write(draft);
  await database.run('WRITE', "MATCH (t:Task {id: $id}) SET t.state = 'CANCELED'", { id: draft.id });
  draft.task.history.push(messageOf('more'));
  await telling.write(draft);
  draft.task.status = statusOf(TaskState.TASK_STATE_COMPLETED);
  await telling.write(draft);
  const [one, none] = [[draft.id], []];
  expect(told).toEqual([
    { written: one, refused: none },
    { written: one, refused: none },
    { written: one, refused: one },
  ]);
  expect(await statesOf(draft.id)).toEqual(['WORKING']);
});

test('a task that ends with the write that says it waits is told of', async () => {
  const ended: TaskDraft[] = [];
  const telling = new TaskWriter({
    database,
    leaseMs: 60_000,
    eventsKeptMs: 60_000,
    now: Date.now,
    written() {},
    ended: (drafts) => ended.push(...drafts),
  });
  const draft = draftOf(randomUUID());
  draft.task.status = statusOf(TaskState.TASK_STATE_INPUT_REQUIRED);
  await database.run(
    'WRITE',
    `CREATE (:Task {tenant: 'north', id: $id})-[:MADE]->(:Update {tenant: 'north', id: $id, status: 'applied', sourceAgentId: 'ana',
       reviewedBy: 'editor', proposedAt: datetime()})`,
    { id: draft.id },
  );
  await telling.write(draft);
  expect(ended.map(({ id, task }) => [id, task.status?.state])).toEqual([[draft.id, TaskState.TASK_STATE_COMPLETED]]);
});

test('the fault of one task is not that of those which are written with it', async () => {
  const good = [draftOf(randomUUID(), 'one'), draftOf(randomUUID(), 'two')];
  // A node cannot be made with it.
  const bad = { ...draftOf(randomUUID()), owner: null as never };
  const results = await Promise.allSettled([good[0], bad, good[1]].map((draft) => writer.write(draft as TaskDraft)));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  for (const { id } of good) expect(await stored(id)).toHaveLength(1);
});

test('many tasks are written in transactions of a hundred', async () => {
  transactions = 0;
  await Promise.all(Array.from({ length: 101 }, () => writer.write(draftOf(randomUUID()))));
  expect(transactions).toBe(2);
});

test('a begin that is held back is one transaction with the end that follows, and else is written by itself', async () => {
  transactions = 0;
  const [short, long] = [draftOf(randomUUID()), draftOf(randomUUID())];
  short.passed.push({ state: 'SUBMITTED', at: 0 });
  writer.hold(short);
  expect(writer.owes(short)).toBe(true);
  short.passed.push({ state: 'COMPLETED', at: 1 });
  short.task.status = statusOf(TaskState.TASK_STATE_COMPLETED);
  await writer.write(short);
  expect([transactions, writer.owes(short), await statesOf(short.id)]).toEqual([1, false, ['SUBMITTED', 'COMPLETED']]);
  writer.hold(long);
  writer.hold(long);
  expect(await writer.receivers(long)).toBe(0);
  expect(transactions).toBe(2);
  const last = draftOf(randomUUID());
  writer.hold(last);
  await writer.idle();
  expect([writer.owes(last), transactions]).toEqual([false, 3]);
});
