import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { QueryResult } from '../../src/knowledge/query/query.ts';
import type { UpdateResult } from '../../src/knowledge/update/propose.ts';
import type { Service } from '../../src/service/startService.ts';
import { message03, type TaskJson } from '../a2a/tasks.ts';
import { eventually } from '../a2a/testService.ts';
import { startReceiver, type TestReceiver } from '../push/receiver.ts';
import { artifactOf, faultOf, sendTask } from '../skills/tasks.ts';
import { bearerOf, identities } from '../support/identities.ts';
import { add, schemaOrg } from '../support/patches.ts';
import { call, startServiceOnGraph } from '../support/service.ts';
import { useDatabase, useService } from '../support/setUp.ts';
import { type TaskEventJson, taskStream } from '../tasks/taskStream.ts';

const settings = {
  ...identities,
  TENANTS: 'north,south',
  AGENT_TRUST: 'rumour=0.2',
  PUSH_ALLOW: '127.0.0.1',
};
const service = useService(settings);
/** Another replica. */
let other: Service;
const database = useDatabase();
let receiver: TestReceiver;
beforeAll(async () => {
  other = await startServiceOnGraph(settings);
  receiver = await startReceiver();
});
afterAll(async () => {
  await other.close();
  await receiver.close();
});

const atlas = bearerOf({ tenant: 'north', sub: 'atlas' });
const rumour = bearerOf({ tenant: 'north', sub: 'rumour' });
const fr = 'urn:test:fr';
const named = (name: string, certainty?: number) =>
  add(fr, `${schemaOrg}name`, name, {
    type: `${schemaOrg}Country`,
    ...(certainty !== undefined && { certainty }),
  });

const sent = (headers: Record<string, string>, data: object, further: object = {}) =>
  sendTask(service.url, headers, data, further);

test('a message proposes, the next one reads what came of it, in either version', async () => {
  const proposed = await sent(atlas, { skill: 'propose', mutations: [named('France', 0.9)] });
  expect(proposed.status.state).toBe('TASK_STATE_COMPLETED');
  const { updateId } = artifactOf<UpdateResult>(proposed);
  const rows = await database.run<{ task: string }>(
    'READ',
    'MATCH (t:Task)-[:MADE]->(:Update {id: $updateId}) RETURN t.id AS task',
    { updateId },
  );
  expect(rows).toEqual([{ task: proposed.id }]);

  const query = {
    skill: 'query',
    query: 'query ($id: ID!) { countries(where: { id: { eq: $id } }) { id name } }',
    variables: { id: fr },
    requiredCertainty: 0.8,
  };
  const answered = await sent(atlas, query);
  expect(faultOf(answered)).toBeUndefined();
  expect(artifactOf<QueryResult>(answered)).toMatchObject({
    data: { countries: [{ id: fr, name: 'France' }] },
    queryMetadata: { revision: 1, conditions: { requiredCertainty: 0.8 } },
  });
  const old = await call<TaskJson>(service.url, 'message/send', message03(query), atlas);
  expect(artifactOf<QueryResult>(old.result).data).toEqual({
    countries: [{ id: fr, name: 'France' }],
  });
});

test("a query of another tenant doesn't see it, and one without the scope is told so", async () => {
  const query = { skill: 'query', query: '{ entities { id } }' };
  const south = await sent(bearerOf({ tenant: 'south', sub: 'sam' }), query);
  expect(artifactOf<QueryResult>(south).data).toEqual({ entities: [] });
  const without = await sent(bearerOf({ tenant: 'north', sub: 'tess', scope: 'tasks' }), query);
  expect(without.status.state).toBe('TASK_STATE_FAILED');
  expect(faultOf(without)).toMatchObject({ code: -32010, data: { reason: 'missing-scope' } });
});

test('a proposal that a rule rejects leaves its task rejected, with the verdict', async () => {
  const asCity = add(fr, `${schemaOrg}name`, 'Frankreich', { type: `${schemaOrg}City` });
  const task = await sent(atlas, { skill: 'propose', mutations: [asCity] });
  expect(task.status.state).toBe('TASK_STATE_REJECTED');
  expect(artifactOf<UpdateResult>(task)).toMatchObject({
    success: false,
    verificationStatus: 'Rejected - Constraint Violation',
    violations: [{ rule: 'class-mismatch' }],
  });
  const wrong = await sent(atlas, { skill: 'propose', mutations: [] });
  expect(wrong.status.state).toBe('TASK_STATE_REJECTED');
  expect(faultOf(wrong)).toMatchObject({ code: -32602, data: { issues: [{ path: 'mutations' }] } });
});

test('a proposal that is held leaves its task waiting for input, which another proposal may be', async () => {
  const held = await sent(rumour, { skill: 'propose', mutations: [named('La France')] });
  expect(held.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  expect(artifactOf<UpdateResult>(held)).toMatchObject({ verificationStatus: 'Pending Review' });
  const again = await sent(rumour, { skill: 'propose', mutations: [named('Gallia')] }, { taskId: held.id });
  expect(again).toMatchObject({ id: held.id, status: { state: 'TASK_STATE_INPUT_REQUIRED' } });
  // What waits for a review waits on.
  const said = await sent(rumour, {}, { taskId: held.id, parts: [{ text: 'Is it done?' }] });
  expect(said).toMatchObject({ id: held.id, status: { state: 'TASK_STATE_INPUT_REQUIRED' } });
  const { result } = await call<{ proposals: object[] }>(service.url, 'knowledge/review', { action: 'list' }, atlas);
  expect(result.proposals).toHaveLength(2);
});

const of10 = { 'A2A-Version': '1.0' };
const held = (further: object = {}) =>
  sent(rumour, { skill: 'propose', mutations: [named(crypto.randomUUID())] }, further);
const updateOf = (task: TaskJson) => artifactOf<UpdateResult>(task).updateId ?? '';
const review = (params: object) =>
  call<UpdateResult>(other.url, 'knowledge/review', params, bearerOf({ tenant: 'north', sub: 'editor' }));
const get = async (id: string) => (await call<TaskJson>(service.url, 'GetTask', { id }, { ...of10, ...rumour })).result;

/** Subscribes, and settles when the stream stands. */
async function following(id: string): Promise<{ heard: Promise<TaskEventJson[]> }> {
  const stream = taskStream(service.url, 'SubscribeToTask', { id }, undefined, rumour);
  await stream.next();
  const heard = (async () => {
    const events: TaskEventJson[] = [];
    for await (const event of stream) events.push(event);
    return events;
  })();
  return { heard };
}

/** Has the receiver told of a task. */
async function pushing({ id }: TaskJson): Promise<void> {
  const push = { taskId: id, url: `${receiver.url}/hook` };
  const { error } = await call(service.url, 'CreateTaskPushNotificationConfig', push, { ...of10, ...rumour });
  expect(error).toBeUndefined();
}
/** Waits until the receiver has been told that a task was rejected. */
const pushedRejection = ({ id }: TaskJson) =>
  eventually(() => receiver.received.some(({ body }) => body.includes(id) && body.includes('TASK_STATE_REJECTED')));

test('a held proposal that is approved on another replica completes its task, and followers and receivers hear of it', async () => {
  const task = await held();
  await pushing(task);
  const { heard } = await following(task.id);
  const updateId = updateOf(task);
  const { result: approved } = await review({ action: 'approve', updateId });
  expect(approved.verificationStatus).toBe('Verified');

  const ended = await get(task.id);
  expect(ended.status.state).toBe('TASK_STATE_COMPLETED');
  expect(ended.status.message?.parts[0]?.text).toContain('approved by editor');
  expect(artifactOf<UpdateResult>(ended)).toMatchObject({
    updateId,
    verificationStatus: 'Verified',
    revision: approved.revision,
  });
  const events = await heard;
  expect(events.map((event) => Object.keys(event)[0])).toEqual(['artifactUpdate', 'statusUpdate']);
  expect(events[1]?.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
  await eventually(() => receiver.received.length === 2);
  expect(receiver.received.map(({ body }) => JSON.parse(body))).toEqual(events);
});

test('a held proposal that is rejected leaves its task rejected, and says by whom and why, to receivers too', async () => {
  const task = await held();
  await pushing(task);
  const { heard } = await following(task.id);
  await review({ action: 'reject', updateId: updateOf(task), reason: 'no such name' });
  const ended = await get(task.id);
  expect(ended.status.state).toBe('TASK_STATE_REJECTED');
  expect(ended.status.message?.parts[0]?.text).toContain('Rejected by editor: no such name');
  expect((await heard).at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_REJECTED');
  await pushedRejection(task);
});

test('a task with several held proposals ends with the review of the last, completed if one was applied', async () => {
  const task = await held();
  const again = await held({ taskId: task.id });
  await review({ action: 'approve', updateId: updateOf(again) });
  expect((await get(task.id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  await review({ action: 'reject', updateId: updateOf(task) });
  expect(await get(task.id)).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
});

test('a task that was cancelled meanwhile stays cancelled, whatever becomes of its proposal', async () => {
  for (const action of ['approve', 'reject']) {
    const task = await held();
    await call(service.url, 'CancelTask', { id: task.id }, { ...of10, ...rumour });
    const { error } = await review({ action, updateId: updateOf(task) });
    expect(error).toBeUndefined();
    const { status, artifacts } = await get(task.id);
    expect(status.state).toBe('TASK_STATE_CANCELED');
    expect(artifacts).toHaveLength(1);
  }
});

test("an update in which another agent names a task doesn't end that", async () => {
  const task = await held();
  const params = { mutations: [named('Galia')], taskId: task.id };
  const liar = bearerOf({ tenant: 'north', sub: 'liar' });
  await database.run('WRITE', 'MERGE (a:Agent {tenant: "north", id: "liar"}) SET a.trust = 0.1');
  const { result } = await call<UpdateResult>(service.url, 'knowledge/update', params, liar);
  expect(result.verificationStatus).toBe('Pending Review');
  await review({ action: 'approve', updateId: result.updateId });
  expect((await get(task.id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
});

test('a task whose held proposal is purged is rejected, and its receivers hear of it', async () => {
  const subject = 'urn:test:to-forget';
  const task = await sent(rumour, {
    skill: 'propose',
    mutations: [add(subject, `${schemaOrg}name`, 'Nobody')],
  });
  expect(task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  await pushing(task);
  const { error } = await call(other.url, 'knowledge/purge', { subject }, atlas);
  expect(error).toBeUndefined();
  const { status } = await get(task.id);
  expect(status.state).toBe('TASK_STATE_REJECTED');
  expect(status.message?.parts[0]?.text).toContain('rejected by atlas');
  await pushedRejection(task);
});
