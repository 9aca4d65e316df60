import { ListTasksRequest, TaskPushNotificationConfig, TaskState } from '@a2a-js/sdk';
import { beforeAll, expect, test } from '@jest/globals';
import neo4j from 'neo4j-driver';
import type { Queryable } from '../../../src/graph/database/queryable.ts';
import { newReceipt, tombstoneOf } from '../../../src/graph/erasing/tombstone.ts';
import { renewLeases } from '../../../src/graph/leases/leases.ts';
import { Dictionary } from '../../../src/graph/names/dictionary.ts';
import { migrate } from '../../../src/graph/setup/migrations.ts';
import type { Statement } from '../../../src/graph/statements/statement.ts';
import {
  type Attributed,
  type Attribution,
  StatementTransactor,
} from '../../../src/graph/statements/statementTransactor.ts';
import {
  findUpdates,
  lockLedger,
  readLedger,
  recordChanges,
  recordUpdates,
  releaseKeys,
} from '../../../src/graph/updates/ledger.ts';
import type { UpdateRecord } from '../../../src/graph/updates/updateRecord.ts';
import { PurgeRun } from '../../../src/knowledge/purge/purgeRun.ts';
import { readEvents, readStandings } from '../../../src/tasks/following/followTasks.ts';
import { askToCancel, readCancelAsked } from '../../../src/tasks/running/leases.ts';
import { taskSweep } from '../../../src/tasks/running/taskSweep.ts';
import { Tasks } from '../../../src/tasks/tasks.ts';
import { recording, scansOf } from '../../support/plans.ts';
import { emptyGraph } from '../../support/service.ts';
import { useDatabase } from '../../support/setUp.ts';
import { contextOf, statusAt, taskOf } from '../../tasks/contexts.ts';

const database = useDatabase();
const tenant = 'north';
const [knows, name, person] = ['urn:p:knows', 'urn:p:name', 'urn:c:Person'];
const update: UpdateRecord = {
  id: 'u1',
  status: 'applied',
  sourceAgentId: 'ann',
  proposedAt: 0,
  idempotencyKey: 'k',
  revision: 1,
  statementsAffected: 2,
  affectedIds: ['urn:s'],
};
const by: Attribution = { updateId: 'u1', sourceAgentId: 'ann', recordedAt: 0, revision: neo4j.int(1) };

beforeAll(async () => {
  await emptyGraph();
  await migrate(database);
});

function stated(id: string, predicate: string, object: Statement['object']): Attributed {
  const statement: Statement = { subject: { id: 'urn:s' }, predicate: { id: predicate }, object };
  return { id, statement, observedAt: 0, voices: [{ sourceAgentId: 'ann', observedAt: 0 }], by };
}

/** What updates do to the graph, each thing once. */
async function write(tx: Queryable, dictionary: Dictionary): Promise<void> {
  const graph = new StatementTransactor(tx, tenant, dictionary);
  const ledger = await lockLedger(tx, tenant);
  await findUpdates(tx, tenant, [update], 0);
  await recordUpdates(tx, tenant, [update], 0);
  const link = stated('s1', knows, { id: 'urn:o' });
  const literal = stated('s2', name, { value: 'Ann', type: 'http://www.w3.org/2001/XMLSchema#string' });
  await graph.state(
    [
      { id: 'urn:s', classIri: person, properties: { name: 'Ann' } },
      { id: 'urn:o', properties: {} },
    ],
    [link, literal],
  );
  await recordChanges(tx, tenant, {
    ledger,
    updates: [{ updateId: 'u1', changes: [{ changeId: 'c1', op: 'add', statement: link.statement }] }],
    at: 0,
  });
  expect((await graph.byId(knows, ['s1'])).map(({ statement }) => statement.object)).toEqual([{ id: 'urn:o' }]);
  expect((await graph.bySubject(name, ['urn:s'])).map(({ id }) => id)).toEqual(['s2']);
  expect(await graph.entities(['urn:s', 'urn:o', 'urn:none'])).toEqual(
    new Map([
      ['urn:s', { type: person }],
      ['urn:o', {}],
    ]),
  );
  await graph.revise(knows, [link]);
  await graph.retire(knows, [link]);
  await graph.project([{ id: 'urn:s', properties: { name: null } }]);
  await graph.rateAnew(['urn:s']);
  await readLedger(tx, tenant);
  await releaseKeys(tx, 1, 10);
}

test('what an update looks up is sought in an index, also while Neo4j takes the indexes for empty', async () => {
  const dictionary = await Dictionary.load(database);
  await dictionary.ensure([knows, name], [person]);
  const { database: recorded, asked } = recording(database);
  await recorded.write((tx) => write(tx, dictionary), 60_000);
  // What is new isn't in the statistics of an index yet.
  await database.run(
    'WRITE',
    `UNWIND range(1, 5000) AS number
     CREATE (:Entity {tenant: $tenant, id: 'urn:new:' + number})-[:KNOWS {statementId: 'new' + number}]->(:Literal)`,
    { tenant },
  );
  expect(asked.size).toBeGreaterThan(12);
  expect(await scansOf(database, asked)).toEqual({});
});

test('what a purge looks up is sought in an index', async () => {
  const dictionary = await Dictionary.load(database);
  const { database: recorded, asked } = recording(database);
  const endReviewed = async () => () => {};
  const parts = { database: recorded, dictionary, timeoutMs: 60_000, now: Date.now, endReviewed };
  for (const predicate of [name, undefined]) {
    const told = stated(`told ${predicate}`, knows, { id: 'urn:o' });
    const source = { ...told.statement, provenance: { by: 'urn:o' } };
    const other = { ...source, subject: { id: 'urn:other' }, object: { id: 'urn:third' } };
    await database.write(async (tx) => {
      const graph = new StatementTransactor(tx, tenant, dictionary);
      const ledger = await lockLedger(tx, tenant);
      const literal = stated(`named ${predicate}`, name, {
        value: 'Ann',
        type: 'http://www.w3.org/2001/XMLSchema#string',
      });
      await graph.state(
        [
          { id: 'urn:s', properties: {} },
          { id: 'urn:o', properties: {} },
        ],
        [told, literal],
      );
      const changes = [told.statement, literal.statement, other].map((statement, index) => ({
        changeId: `${predicate} ${index}`,
        op: 'add' as const,
        statement,
      }));
      await recordChanges(tx, tenant, { ledger, updates: [{ updateId: 'u1', changes }], at: 0 });
    }, 60_000);
    for (const subject of ['urn:s', 'urn:o']) {
      const erasure = { subject, ...(predicate !== undefined && { predicate }) };
      const stone = tombstoneOf(newReceipt(), { tenant, erasedBy: 'ann', ...erasure });
      const run = new PurgeRun(parts, erasure, stone);
      await run.look(new AbortController().signal);
      await run.erase(new AbortController().signal);
    }
  }
  expect(asked.size).toBeGreaterThan(20);
  expect(await scansOf(database, asked)).toEqual({});
});

test('what becomes of a task is sought in an index', async () => {
  const { database: recorded, asked } = recording(database);
  const tasks = new Tasks({ database: recorded, onError: fail });
  const [ann, admin] = [contextOf('ann'), contextOf('root', { scopes: ['tasks', 'admin'] })];
  const task = taskOf({ status: statusAt(TaskState.TASK_STATE_INPUT_REQUIRED, 1) });
  const key = { tenant, id: task.id };
  try {
    await tasks.taskStore.save(task, ann);
    for (const context of [ann, admin]) {
      await tasks.taskStore.load(task.id, context);
      for (const contextId of ['', task.contextId])
        await tasks.taskStore.list({ ...ListTasksRequest.fromJSON({}), contextId, pageSize: 10 }, context);
    }
    const config = TaskPushNotificationConfig.fromJSON({ url: 'https://example.org/hook' });
    await tasks.pushStore.save(task.id, ann, config);
    await tasks.pushStore.ofTask(key, 'ann');
    await tasks.pushStore.delete(task.id, ann, config.id);
    await recorded.write(async (tx) => {
      await askToCancel(tx, key);
      await readCancelAsked(tx, [key]);
      await renewLeases(tx, 'Task', [key], { replica: 'one', leaseMs: 1_000 });
      await readStandings(tx, [key]);
      await readEvents(tx, [{ ...key, after: 0, to: 1 }]);
      await tasks.endReviewed(tx, tenant, [{ taskId: task.id }]);
    }, 60_000);
    await tasks.sweep();
    await database.run('WRITE', "MATCH (t:Task {id: $id}) SET t.state = 'COMPLETED'", { id: task.id });
    await taskSweep(recorded, { keptMs: 0, now: Date.now, onError: fail }).sweep();
  } finally {
    await tasks.close();
  }
  expect(asked.size).toBeGreaterThan(18);
  expect(await scansOf(database, asked)).toEqual({});
});

function fail(error: unknown): never {
  throw error;
}
