import { beforeAll, expect, test } from '@jest/globals';
import type { ProfiledPlan } from 'neo4j-driver';
import type { Queryable } from '../../../src/graph/database/queryable.ts';
import { readChanges, readPlace, readSequencesSince } from '../../../src/graph/updates/changeLog.ts';
import { add } from '../../support/patches.ts';
import { recording, scansOf } from '../../support/plans.ts';
import { call } from '../../support/service.ts';
import { useDatabase, useService } from '../../support/setUp.ts';

const database = useDatabase();
const service = useService();
const at = Date.parse('2024-05-01T12:00:00Z');

beforeAll(async () => {
  await database.run(
    'WRITE',
    `UNWIND range(0, 9) AS n
     CREATE (:Ledger {tenant: 'since ' + n, revision: 1, sequence: n, changedAt: datetime({epochMillis: toInteger($at) + n * 1000})})`,
    { at },
  );
});

test('the ledgers that have changed since a time tell where they stand, whatever their tenants', async () => {
  const { asked, database: recorded } = recording(database);
  const since = (ms: number) => recorded.read((tx) => readSequencesSince(tx, ms), 10_000);
  const own = async (ms: number) => [...(await since(ms))].filter(([tenant]) => tenant.startsWith('since ')).sort();
  expect(await own(at + 8_000)).toEqual([
    ['since 8', 8],
    ['since 9', 9],
  ]);
  expect(await own(at)).toHaveLength(10);
  expect(asked.size).toBe(1);
  expect(await scansOf(database, asked)).toEqual({});
});

test('a page of the log reads only itself, however much comes behind it', async () => {
  for (let update = 0; update < 3; update += 1) {
    const mutations = Array.from({ length: 200 }, (_, n) => add('urn:s', 'urn:p', `${update} ${n}`));
    await call(service.url, 'knowledge/update', { mutations, sourceAgentId: 'atlas' });
  }
  const session = database.session('READ');
  const hitsOf = async (read: (tx: Queryable) => Promise<unknown>) => {
    let hits = 0;
    const tx: Queryable = {
      run: async (query, parameters) => {
        const result = await session.run(`PROFILE ${query}`, parameters);
        const { profile } = result.summary;
        if (profile) hits += sum(profile);
        return result as never;
      },
    };
    await read(tx);
    return hits;
  };
  expect(await hitsOf((tx) => readPlace(tx, 'default', 10))).toBeLessThan(20);
  expect(await hitsOf((tx) => readChanges(tx, 'default', 10, 5))).toBeLessThan(200);
  await session.close();
});

function sum({ dbHits, children }: ProfiledPlan): number {
  return children.reduce((hits, child) => hits + sum(child), Number(dbHits));
}
