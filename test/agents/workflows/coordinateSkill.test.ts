import { setTimeout as sleep } from 'node:timers/promises';
import { type Message, Part } from '@a2a-js/sdk';
import { expect, test } from '@jest/globals';
import neo4j from 'neo4j-driver';
import { pino } from 'pino';
import { type CoordinateParts, coordinateSkill } from '../../../src/agents/workflows/coordinateSkill.ts';
import type { KeptWorkflow, NewRun, RunRow } from '../../../src/agents/workflows/nodes/workflows.ts';
import { requestDraining } from '../../../src/calls/streamEnd.ts';
import type { KeptPrincipal } from '../../../src/security/keptPrincipal.ts';
import { localPrincipal, type Principal } from '../../../src/security/principal.ts';
import type { Skill, SkillCall } from '../../../src/skills/skill.ts';
import type { TaskKey } from '../../../src/tasks/nodes/taskNodes.ts';
import type { InnerMessage } from '../../../src/tasks/running/innerTasks.ts';

/* Workflows whose steps are tasks of a world in memory, where what happens between replicas happens when a test says. */

const ann: Principal = { ...localPrincipal, agentId: 'ann' };
const messageOf = (...parts: object[]) =>
  ({ messageId: 'm', parts: parts.map((each) => Part.fromJSON(each)) }) as Message;

/** What the tasks of steps do, and what is seen of them. */
function world(more: Partial<CoordinateParts> = {}) {
  const rows = new Map<string, RunRow>();
  const begun: { id: string; asked: InnerMessage }[] = [];
  const cancelled: string[] = [];
  const recalled: KeptPrincipal[] = [];
  const kept: KeptWorkflow[] = [];
  const world = {
    rows,
    begun,
    cancelled,
    recalled,
    kept,
    left: 0,
    /** How often the ids of new tasks are asked for, and which are had. */
    claims: 0,
    claimed: (keys: readonly TaskKey[]): TaskKey[] => [...keys],
    /** What a task does that is begun: it completes, unless a test says else. */
    execute: async (row: RunRow): Promise<void> => void Object.assign(row, { state: 'COMPLETED', at: 0 }),
    /** What is done before the workflow is found, its tasks are read, it is left, or an answer is passed on. */
    find: async (): Promise<void> => {},
    read: async (): Promise<void> => {},
    leave: async (): Promise<void> => {},
    answer: async (): Promise<void> => {},
    made: (_id: string): unknown => ({ done: true }),
  };
  const find = (id: string) => rows.get(id) as RunRow;
  const query: Skill = { summary: '', example: {}, run: async () => undefined };
  const parts: CoordinateParts = {
    workflows: {
      keep: async (_key: TaskKey, each: KeptWorkflow) => void kept.push(each),
      find: async () => {
        await world.find();
        return kept[0];
      },
      runs: async () => {
        await world.read();
        return [...rows.values()];
      },
      standings: async (_key: TaskKey, ids: string[]) => ids.flatMap((id) => rows.get(id) ?? []),
      made: async (_tenant: string, ids: string[]) =>
        ids.map((taskId) => {
          const artifacts = [JSON.stringify([{ data: world.made(taskId) }])];
          return { taskId, length: artifacts.join('').length, artifacts, said: null };
        }),
      join: async (_tx: unknown, _key: TaskKey, runs: readonly NewRun[]) => {
        for (const { after: _, ...run } of runs) rows.set(run.taskId, { ...run, state: 'WORKING', at: 0, said: null });
      },
      leave: async () => {
        await world.leave();
        world.left += 1;
      },
    } as unknown as CoordinateParts['workflows'],
    inner: {
      claim: async (keys, _owner, also) => {
        world.claims += 1;
        const claimed = world.claimed(keys);
        await also({ run: async () => {} } as never, claimed);
        return claimed;
      },
      begin: async ({ id }, asked) => {
        begun.push({ id, asked });
        await world.execute(find(id));
      },
      goOn: async ({ id }, asked) => {
        await world.answer();
        begun.push({ id, asked });
        await world.execute(find(id));
        return true;
      },
      cancel: async ({ id }) => void cancelled.push(find(id).step),
    },
    skills: new Map([['query', query]]),
    choosing: {} as CoordinateParts['choosing'],
    recall: async (maker) => {
      recalled.push(maker);
      return { ...localPrincipal, tenant: maker.tenant, scopes: new Set(maker.scopes), agentId: 'of its maker' };
    },
    ...{ atOnce: 10, longestResults: 1_000, longestWhole: 100_000, maxArtifactBytes: 10_000, timeoutMs: 60_000 },
    logger: pino({ level: 'silent' }),
    now: Date.now,
    ...more,
  };
  const skill = coordinateSkill(parts);
  const stop = new AbortController();
  const callOf = (principal: Principal, message = messageOf({ text: 'go' })): SkillCall => ({
    ...{ principal, message, signal: stop.signal, taskId: 'w', contextId: 'c' },
    tell() {},
    publish() {},
    alongside() {},
    kept: async () => {},
  });
  const run = (steps: object[], params: object = {}, principal = ann) =>
    skill.run({ steps, ...params }, callOf(principal));
  return Object.assign(world, { skill, stop, callOf, run });
}

const step = (id: string, more: object = {}) => ({
  id,
  agent: 'concord/query',
  parameters: { query: '{ a }' },
  ...more,
});
const dataOf = (outcome: Awaited<ReturnType<Skill['run']>>) =>
  outcome?.artifacts[0]?.data as { steps: { state: string; attempts?: number; error?: { reason: string } }[] };
const never = () => new Promise<void>(() => {});
const until = async (condition: () => boolean) => {
  for (const end = Date.now() + 5_000; !condition(); await sleep(1))
    if (Date.now() > end) throw new Error('It never was');
};

test('a step that another replica has begun is not begun again, and its end is heard of', async () => {
  const there = world();
  // The other one has it, and it ends there.
  there.claimed = () => [];
  const outcome = there.run([step('one')]);
  await until(() => there.claims === 1);
  for (const row of there.rows.values()) Object.assign(row, { state: 'COMPLETED' });
  expect(await outcome).toMatchObject({ state: 'completed' });
  expect([there.claims, there.begun]).toEqual([1, []]);
});

test('a step whose replica died before it had begun it is begun', async () => {
  const there = world();
  there.claimed = (keys) => {
    if (there.claims === 1) queueMicrotask(() => there.rows.clear());
    return there.claims === 1 ? [] : [...keys];
  };
  expect(await there.run([step('one')])).toMatchObject({ state: 'completed' });
  expect([there.claims, there.begun.length]).toEqual([2, 1]);
});

test('of what a list has there are no more tasks at a time than may be', async () => {
  const there = world({ atOnce: 3 });
  let [now, most] = [0, 0];
  there.made = () => ({ all: [1, 2, 3, 4, 5, 6, 7] });
  there.execute = async (row) => {
    now += 1;
    most = Math.max(most, now);
    await sleep(2);
    now -= 1;
    Object.assign(row, { state: 'COMPLETED', at: 0 });
  };
  const each = step('each', { forEach: { $result: 'list', pointer: '/all' } });
  expect(await there.run([step('list'), each])).toMatchObject({ state: 'completed' });
  expect([there.begun.length, most]).toEqual([8, 3]);
});

test('a workflow has no longer than the operator allows, and its steps no longer than it', async () => {
  const there = world({ now: () => 1_000, timeoutMs: 60_000 });
  await there.run([step('one'), step('two', { timeout: 5_000 })], { deadline: '2100-01-01T00:00:00Z' });
  expect(there.kept[0]?.deadline).toBe(61_000);
  expect(there.begun.map(({ asked }) => asked.timeoutMs)).toEqual([60_000, 5_000]);
  const sooner = world({ now: () => 1_000, timeoutMs: 60_000 });
  await sooner.run([step('one')], { deadline: new Date(31_000).toISOString() });
  expect([sooner.kept[0]?.deadline, sooner.begun[0]?.asked.timeoutMs]).toEqual([31_000, 30_000]);
});

test('the steps of a workflow that takes too long are cancelled', async () => {
  const there = world({ timeoutMs: 30 });
  there.execute = never;
  const outcome = await there.run([step('one'), step('two'), step('three', { depends: ['two'] })]);
  expect(outcome).toMatchObject({ state: 'failed', data: { error: { data: { reason: 'workflow-deadline' } } } });
  expect(there.cancelled).toEqual(['one', 'two']);
});

test('a workflow whose replica closes is left to another, and its steps go on', async () => {
  const there = world();
  there.execute = never;
  const outcome = there.run([step('one')]);
  await until(() => there.begun.length === 1);
  there.stop.abort(requestDraining());
  expect(await outcome).toBeUndefined();
  expect([there.left, there.cancelled]).toEqual([1, []]);
});

test('who may not call agents begins no workflow, and goes on with none', async () => {
  const there = world();
  const lesser: Principal = { ...ann, scopes: new Set(['knowledge:query', 'tasks']) };
  const refused = { data: { reason: 'missing-scope' } };
  await expect(there.run([step('one')], {}, lesser)).rejects.toMatchObject(refused);
  await there.run([step('one')]);
  await expect(there.skill.lasting?.goOn(there.callOf(lesser))).rejects.toMatchObject(refused);
  expect(there.begun).toHaveLength(1);
});

test('an administrator who answers does not lend its rights: the steps are those of who has asked', async () => {
  const there = world();
  there.execute = async (row) => void Object.assign(row, { state: 'INPUT_REQUIRED', at: 0, said: null });
  expect(await there.run([step('one'), step('two', { depends: ['one'] })])).toMatchObject({ state: 'input-required' });
  there.execute = async (row) => void Object.assign(row, { state: 'COMPLETED', at: 0 });
  const admin: Principal = { ...localPrincipal, agentId: 'root' };
  await there.skill.lasting?.goOn(there.callOf(admin, messageOf({ text: 'Ann' })));
  expect(there.recalled).toMatchObject([{ agentId: 'ann' }]);
  expect(there.begun.map(({ asked }) => asked.principal.agentId)).toEqual(['ann', 'of its maker', 'of its maker']);
});

test('the steps of who may do nothing any more are cancelled', async () => {
  const there = world({ recall: () => Promise.reject(new Error('The key was revoked')) });
  there.execute = never;
  void there.run([step('one')]);
  await until(() => there.begun.length === 1);
  await expect(there.skill.lasting?.takeUp(there.callOf(ann))).rejects.toThrow('revoked');
  expect(there.cancelled).toEqual(['one']);
  there.stop.abort(requestDraining());
});

test('results that are too long together fail the step that needs them, though each is short enough', async () => {
  const there = world({ longestResults: 1_000 });
  there.made = () => ({ text: 'x'.repeat(600) });
  const from = (...steps: string[]) => step('last', { parameters: { all: steps.map(($result) => ({ $result })) } });
  expect(await there.run([step('one'), step('two'), from('one')])).toMatchObject({ state: 'completed' });
  const more = world({ longestResults: 1_000 });
  more.made = there.made;
  const outcome = await more.run([step('one'), step('two'), from('one', 'two')]);
  expect(dataOf(outcome).steps[2]).toMatchObject({ state: 'failed', error: { reason: 'workflow-results' } });
});

test('a list counts as many tasks as it may have, of which 1,000 are allowed', async () => {
  const each = (max: number) => step('each', { forEach: { $result: 'list', pointer: '/all', max } });
  const there = world();
  there.made = () => ({ all: [] });
  expect(await there.run([step('list'), each(999)])).toMatchObject({ state: 'completed' });
  await expect(there.run([step('list'), each(1_000)])).rejects.toMatchObject({
    data: { reason: 'workflow-invalid', faults: [{ fault: 'too-many-tasks' }] },
  });
});

test('of 1,000 steps that come after 1,000 each that are none, 100 faults are told', async () => {
  const depends = Array.from({ length: 1_000 }, (_, number) => `none-${number}`);
  const error = await world()
    .run([step('one', { depends }), step('two', { depends })])
    .catch((thrown: { message: string; data: { faults: object[] } }) => thrown);
  expect(error).toMatchObject({ message: expect.stringContaining('(and 1999 more)') });
  expect((error as { data: { faults: object[] } }).data.faults).toHaveLength(100);
});

test('the steps of a workflow are asked with no more than it may have as a whole, and what they made counts too', async () => {
  const fan = [step('one'), ...Array.from({ length: 20 }, (_, n) => step(`s${n}`, { parameters: { $result: 'one' } }))];
  const made = { text: 'x'.repeat(500) };
  const there = world({ longestWhole: 2_500, atOnce: 1 });
  there.made = () => made;
  there.execute = async (row) => void Object.assign(row, { state: 'COMPLETED', at: 0, length: 600 });
  const outcome = await there.run(fan);
  expect(outcome).toMatchObject({
    state: 'failed',
    data: { error: { data: { reason: 'workflow-size', limit: 2_500 } } },
  });
  expect([there.begun.length, dataOf(outcome).steps.at(-1)]).toEqual([
    4,
    expect.objectContaining({ state: 'pending' }),
  ]);
  const more = world({ longestWhole: 100_000, atOnce: 1 });
  more.made = () => made;
  expect(await more.run(fan)).toMatchObject({ state: 'completed' });
  // Of the tasks that are begun together none is, where there is no room for all.
  const together = world({ longestWhole: 2_500 });
  together.made = () => made;
  expect(await together.run(fan)).toMatchObject({ state: 'failed' });
  expect(together.begun).toHaveLength(1);
});

const faults = {
  away: () => new neo4j.Neo4jError('No server', neo4j.error.SERVICE_UNAVAILABLE, '', ''),
  'too busy': () => new neo4j.Neo4jError('Late', 'Neo.ClientError.Transaction.TransactionTimedOut', '', ''),
};
const faultKinds = Object.keys(faults) as (keyof typeof faults)[];

test.each(faultKinds.flatMap((kind) => (['find', 'read', 'answer'] as const).map((where) => [kind, where] as const)))(
  'an answer is passed on though the database is %s just then: at the %s',
  async (kind, where) => {
    const there = world();
    there.execute = async (row) => void Object.assign(row, { state: 'INPUT_REQUIRED', at: 0 });
    expect(await there.run([step('one')])).toMatchObject({ state: 'input-required' });
    there.execute = async (row) => void Object.assign(row, { state: 'COMPLETED', at: 0 });
    let times = 0;
    there[where] = async () => {
      times += 1;
      if (times === 1) throw faults[kind]();
    };
    const outcome = await there.skill.lasting?.goOn(there.callOf(ann, messageOf({ text: 'Blue' })));
    expect(outcome).toMatchObject({ state: 'completed' });
    expect(there.begun.slice(1).map(({ asked }) => asked.message.parts[0]?.content?.value)).toEqual(['Blue']);
  },
);

test.each(faultKinds)(
  'a workflow that cannot be taken up, for the database is %s, is left to be taken up',
  async (kind) => {
    const there = world();
    there.execute = never;
    void there.run([step('one')]);
    await until(() => there.begun.length === 1);
    there.find = () => Promise.reject(faults[kind]());
    expect(await there.skill.lasting?.takeUp(there.callOf(ann))).toBeUndefined();
    expect(there.cancelled).toEqual([]);
    there.stop.abort(requestDraining());
  },
);

test.each(faultKinds)('a replica that closes while the database is %s ends no workflow', async (kind) => {
  const there = world();
  there.execute = never;
  there.leave = () => Promise.reject(faults[kind]());
  const outcome = there.run([step('one')]);
  await until(() => there.begun.length === 1);
  there.stop.abort(requestDraining());
  expect(await outcome).toBeUndefined();
});
