import { expect, test } from '@jest/globals';
import { Neo4jError } from 'neo4j-driver';
import { NotAligned } from '../../../src/knowledge/update/commit.ts';
import type { UpdateResult } from '../../../src/knowledge/update/propose.ts';
import { WriteQueue } from '../../../src/knowledge/update/writeQueue.ts';
import { gate } from '../../support/gate.ts';
import { add, remove, replace, schemaOrg, world } from '../../support/patches.ts';
import { type Answer, call, startTestService } from '../../support/service.ts';
import { useDatabase, useService } from '../../support/setUp.ts';

const database = useDatabase();

const service = useService({ AGENT_TRUST: 'rumour=0.2' });

const send = (mutations: object[], more: object = {}) =>
  call<UpdateResult>(service.url, 'knowledge/update', { mutations, sourceAgentId: 'atlas', ...more });
const name = `${schemaOrg}name`;

/** What the log and the ledger of the one tenant say. */
const log = () =>
  database.run<{ sequence: number; revision: number; updateId: string; agent: string; transaction: string }>(
    'READ',
    `MATCH (u:Update)-[:CONTAINS]->(c:Change)
     RETURN c.sequence AS sequence, u.revision AS revision, u.id AS updateId, u.sourceAgentId AS agent, toString(c.timestamp) AS transaction
     ORDER BY sequence`,
  );

const sent = async (updates: Promise<Answer<UpdateResult>>[]) =>
  (await Promise.all(updates)).map(({ result, error }) => result ?? error);

test('updates that arrive together share transactions, and each has its own revision, changes and attribution', async () => {
  const count = 60;
  const results = await sent(
    Array.from({ length: count }, (_, n) =>
      send([add(`urn:s:${n}`, name, `name ${n}`), add(`urn:s:${n}`, `${world}borders`, { id: 'urn:hub' })], {
        sourceAgentId: `agent-${n % 7}`,
        taskId: `task-${n}`,
      }),
    ),
  );
  expect(results.map(({ success, statementsAffected }) => [success, statementsAffected])).toEqual(
    Array.from({ length: count }, () => [true, 2]),
  );
  const revisions = results.map(({ revision }) => revision ?? 0).sort((one, other) => one - other);
  expect(revisions).toEqual(Array.from({ length: count }, (_, n) => n + 1));
  const changes = await log();
  expect(changes.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 2 * count }, (_, n) => n + 1));
  // In the order of the revisions, and with those who made them.
  expect(changes.map(({ revision }) => revision)).toEqual(revisions.flatMap((each) => [each, each]));
  expect(new Set(changes.map(({ transaction }) => transaction)).size).toBeLessThan(count / 2);
  const edges = await database.run<{ n: number; agent: string; task: string; same: boolean }>(
    'READ',
    `MATCH (s:Entity)-[r:NAME|BORDERS]->() MATCH (u:Update {id: r.updateId})
     RETURN toInteger(split(s.id, ':')[2]) AS n, r.sourceAgentId AS agent, r.taskId AS task, r.revision = u.revision AND u.taskId = r.taskId AS same`,
  );
  expect(edges).toHaveLength(2 * count);
  for (const { n, agent, task, same } of edges)
    expect({ agent, task, same }).toEqual({ agent: `agent-${n % 7}`, task: `task-${n}`, same: true });
});

test('updates of the same subject that arrive together come to what they come to one after another', async () => {
  const results = await sent([
    send([add('urn:x', name, 'one', { certainty: 0.5 })]),
    send([replace('urn:x', name, 'two')]),
    send([add('urn:x', name, 'two')]),
    send([remove('urn:x', name, 'two')]),
    send([add('urn:x', name, 'three')]),
    send([replace('urn:x', name, 'four', { certainty: 0.9 })]),
  ]);
  expect(results.map(({ success }) => success)).toEqual([true, true, true, true, true, true]);
  const versions = await database.run<{ value: string; from: number; to: number | null; by: string | null }>(
    'READ',
    `MATCH (:Entity {id: 'urn:x'})-[r]->(l:Literal)
     RETURN l.value AS value, r.revision AS from, r.retractedRevision AS to, r.retractedIn AS by ORDER BY from`,
  );
  // Whatever the order of arrival: each version ends where another update says so, and the last one holds.
  const holding = versions.filter(({ to }) => to === null);
  const shown = await database.run('READ', "MATCH (e:Entity {id: 'urn:x'}) RETURN e.name AS name");
  expect(holding.map(({ value }) => value)).toContain((shown[0] as { name: string }).name);
  for (const { from, to, by } of versions) {
    if (to === null) continue;
    expect(to).toBeGreaterThan(from);
    expect(by).not.toBeNull();
  }
});

test('a faulty, a rejected and a held update touch none of those that arrive with them', async () => {
  const good = Array.from({ length: 20 }, (_, n) => send([add(`urn:good:${n}`, name, `good ${n}`)]));
  const results = await sent([
    ...good.slice(0, 10),
    // No whole number.
    send([add('urn:bad', `${world}population`, 'many'), add('urn:bad', name, 'bad')]),
    send([add('urn:held', name, 'held')], { sourceAgentId: 'rumour' }),
    send([add('urn:late', name, 'late')], { metadata: { expectedRevision: 0 } }),
    ...good.slice(10),
  ]);
  const other = results.slice(10, 13);
  expect([...results.slice(0, 10), ...results.slice(13)].every((each) => each?.success)).toBe(true);
  expect(other).toMatchObject([
    { success: false, verificationStatus: 'Rejected - Constraint Violation' },
    { success: true, verificationStatus: 'Pending Review' },
    { code: -32011, data: { reason: 'revision-conflict' } },
  ]);
  const there = await database.run<{ id: string }>(
    'READ',
    "MATCH (e:Entity) WHERE e.id STARTS WITH 'urn:good' OR e.id IN ['urn:bad', 'urn:held', 'urn:late'] RETURN e.id AS id",
  );
  expect(there.map(({ id }) => id).sort()).toEqual(Array.from({ length: 20 }, (_, n) => `urn:good:${n}`).sort());
  const sequences = (await log()).map(({ sequence }) => sequence);
  expect(sequences).toEqual(sequences.map((_, index) => index + 1));
});

test('the same key sent many times at once is applied once, and answered alike', async () => {
  const results = await sent(
    Array.from({ length: 20 }, () => send([add('urn:once', name, 'once')], { metadata: { idempotencyKey: 'one' } })),
  );
  expect(new Set(results.map((each) => JSON.stringify(each))).size).toBe(1);
});

test('large updates that follow one another closely leave no gap in the log, and the last of them stands', async () => {
  const before = (await log()).length;
  const [count, size] = [6, 2_000];
  const results = await sent(
    Array.from({ length: count }, (_, n) => [
      send(Array.from({ length: size }, (__, index) => replace(`urn:large:${index}`, name, `state ${n}`))),
      send([add(`urn:small:${n}`, name, `small ${n}`)]),
    ]).flat(),
  );
  expect(results.map(({ success }) => success)).toEqual(Array.from({ length: 2 * count }, () => true));
  const changes = (await log()).slice(before);
  expect(changes.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: count * (size + 1) }, (_, index) => before + index + 1),
  );
  const revisions = results.map(({ revision }) => revision ?? 0);
  expect(new Set(revisions).size).toBe(2 * count);
  const large = revisions.filter((_, index) => index % 2 === 0);
  const names = await database.run<{ name: string; count: number }>(
    'READ',
    `MATCH (s:Entity)-[r:NAME]->(o) WHERE s.id STARTS WITH 'urn:large:' RETURN o.value AS name, count(*) AS count`,
  );
  expect(names).toEqual([{ name: `state ${large.indexOf(Math.max(...large))}`, count: size }]);
});

test('a queue that is full says so, and takes the update later', async () => {
  const small = await startTestService({ UPDATE_QUEUE: '3' });
  try {
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        call<UpdateResult>(small.url, 'knowledge/update', { mutations: [add(`urn:q:${n}`, name, `q ${n}`)] }),
      ),
    );
    const full = all.flatMap(({ error }) => error ?? []);
    expect(full.length).toBeGreaterThan(0);
    for (const error of full)
      expect(error).toMatchObject({
        code: -32011,
        data: { reason: 'queue-full', retryable: true, retryAfterMs: expect.any(Number), limit: 3 },
      });
    const { result } = await call<UpdateResult>(small.url, 'knowledge/update', {
      mutations: [add('urn:q:last', name, 'q')],
    });
    expect(result.revision).toBe(all.length - full.length + 1);
  } finally {
    await small.close();
  }
});

test('no more than 100,000 patches wait in a queue, however few the updates', async () => {
  const commit = gate();
  const begun = gate();
  const queue = new WriteQueue({
    maxWaiting: 10,
    committer: {
      commit: async (_, proposals) => {
        begun.open();
        await commit.opened;
        return proposals.map(() => 'done' as never);
      },
    },
  });
  const proposal = (patches: number) =>
    ({ tenant: 'north', patches: Array(patches).fill({}), update: { sourceAgentId: 'atlas' } }) as never;
  const underWay = queue.commit(proposal(1));
  await begun.opened;
  const waiting = [99_999, 1].map((patches) => queue.commit(proposal(patches)));
  const tooMany = queue.commit(proposal(1));
  commit.open();
  await expect(tooMany).rejects.toMatchObject({
    data: { reason: 'queue-full', retryable: true, limit: 2 },
  });
  expect(await Promise.all([underWay, ...waiting])).toEqual(['done', 'done', 'done']);
  // There is room again.
  expect(await queue.commit(proposal(1))).toBe('done');
});

/** What a test says of a proposal. */
interface Said {
  name: string;
  patches?: number;
  key?: string;
  agent?: string;
  approvedBy?: string;
}

/**
 * Lets all of these proposals of one tenant wait in a queue before a group is made of them.
 * @returns what became of them, the groups by name, and how many of those were under way at a time
 */
async function queued(said: Said[], fault: (group: string[]) => unknown = () => undefined) {
  const ready = gate();
  const begun = gate();
  const groups: string[][] = [];
  let underWay = 0;
  let atOnce = 0;
  const queue = new WriteQueue({
    maxWaiting: 1_000,
    committer: {
      commit: async (_, proposals) => {
        begun.open();
        await ready.opened;
        underWay += 1;
        atOnce = Math.max(atOnce, underWay);
        await new Promise((resolve) => setImmediate(resolve));
        underWay -= 1;
        const names = proposals.map(({ update }) => update.id);
        groups.push(names);
        const error = fault(names);
        if (error !== undefined) throw error;
        return names as never;
      },
    },
  });
  const commit = ({ name, patches = 1, key, agent = 'atlas', approvedBy }: Said) =>
    queue.commit({
      tenant: 'north',
      patches: Array(patches).fill({}),
      update: { id: name, sourceAgentId: agent, idempotencyKey: key },
      approvedBy,
    } as never);
  const first = commit({ name: 'first' });
  await begun.opened;
  const rest = Promise.allSettled(said.map(commit));
  ready.open();
  await first;
  return { results: await rest, groups: groups.slice(1), atOnce };
}

const namesOf = (letters: string) => letters.split('').map((name) => ({ name }));

test('the second of a key waits for the first, and an approval has a transaction to itself', async () => {
  const { groups } = await queued([
    { name: 'a', key: 'k' },
    { name: 'b', key: 'k', agent: 'other' },
    { name: 'c' },
    { name: 'd', key: 'k' },
    { name: 'e', approvedBy: 'editor' },
    { name: 'f', approvedBy: 'editor' },
    { name: 'g' },
    { name: 'h' },
  ]);
  expect(groups).toEqual([['a', 'b', 'c'], ['d'], ['e'], ['f'], ['g', 'h']]);
});

test('a group takes 256 proposals, or 2,000 patches, or one update that has more', async () => {
  const many = await queued(Array.from({ length: 300 }, (_, index) => ({ name: `${index}` })));
  expect(many.groups.map(({ length }) => length)).toEqual([256, 44]);
  const large = await queued([3_000, 1_500, 500, 1, 2_000].map((patches, index) => ({ name: `${index}`, patches })));
  expect(large.groups).toEqual([['0'], ['1', '2'], ['3'], ['4']]);
});

test('those whom the rules refuse are committed alone, and the others around them together and in order', async () => {
  const { groups, results } = await queued(namesOf('abcdefg'), (group) => {
    const violations = group.flatMap((name, index) =>
      name === 'b' || name === 'e' ? [[index, [{ rule: name }]] as never] : [],
    );
    return violations.length > 0 ? new NotAligned(new Map(violations)) : undefined;
  });
  expect(groups).toEqual([['a', 'b', 'c', 'd', 'e', 'f', 'g'], ['a'], ['b'], ['c', 'd'], ['e'], ['f', 'g']]);
  expect(results.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, true, false, true, true]);
  expect(results[4]).toMatchObject({ reason: { violations: new Map([[0, [{ rule: 'e' }]]]) } });
});

test('a fault is told to the one whose it is, and the others are committed in halves', async () => {
  const fault = new Error('too much');
  const { groups, results, atOnce } = await queued(namesOf('abcd'), (group) =>
    group.includes('c') ? fault : undefined,
  );
  expect(results).toEqual([
    { status: 'fulfilled', value: 'a' },
    { status: 'fulfilled', value: 'b' },
    { status: 'rejected', reason: fault },
    { status: 'fulfilled', value: 'd' },
  ]);
  expect(groups.map((group) => group.join(''))).toEqual(['abcd', 'ab', 'cd', 'c', 'd']);
  // In their order, one after another.
  expect(atOnce).toBe(1);
});

test('where the database is not there nothing is sent again, since some of it may be written', async () => {
  const fault = new Neo4jError('gone', 'ServiceUnavailable', '', '');
  const { groups, results } = await queued(namesOf('abc'), (group) => (group.includes('a') ? fault : undefined));
  expect(results.map((each) => (each as PromiseRejectedResult).reason)).toEqual([fault, fault, fault]);
  expect(groups).toHaveLength(1);
});

test('one for whom there is no verdict is told so, and waits no longer', async () => {
  const queue = new WriteQueue({ maxWaiting: 10, committer: { commit: async () => [] } });
  const proposal = { tenant: 'north', patches: [], update: { sourceAgentId: 'atlas' } } as never;
  await expect(queue.commit(proposal)).rejects.toThrow('no verdict');
});
