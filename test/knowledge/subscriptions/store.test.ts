import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { migrate } from '../../../src/graph/setup/migrations.ts';
import { SubscriptionStore } from '../../../src/knowledge/subscriptions/store.ts';
import type { StoredSubscription } from '../../../src/knowledge/subscriptions/stored.ts';
import { emptyGraph } from '../../support/service.ts';
import { useDatabase } from '../../support/setUp.ts';

const database = useDatabase();
let [one, other] = [] as unknown as [SubscriptionStore, SubscriptionStore];
beforeAll(async () => {
  await emptyGraph();
  await migrate(database);
  [one, other] = [new SubscriptionStore(database, 'one'), new SubscriptionStore(database, 'other')];
});
beforeEach(() => database.run('WRITE', 'MATCH (s:ChangeSubscription) DETACH DELETE s'));

const ann = { tenant: 'north', owner: 'ann' };
const created = (more: Partial<StoredSubscription> = {}) =>
  one.create({
    ...{ ...ann, id: randomUUID(), wanted: { subscriptionQuery: 's' }, receiver: { url: 'https://a' }, cursor: 0 },
    ...more,
  });
const leaseOf = async ({ id }: { id: string }) => {
  const query = 'MATCH (s:ChangeSubscription {id: $id}) RETURN s.leaseUntil > datetime() AS isHeld';
  return (await database.run<{ isHeld: boolean | null }>('READ', query, { id }))[0]?.isHeld;
};
/** One that the first replica serves. */
async function served(): Promise<StoredSubscription> {
  const subscription = await created();
  await one.takeOver(10, 60_000);
  return subscription;
}

test('is found, paused, resumed and removed by its owner, and by nobody else', async () => {
  const subscription = await created();
  const { id } = subscription;
  for (const stranger of [
    { ...ann, owner: 'bob', id },
    { ...ann, tenant: 'south', id },
  ]) {
    expect(await one.find(stranger)).toBeUndefined();
    expect(await one.pause(stranger)).toBeUndefined();
    expect(await one.resume(stranger, 'key')).toBeUndefined();
    expect(await one.remove(stranger)).toBe(false);
  }
  expect(await one.find(subscription)).toEqual(subscription);
  expect(await one.pause(subscription)).toMatchObject({ pauseReason: 'asked' });
  expect((await one.resume(subscription, 'key'))?.keyId).toBe('key');
  expect(await one.remove(subscription)).toBe(true);
});

test('of those made at one time each is on one page', async () => {
  const all = await Promise.all(Array.from({ length: 5 }, () => created()));
  await created({ owner: 'bob' });
  await database.run('WRITE', "MATCH (s:ChangeSubscription) SET s.createdAt = datetime('2026-01-01')");
  const listed: string[] = [];
  for (let last: StoredSubscription | undefined; ; ) {
    const page: StoredSubscription[] = await one.list(ann, 2, last);
    listed.push(...page.map(({ id }) => id));
    last = page.at(-1);
    if (!last) break;
  }
  expect(listed).toEqual(all.map(({ id }) => id).sort());
  expect(await one.counts(ann)).toEqual({ own: 5, all: 6 });
});

test('what was acknowledged is not undone by an answer that comes late', async () => {
  const subscription = await served();
  await one.delivered(subscription, 9);
  await one.delivered(subscription, 5);
  expect(await one.find(subscription)).toMatchObject({ cursor: 9, deliveredSequence: 9 });
});

test('one that is resumed has failed at nothing', async () => {
  const subscription = await served();
  expect([await one.failed(subscription, 'x'), await one.failed(subscription, 'y')]).toEqual([1, 2]);
  expect(await one.giveUp(subscription, 'receiver-failing', 4)).toBe(true);
  expect(await one.find(subscription)).toMatchObject({ failures: 2, failure: 'y', oldest: 4 });
  const resumed = await one.resume(subscription, undefined);
  expect(resumed).toMatchObject({ failures: 0 });
  for (const name of ['failure', 'failingSince', 'oldest', 'pausedAt', 'pauseReason'])
    expect(resumed).not.toHaveProperty(name);
});

test('what one replica serves no other moves, counts, ends or lets go, also when its lease is over', async () => {
  const subscription = await served();
  expect(await other.serving(subscription)).toBeUndefined();
  expect(await other.delivered(subscription, 7)).toBe(false);
  expect(await other.failed(subscription, 'x')).toBeUndefined();
  expect(await other.giveUp(subscription, 'x')).toBe(false);
  expect(await other.renew([{ ...subscription, position: 7 }], 60_000)).toEqual([]);
  await other.release([subscription]);
  expect(await leaseOf(subscription)).toBe(true);
  expect(await one.find(subscription)).toMatchObject({ cursor: 0, failures: 0 });
  expect(await other.takeOver(10, 60_000)).toEqual([]);
  await database.run('WRITE', "MATCH (s:ChangeSubscription) SET s.leaseUntil = datetime() - duration('PT1S')");
  expect(await one.serving(subscription)).toBeUndefined();
});

test('its cursor moves on past what does not concern it, and never back', async () => {
  const subscription = await served();
  expect(await one.renew([{ ...subscription, position: 7 }], 60_000)).toHaveLength(1);
  await one.renew(
    [
      { ...subscription, position: 3 },
      { tenant: 'north', id: 'gone' },
    ],
    60_000,
  );
  expect(await one.find(subscription)).toMatchObject({ cursor: 7 });
  await one.release([subscription]);
  expect(await leaseOf(subscription)).toBe(false);
  expect(await other.takeOver(10, 60_000)).toHaveLength(1);
});
