import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import {
  appendEntries,
  genesisOf,
  type NewChain,
  readEnds,
  recordUpdateEntries,
} from '../../../src/graph/audit/chains.ts';
import { type ChainEnd, chained } from '../../../src/graph/audit/entry.ts';
import { removeEntries } from '../../../src/graph/audit/retention.ts';
import { verifyTrail } from '../../../src/graph/audit/trailCheck.ts';
import { migrate } from '../../../src/graph/setup/migrations.ts';
import { lockLedger } from '../../../src/graph/updates/ledger.ts';
import { emptyGraph } from '../../support/service.ts';
import { useDatabase } from '../../support/setUp.ts';

const database = useDatabase();
const ends = new Map<string, ChainEnd>();

beforeAll(async () => {
  await emptyGraph();
  await migrate(database);
});
beforeEach(async () => {
  await emptyGraph();
  ends.clear();
});

async function begin(id: string, tenant = 'north'): Promise<NewChain> {
  const links = await database.read((tx) => readEnds(tx, tenant), 10_000);
  const chain = { id, tenant, startedAt: 1_000, links };
  ends.set(id, { length: 0, head: genesisOf(chain) });
  return chain;
}

/** Adds entries, one a second from the epoch on. */
async function append(chain: NewChain, count: number): Promise<void> {
  const before = ends.get(chain.id) as ChainEnd;
  const facts = Array.from({ length: count }, (_, index) => ({
    ...{ at: (before.length + index + 1) * 1_000, what: 'knowledge/update', verdict: 'ok', agent: 'nora' },
  }));
  const added = chained({ tenant: chain.tenant, chain: chain.id }, before, facts);
  expect(await database.write((tx) => appendEntries(tx, chain, before, added), 10_000)).toBe(added.end.length);
  // A second time, as after a commit whose answer was lost, it adds nothing.
  expect(await database.write((tx) => appendEntries(tx, chain, before, added), 10_000)).toBe(added.end.length);
  ends.set(chain.id, added.end);
}

const faults = async (known = [] as Parameters<typeof verifyTrail>[1]) => (await verifyTrail(database, known)).faults;
const tamper = (query: string) => database.run('WRITE', query);
const entry = (sequence: number) => `MATCH (e:AuditEntry {chain: 'a', sequence: ${sequence}})`;

test('a trail as it was written has no faults, and entries are added once', async () => {
  const a = await begin('a');
  await append(a, 7);
  await append(a, 5);
  const other = await begin('b', 'south');
  await append(other, 3);
  expect(await verifyTrail(database)).toMatchObject({ chains: 2, entries: 15, faults: [] });
  expect(other.links).toEqual([]);
});

test.each<[string, string, object[]]>([
  ['changed', `${entry(4)} SET e.agent = 'anna'`, [{ what: 'changed', sequence: 4 }]],
  ['given another time', `${entry(4)} SET e.at = e.at + duration('PT1S')`, [{ what: 'changed', sequence: 4 }]],
  ['given to another tenant', `${entry(4)} SET e.tenant = 'south'`, [{ what: 'changed', sequence: 4 }]],
  ['given a hash of its own', `${entry(4)} SET e.hash = 'x'`, [{ what: 'changed', sequence: 4 }, { sequence: 5 }]],
  ['dropped', `${entry(4)} DELETE e`, [{ what: 'missing', sequence: 4 }]],
  ['the last', `${entry(9)} DELETE e`, [{ what: 'cut', sequence: 9 }]],
  [
    'put in between',
    `${entry(4)} CREATE (:AuditEntry {chain: e.chain, tenant: e.tenant, at: e.at, hash: e.hash, sequence: 4.5})`,
    [{ what: 'inserted' }, {}],
  ],
  [
    'put behind the end',
    `${entry(4)} CREATE (:AuditEntry {chain: e.chain, tenant: e.tenant, at: e.at, hash: e.hash, sequence: 10})`,
    [{ what: 'inserted' }],
  ],
  [
    'put before the beginning',
    `${entry(4)} CREATE (:AuditEntry {chain: e.chain, tenant: e.tenant, at: e.at, hash: e.hash, sequence: 0})`,
    [{ what: 'inserted' }],
  ],
  ['put into a chain that there is not', "CREATE (:AuditEntry {chain: 'z', sequence: 1})", [{ what: 'chain' }]],
  ['without its chain', "MATCH (c:AuditChain {id: 'a'}) DELETE c", [{ what: 'chain', chain: 'a' }]],
  [
    'of a chain that is said to be shorter',
    "MATCH (c:AuditChain {id: 'a'}) SET c.length = 5",
    [{ what: 'changed' }, {}],
  ],
  [
    'of a chain that is said to begin later',
    "MATCH (c:AuditChain {id: 'a'}) SET c.kept = 2",
    [{ what: 'changed', sequence: 3 }, {}],
  ],
  [
    'of a chain that is said to be of another tenant',
    "MATCH (c:AuditChain {id: 'a'}) SET c.tenant = 'x'",
    [{ what: 'chain' }],
  ],
])('an entry that is %s is found', async (_, query, found) => {
  await append(await begin('a'), 9);
  await tamper(query);
  const all = await faults();
  expect(all.slice(0, found.length)).toEqual(found.map((each) => expect.objectContaining(each)));
});

test('a tail that is cut with its chain is told by a chain that was begun behind it, and by ends that were kept', async () => {
  const a = await begin('a');
  await append(a, 9);
  const { ends: kept } = await verifyTrail(database);
  const b = await begin('b');
  await append(b, 2);
  await tamper(
    `MATCH (e:AuditEntry {chain: 'a'}) WHERE e.sequence > 5 DELETE e
     WITH count(*) AS gone MATCH (last:AuditEntry {chain: 'a', sequence: 5}), (c:AuditChain {id: 'a'})
     SET c.length = 5, c.head = last.hash`,
  );
  expect(await faults()).toEqual([{ chain: 'a', what: 'cut', sequence: 9 }]);
  // Without the other chain only who has kept the ends can tell.
  await tamper("MATCH (n) WHERE n.chain = 'b' OR n.id = 'b' DELETE n");
  expect(await faults()).toEqual([]);
  expect(await faults(kept)).toEqual([{ chain: 'a', what: 'cut', sequence: 9 }]);
});

test('a chain that is gone is told by the one that was begun behind it', async () => {
  await append(await begin('a'), 3);
  await append(await begin('b'), 1);
  await tamper("MATCH (n) WHERE n.chain = 'a' OR n.id = 'a' DELETE n");
  expect(await faults()).toEqual([{ chain: 'a', what: 'chain' }]);
  await tamper("MATCH (c:AuditChain {id: 'b'}) SET c.links = []");
  expect(await faults()).toContainEqual({ chain: 'b', what: 'chain' });
});

test('updates have a chain in their ledger, in their transaction', async () => {
  const record = (revision: number) =>
    database.write(async (tx) => {
      const { audit: end = { length: 0, head: '' } } = await lockLedger(tx, 'north');
      const update = { id: `urn:update:${revision}`, sourceAgentId: 'nora', revision, traceId: 'f' };
      await recordUpdateEntries(tx, 'north', { updates: [update], end, at: revision });
    }, 10_000);
  for (const revision of [1, 2, 3]) await record(revision);
  expect(await verifyTrail(database)).toMatchObject({ chains: 1, entries: 3, faults: [] });
  await tamper("MATCH (e:AuditEntry {target: 'urn:update:2'}) SET e.agent = 'anna'");
  expect(await faults()).toEqual([{ chain: 'updates:north', what: 'changed', sequence: 2 }]);
});

test('what has had its time is let go from the beginning, and the rest can still be verified', async () => {
  const a = await begin('a');
  await append(a, 9);
  await append(await begin('b'), 9);
  const { ends: kept } = await verifyTrail(database);
  const sweep = async (limit: number) => {
    let removed = 0;
    for (let some = -1; some !== 0; removed += some)
      some = await database.write((tx) => removeEntries(tx, 5_000, limit), 10_000);
    return removed;
  };
  expect(await sweep(3)).toBe(8);
  expect(await verifyTrail(database, kept)).toMatchObject({ entries: 10, faults: [] });
  await append(a, 2);
  expect(await faults(kept)).toEqual([]);
  await tamper(`${entry(7)} SET e.verdict = 'ok?'`);
  expect(await faults()).toEqual([{ chain: 'a', what: 'changed', sequence: 7 }]);
});

test('while a backup is taken the trail is not added to', async () => {
  const a = await begin('a');
  const before = ends.get('a') as ChainEnd;
  await tamper("CREATE (:Ledger {tenant: 'any', heldUntil: datetime() + duration('PT1M')})");
  const added = chained({ tenant: 'north', chain: 'a' }, before, [{ at: 1, what: 'x', verdict: 'ok' }]);
  await expect(database.write((tx) => appendEntries(tx, a, before, added), 10_000)).rejects.toThrow(
    'A backup is taken',
  );
  expect(await verifyTrail(database)).toMatchObject({ chains: 0, entries: 0 });
});

test('many entries are read in pages; ENTRIES=100000 tells how long that takes', async () => {
  const count = Number(process.env.ENTRIES ?? 6_000);
  const a = await begin('a');
  for (let written = 0; written < count; written += 1_000) await append(a, 1_000);
  const began = performance.now();
  expect(await verifyTrail(database)).toMatchObject({ entries: count, faults: [] });
  if (process.env.ENTRIES) console.log(`${count} entries: ${Math.round(performance.now() - began)} ms`);
}, 300_000);
