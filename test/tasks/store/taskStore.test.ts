import { Artifact, ListTasksRequest, Task, TaskState } from '@a2a-js/sdk';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { migrate } from '../../../src/graph/setup/migrations.ts';
import { Tasks } from '../../../src/tasks/tasks.ts';
import { emptyGraph, testDatabase } from '../../support/service.ts';
import { contextOf, messageOf, statusAt, taskOf } from '../contexts.ts';

const database = testDatabase();
const fail = (error: unknown) => {
  throw error;
};
const replicas = [1, 2].map(() => new Tasks({ database, onError: fail }));
const [one, other] = replicas.map(({ taskStore }) => taskStore) as [
  (typeof replicas)[0]['taskStore'],
  (typeof replicas)[0]['taskStore'],
];
const ana = contextOf('ana');
const bob = contextOf('bob');
const { TASK_STATE_WORKING, TASK_STATE_COMPLETED, TASK_STATE_INPUT_REQUIRED, TASK_STATE_CANCELED } = TaskState;

beforeAll(async () => {
  await emptyGraph();
  await migrate(database);
});

afterAll(async () => {
  for (const tasks of replicas) await tasks.close();
  await database.close();
});

const artifactOf = (artifactId: string, parts: object[]) => Artifact.fromJSON({ artifactId, name: artifactId, parts });
const listed = (params: object, context = ana) => one.list(ListTasksRequest.fromJSON(params), context);

test('a task is read on another replica as it was saved, binary parts and all', async () => {
  const message = messageOf('Look at this', {
    metadata: { mood: { of: ['day', 1] } },
    extensions: ['urn:x'],
    referenceTaskIds: ['t-0'],
    parts: [
      { text: 'Look at this', metadata: { a: 1 } },
      { raw: Buffer.from([0, 255, 128]).toString('base64'), filename: 'x.bin', mediaType: 'image/png' },
      { data: { deep: [null, { is: true }] } },
    ],
  });
  const task = taskOf({
    history: [message],
    artifacts: [artifactOf('map', [{ url: 'https://example.org/map' }])],
    metadata: { from: 'a test' },
  });
  await one.save(task, ana);
  const found = await other.load(task.id, ana);
  const known = Task.toJSON({ ...task, history: [{ ...message, taskId: task.id }] });
  expect(found && Task.toJSON(found)).toEqual(known);
  const part = found?.history[0]?.parts[1]?.content;
  expect(part?.$case === 'raw' && [...part.value]).toEqual([0, 255, 128]);
});

test('what is loaded is a copy of its own', async () => {
  const task = taskOf({ history: [messageOf('one')] });
  await one.save(task, ana);
  const first = await one.load(task.id, ana);
  first?.history.push(messageOf('another'));
  expect((await one.load(task.id, ana))?.history).toHaveLength(1);
});

test("nobody sees another agent's task or another tenant's, but an admin its tenant's", async () => {
  const task = taskOf();
  await one.save(task, ana);
  expect(await one.load(task.id, bob)).toBeUndefined();
  expect(await one.load(task.id, contextOf('ana', { tenant: 'south' }))).toBeUndefined();
  const admin = contextOf('root', { scopes: ['tasks', 'admin'] });
  expect((await one.load(task.id, admin))?.id).toBe(task.id);
  const ids = async (context = ana) => (await listed({}, context)).tasks.map(({ id }) => id);
  expect(await ids(bob)).not.toContain(task.id);
  expect(await ids(admin)).toContain(task.id);
});

test("an agent that is called local has none of the local principal's tasks", async () => {
  const local = contextOf(undefined);
  const task = taskOf();
  await one.save(task, local);
  expect(await other.load(task.id, contextOf('local'))).toBeUndefined();
  expect(await other.load(task.id, local)).toMatchObject({ id: task.id });
});

test('many who save a task at the same time on two replicas lose nothing', async () => {
  const task = taskOf({ history: [messageOf('begin')] });
  await one.save(task, ana);
  const names = Array.from({ length: 60 }, (_, index) => `${index}`);
  await Promise.all(
    names.map(async (name, index) => {
      const store = index % 2 ? one : other;
      const mine = await store.load(task.id, ana);
      if (!mine) throw new Error('The task is gone');
      mine.history.push(messageOf(name));
      mine.artifacts.push(artifactOf(name, [{ text: name }]));
      await store.save(mine, ana);
    }),
  );
  const found = await one.load(task.id, ana);
  const texts = found?.history.map(({ parts: [part] }) => part?.content?.value);
  expect(texts?.toSorted()).toEqual([...names, 'begin'].toSorted());
  expect(texts?.[0]).toBe('begin');
  expect(found?.artifacts.map(({ artifactId }) => artifactId).toSorted()).toEqual(names.toSorted());
});

test('a task that has ended stays so, whoever saves another state later', async () => {
  const task = taskOf();
  await one.save(task, ana);
  const [mine, theirs] = await Promise.all([one.load(task.id, ana), other.load(task.id, ana)]);
  await one.save({ ...task, ...mine, status: statusAt(TASK_STATE_CANCELED, Date.now()) }, ana);
  await other.save({ ...task, ...theirs, status: statusAt(TASK_STATE_COMPLETED, Date.now()) }, ana);
  expect((await other.load(task.id, ana))?.status?.state).toBe(TASK_STATE_CANCELED);
});

test('an analyst reads who asked, what was said, and which states it went through when', async () => {
  const task = taskOf({ history: [messageOf('How many?')] });
  await one.save({ ...task, status: statusAt(TASK_STATE_WORKING, 1_000) }, ana);
  await one.save(
    {
      ...task,
      status: statusAt(TASK_STATE_COMPLETED, 2_000),
      artifacts: [artifactOf('answer', [{ text: '42' }])],
    },
    ana,
  );
  const rows = await database.run(
    'READ',
    `MATCH (a:Agent)-[:ASKED]->(t:Task {id: $id})-[:HAS_MESSAGE]->(m:Message), (t)-[:HAS_ARTIFACT]->(f:Artifact)
     RETURN a.id AS agent, t.state AS state, t.states AS states, [at IN t.stateTimes | at.epochMillis] AS times,
       m.role AS role, m.text AS text, f.name AS name`,
    { id: task.id },
  );
  expect(rows).toEqual([
    {
      agent: 'ana',
      state: 'COMPLETED',
      states: ['WORKING', 'COMPLETED'],
      times: [1_000, 2_000],
      role: 'ROLE_USER',
      text: 'How many?',
      name: 'answer',
    },
  ]);
});

test('a list is filtered, newest first, and its pages neither miss nor repeat a task', async () => {
  const dora = contextOf('dora');
  const tasks = Array.from({ length: 25 }, (_, index) =>
    taskOf({
      contextId: index % 5 ? 'c-1' : 'c-2',
      // Several of one time.
      status: statusAt(index % 2 ? TASK_STATE_INPUT_REQUIRED : TASK_STATE_COMPLETED, 10_000 + Math.floor(index / 3)),
      history: [messageOf('a'), messageOf('b')],
      artifacts: [artifactOf('x', [])],
    }),
  );
  await Promise.all(tasks.map((task) => one.save(task, dora)));
  const newestFirst = tasks.toSorted(
    (a, b) => Date.parse(b.status?.timestamp ?? '') - Date.parse(a.status?.timestamp ?? '') || (a.id < b.id ? 1 : -1),
  );
  const found: Task[] = [];
  let pageToken = '';
  do {
    const page = await listed({ pageSize: 4, pageToken, historyLength: 1, includeArtifacts: found.length > 0 }, dora);
    expect(page).toMatchObject({ totalSize: 25, pageSize: 4 });
    found.push(...page.tasks);
    pageToken = page.nextPageToken;
  } while (pageToken);
  expect(found.map(({ id }) => id)).toEqual(newestFirst.map(({ id }) => id));
  expect(found.map(({ history }) => history.length)).toEqual(tasks.map(() => 1));
  expect(found.map(({ artifacts }) => artifacts.length)).toEqual(tasks.map((_, index) => (index < 4 ? 0 : 1)));

  const count = async (params: object) => (await listed(params, dora)).totalSize;
  expect(await count({ contextId: 'c-2' })).toBe(5);
  expect(await count({ status: 'TASK_STATE_COMPLETED' })).toBe(13);
  expect(await count({ contextId: 'c-1', status: 'TASK_STATE_INPUT_REQUIRED' })).toBe(10);
  expect(await count({ statusTimestampAfter: new Date(10_004).toISOString() })).toBe(25 - 15);
  await expect(listed({ pageToken: 'bm9uZQ' }, dora)).rejects.toThrow('pageToken');
});
