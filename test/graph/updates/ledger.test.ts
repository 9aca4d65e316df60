import { beforeEach, expect, test } from '@jest/globals';
import { migrate } from '../../../src/graph/setup/migrations.ts';
import { readPlace } from '../../../src/graph/updates/changeLog.ts';
import {
  findUpdate,
  findUpdates,
  type Ledger,
  listUpdates,
  lockLedger,
  readLedger,
  recordChanges,
  recordUpdates,
  releaseKeys,
} from '../../../src/graph/updates/ledger.ts';
import type { PendingUpdate, UpdateKey, UpdateRecord } from '../../../src/graph/updates/updateRecord.ts';
import { holdLock, untilBlocked } from '../../support/heldLock.ts';
import { emptyGraph } from '../../support/service.ts';
import { useDatabase } from '../../support/setUp.ts';

const database = useDatabase();
beforeEach(async () => {
  await emptyGraph();
  await migrate(database);
});

const at = Date.parse('2025-01-01T00:00:00Z');
const pending = (id: string, proposedAt: number, more: Partial<PendingUpdate> = {}): PendingUpdate => ({
  id,
  status: 'pending',
  proposal: '[]',
  sourceAgentId: 'atlas',
  proposedAt,
  ...more,
});
const keyed = (id: string, idempotencyKey: string, more: Partial<PendingUpdate> = {}) =>
  pending(id, at, { idempotencyKey, ...more });

const record = (tenant: string, updates: UpdateRecord[], keysSince = 0) =>
  database.write((tx) => recordUpdates(tx, tenant, updates, keysSince), 10_000);
const find = (tenant: string, keys: UpdateKey[], keysSince = 0) =>
  database.read((tx) => findUpdates(tx, tenant, keys, keysSince), 10_000);
const idsOf = (updates: (UpdateRecord | undefined)[]) => updates.map((each) => each?.id);
const listed = async (first: number, after?: string) =>
  idsOf(
    await database.read(
      (tx) => listUpdates(tx, 'north', { status: 'pending', first, ...(after && { after }) }),
      10_000,
    ),
  );

test('an update of another tenant is no place in a list, as one that nobody made', async () => {
  await record('north', [pending('n1', at), pending('n2', at + 2_000)]);
  await record('south', [pending('s1', at + 1_000)]);
  expect(await listed(10, 'n1')).toEqual(['n2']);
  expect(await listed(10, 's1')).toEqual(await listed(10, 'nobody'));
});

test('updates that were proposed at one time are listed by their ids, over pages, without a gap', async () => {
  await record(
    'north',
    ['c', 'a', 'd', 'b'].map((id) => pending(id, at)),
  );
  await record('north', [pending('0', at + 1), { ...pending('e', at), status: 'rejected' }]);
  expect(await listed(2)).toEqual(['a', 'b']);
  expect(await listed(2, 'b')).toEqual(['c', 'd']);
  expect(await listed(2, 'd')).toEqual(['0']);
  expect(await listed(2, '0')).toEqual([]);
});

test("another tenant's update is unknown, by its id and by its key", async () => {
  await record('south', [keyed('s1', 'k')]);
  expect(await database.read((tx) => findUpdate(tx, 'north', 's1'), 10_000)).toBeUndefined();
  expect(await database.read((tx) => findUpdate(tx, 'south', 's1'), 10_000)).toMatchObject(keyed('s1', 'k'));
  expect(await find('north', [{ id: 'new', sourceAgentId: 'atlas', idempotencyKey: 'k' }])).toEqual([undefined]);
});

test("an update is found by its id, or by its agent's key from that time on, each in its place", async () => {
  await record('north', [keyed('u1', 'k1'), keyed('u2', 'k2'), keyed('u3', 'k1', { sourceAgentId: 'other' })]);
  const keys = [
    { id: 'new', sourceAgentId: 'atlas', idempotencyKey: 'k2' },
    { id: 'new', sourceAgentId: 'atlas', idempotencyKey: 'k3' },
    { id: 'u2', sourceAgentId: 'atlas', idempotencyKey: 'k1' },
    { id: 'new', sourceAgentId: 'other', idempotencyKey: 'k1' },
    { id: 'new', sourceAgentId: 'other', idempotencyKey: 'k2' },
    { id: 'new', sourceAgentId: 'atlas' },
  ];
  expect(idsOf(await find('north', keys, at))).toEqual(['u2', undefined, 'u2', 'u3', undefined, undefined]);
  expect(idsOf(await find('north', keys, at + 1))).toEqual([
    undefined,
    undefined,
    'u2',
    undefined,
    undefined,
    undefined,
  ]);
});

test('an old key goes to the update that uses it again, and a younger one stays', async () => {
  await record('north', [keyed('u1', 'k')]);
  await expect(record('north', [keyed('u2', 'k', { proposedAt: at + 1 })], at)).rejects.toThrow();
  await record('north', [keyed('u2', 'k', { proposedAt: at + 1 })], at + 1);
  const byKey = { id: 'new', sourceAgentId: 'atlas', idempotencyKey: 'k' };
  expect(idsOf(await find('north', [byKey]))).toEqual(['u2']);
  expect((await find('north', [{ id: 'u1', sourceAgentId: 'atlas' }]))[0]).not.toHaveProperty('idempotencyKey');
});

test('an update that is brought up to date keeps who proposed it, when, and its key', async () => {
  await record('north', [keyed('u1', 'k', { taskId: 't1' })]);
  const { proposal: _, ...rest } = keyed('u1', 'k', { taskId: 't1' });
  const outcome = { status: 'applied' as const, revision: 7, statementsAffected: 2, affectedIds: ['urn:a'] };
  const applied: UpdateRecord = { ...rest, ...outcome, idempotencyKey: 'other', proposedAt: at + 5 };
  await record('north', [applied]);
  // Its own key is none that another uses again, however old it is.
  await record('north', [{ ...applied, idempotencyKey: 'k' }], at + 1_000);
  const [found] = await find('north', [{ id: 'u1', sourceAgentId: 'atlas' }]);
  expect(found).toEqual({ ...rest, ...outcome, tenant: 'north' });
  const made = await database.run(
    'READ',
    'MATCH (a:Agent)-[:PROPOSED]->(u:Update)<-[:MADE]-(t:Task) RETURN a.id AS agent, t.id AS task, a.tenant AS one, t.tenant AS other',
  );
  expect(made).toEqual([{ agent: 'atlas', task: 't1', one: 'north', other: 'north' }]);
});

test('keys are let go of all tenants, oldest first, as many as are asked for, and none that is younger', async () => {
  const keys = [5, 1, 3].map((minute) => keyed(`u${minute}`, `k${minute}`, { proposedAt: at + minute }));
  await record('north', keys);
  await record('south', [keyed('s2', 'k2', { proposedAt: at + 2 })]);
  const release = (since: number, limit: number) => database.write((tx) => releaseKeys(tx, since, limit), 10_000);
  const left = async () =>
    (
      await database.run<{ key: string }>(
        'READ',
        'MATCH (u:Update) WHERE u.idempotencyKey IS NOT NULL RETURN u.idempotencyKey AS key ORDER BY key',
      )
    ).map(({ key }) => key);
  expect(await release(at + 5, 2)).toBe(2);
  expect(await left()).toEqual(['k3', 'k5']);
  expect(await release(at + 5, 2)).toBe(1);
  expect(await left()).toEqual(['k5']);
  expect(await release(at + 5, 2)).toBe(0);
});

test("changes are numbered without a gap over updates, and a tenant's ledger is its own", async () => {
  await record('north', [pending('u1', at), pending('u2', at)]);
  const change = (changeId: string, more: object = {}) =>
    ({ changeId, op: 'add', statement: { changeId }, ...more }) as never;
  const changes = [
    { updateId: 'u1', changes: [change('a', { previous: [{ was: 1 }] }), change('b')] },
    { updateId: 'u2', changes: [change('c')] },
  ];
  await database.write(async (tx) => {
    const ledger: Ledger = await lockLedger(tx, 'north');
    expect(ledger).toEqual({ revision: 0, sequence: 0 });
    await recordChanges(tx, 'north', { ledger: { revision: 4, sequence: 10 }, updates: changes, at });
  }, 10_000);
  const read = (tenant: string) => database.read((tx) => readLedger(tx, tenant), 10_000);
  expect(await read('north')).toEqual({ revision: 6, sequence: 13 });
  const locked = await database.write((tx) => lockLedger(tx, 'north'), 10_000);
  expect(locked).toEqual({ revision: 6, sequence: 13, changedAt: at });
  const place = (after: number) => database.read((tx) => readPlace(tx, 'north', after), 10_000);
  expect(await Promise.all([0, 11, 13].map(place))).toEqual([{ sequence: 11, at }, { sequence: 12, at }, undefined]);
  expect(await read('south')).toEqual({ revision: 0, sequence: 0 });
  const rows = await database.run(
    'READ',
    `MATCH (u:Update)-[:CONTAINS]->(c:Change)
     RETURN u.id AS update, c.sequence AS sequence, c.changeId AS id, c.tenant AS tenant, c.op AS op, c.statement AS statement,
       c.previous AS previous, c.timestamp.epochMillis AS timestamp ORDER BY sequence`,
  );
  const row = (update: string, sequence: number, id: string, previous: string | null = null) => ({
    update,
    sequence,
    id,
    tenant: 'north',
    op: 'add',
    statement: JSON.stringify({ changeId: id }),
    previous,
    timestamp: at,
  });
  expect(rows).toEqual([row('u1', 11, 'a', '[{"was":1}]'), row('u1', 12, 'b'), row('u2', 13, 'c')]);
});

test('who locks the ledger waits for the update that has it, and finds the ledger as that leaves it', async () => {
  const lockNorth = () => database.write((tx) => lockLedger(tx, 'north'), 30_000);
  expect(await lockNorth()).toEqual({ revision: 0, sequence: 0 });
  const lock = await holdLock(database, "MATCH (l:Ledger {tenant: 'north'}) SET l.revision = 3, l.sequence = 8");
  const second = lockNorth();
  await untilBlocked(database);
  // Another tenant's updates go on.
  expect(await database.write((tx) => lockLedger(tx, 'south'), 30_000)).toEqual({ revision: 0, sequence: 0 });
  await lock.letGo();
  expect(await second).toEqual({ revision: 3, sequence: 8 });
});

test('a ledger is held for as long as a backup said, and no longer', async () => {
  const lock = () => database.write((tx) => lockLedger(tx, 'north'), 10_000);
  const hold = (seconds: number) =>
    database.run('WRITE', 'MATCH (l:Ledger) SET l.heldUntil = datetime() + duration({seconds: $seconds})', { seconds });
  await lock();
  await hold(600);
  await expect(lock()).rejects.toMatchObject({ data: { reason: 'writes-held', retryable: true } });
  await hold(-1);
  expect(await lock()).toMatchObject({ revision: 0 });
});
