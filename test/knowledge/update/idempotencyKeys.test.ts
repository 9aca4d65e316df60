import { beforeEach, expect, test } from '@jest/globals';
import { keySweep } from '../../../src/knowledge/update/keySweep.ts';
import type { UpdateResult } from '../../../src/knowledge/update/propose.ts';
import { add, schemaOrg } from '../../support/patches.ts';
import { call } from '../../support/service.ts';
import { useDatabase, useService } from '../../support/setUp.ts';

const hourMs = 3_600_000;
const name = `${schemaOrg}name`;
const database = useDatabase();
let subject = '';

const service = useService({ IDEMPOTENCY_KEY_HOURS: '2', AGENT_TRUST: 'rumour=0.2' });
beforeEach(() => {
  subject = `urn:key:${crypto.randomUUID()}`;
});

function say(value: string, idempotencyKey: string, sourceAgentId = 'ann') {
  const params = { mutations: [add(subject, name, value)], sourceAgentId, metadata: { idempotencyKey } };
  return call<UpdateResult>(service.url, 'knowledge/update', params);
}

/** As if the update had been proposed so many minutes ago. */
async function age({ result }: { result: UpdateResult }, minutes: number): Promise<void> {
  await database.run(
    'WRITE',
    'MATCH (u:Update {id: $id}) SET u.proposedAt = u.proposedAt - duration({minutes: toInteger($minutes)})',
    { id: result.updateId, minutes },
  );
}

async function values(): Promise<unknown[]> {
  const rows = await database.run<{ value: unknown }>(
    'READ',
    'MATCH (:Entity {id: $subject})-[r:NAME]->(o) RETURN o.value AS value ORDER BY value',
    { subject },
  );
  return rows.map(({ value }) => value);
}

async function keyOf({ result }: { result: UpdateResult }): Promise<string | null | undefined> {
  const [row] = await database.run<{ key: string | null }>(
    'READ',
    'MATCH (u:Update {id: $id}) RETURN u.idempotencyKey AS key',
    { id: result.updateId },
  );
  return row?.key;
}

function sweep(): Promise<void> {
  const parts = { keysSince: () => Date.now() - 2 * hourMs, onError: () => {} };
  return keySweep(database, parts).sweep();
}

test('a key stands for its update for the time that is set', async () => {
  const first = await say('first', subject);
  await age(first, 119);
  expect((await say('second', subject)).result).toEqual(first.result);
  expect(await values()).toEqual(['first']);
});

test('a key that has had its time counts as new, and then stands for the new update', async () => {
  const first = await say('first', subject);
  await age(first, 121);
  const second = await say('second', subject);
  expect(second.result.updateId).not.toBe(first.result.updateId);
  expect(second.result).toMatchObject({ success: true, statementsAffected: 1 });
  expect((await say('third', subject)).result).toEqual(second.result);
  expect(await values()).toEqual(['first', 'second']);
  expect([await keyOf(first), await keyOf(second)]).toEqual([null, subject]);
});

test('an update that changes nothing takes no key from the one before', async () => {
  const first = await say('first', subject);
  await age(first, 121);
  expect((await say('first', subject)).result.updateId).toBeUndefined();
  expect(await keyOf(first)).toBe(subject);
});

test("another agent's key of the same text keeps its own time", async () => {
  const first = await say('first', subject);
  const other = await say('other', subject, 'bob');
  await age(first, 121);
  await say('second', subject);
  expect((await say('third', subject, 'bob')).result).toEqual(other.result);
});

test('a proposal that waits longer than its key is approved all the same, also when the key is used again', async () => {
  const held = await say('held', subject, 'rumour');
  expect(held.result.verificationStatus).toBe('Pending Review');
  await age(held, 121);
  const again = await say('held again', subject, 'rumour');
  expect(again.result.updateId).not.toBe(held.result.updateId);
  for (const { result } of [held, again]) {
    const approval = { action: 'approve', updateId: result.updateId };
    const { result: approved } = await call<UpdateResult>(service.url, 'knowledge/review', approval);
    expect(approved).toMatchObject({ success: true, statementsAffected: 1 });
  }
  expect(await values()).toEqual(['held', 'held again']);
  expect([await keyOf(held), await keyOf(again)]).toEqual([null, subject]);
});

test('the sweep lets go of the keys that are due and of no other, and again does nothing', async () => {
  const due = await say('due', `${subject} due`);
  const later = await say('later', `${subject} later`);
  await age(due, 121);
  await age(later, 119);
  await Promise.all([sweep(), sweep()]);
  expect([await keyOf(due), await keyOf(later)]).toEqual([null, `${subject} later`]);
  await sweep();
  expect(await keyOf(later)).toBe(`${subject} later`);
  expect(await values()).toEqual(['due', 'later']);
});

test('one sweep lets go of more keys than a transaction takes', async () => {
  await database.run(
    'WRITE',
    `UNWIND range(1, 2100) AS n
     CREATE (:Update {tenant: 'sweep', id: 'swept' + n, sourceAgentId: 'ann', idempotencyKey: 'k' + n, proposedAt: datetime() - duration('P1D')})`,
  );
  await sweep();
  const [row] = await database.run<{ left: number }>(
    'READ',
    "MATCH (u:Update {tenant: 'sweep'}) WHERE u.idempotencyKey IS NOT NULL RETURN count(*) AS left",
  );
  expect(row?.left).toBe(0);
});
