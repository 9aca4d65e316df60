import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { setUpGraph } from '../../../src/graph/setup/setUpGraph.ts';
import { readVocabulary } from '../../../src/vocabulary/read.ts';
import { dropSchema } from '../../support/emptyGraph.ts';
import { emptyGraph, testDatabase } from '../../support/service.ts';
import { useDatabase } from '../../support/setUp.ts';

const database = useDatabase();
// Four processes would be four drivers.
const replicas = [database, testDatabase(), testDatabase(), testDatabase()];

afterAll(async () => {
  await Promise.all(replicas.slice(1).map((each) => each.close()));
});

beforeEach(emptyGraph);

const schema = async () => ({
  constraints: await database.run<{ name: string }>('READ', 'SHOW CONSTRAINTS YIELD name RETURN name ORDER BY name'),
  indexes: await database.run<{ name: string }>(
    'READ',
    'SHOW INDEXES YIELD name, state RETURN name, state ORDER BY name',
  ),
});

async function setUp(on = database): Promise<string[]> {
  const said: string[] = [];
  const vocabulary = await readVocabulary('test/support/world.graphql');
  await setUpGraph(on, { vocabulary, judge: () => {}, report: (line) => said.push(line) });
  return said;
}

test('four replicas that start at once on an empty database all come up, over one schema', async () => {
  await dropSchema(database);
  await Promise.all(replicas.map((each) => setUp(each)));
  const together = await schema();
  await setUp();
  expect(await schema()).toEqual(together);
  expect(together.constraints).toContainEqual({ name: 'ledger_key' });
  expect(together.indexes).toContainEqual({ name: 'entity_text', state: 'ONLINE' });
});

test('replicas that give one command at once all have it done, without the lock too', async () => {
  const command = 'CREATE INDEX at_once IF NOT EXISTS FOR (n:Entity) ON (n.atOnce)';
  for (let round = 0; round < 10; round++) {
    await Promise.all(replicas.map((each) => each.ensure(command)));
    await database.run('WRITE', 'DROP INDEX at_once');
  }
});

test('where what it requires is not there nothing is changed, and the next has its turn', async () => {
  await dropSchema(database);
  const vocabulary = await readVocabulary('test/support/world.graphql');
  const parts = { vocabulary, judge: () => {}, report: () => {} };
  const required = Promise.reject(new Error('Neo4j lacks it'));
  await expect(setUpGraph(database, { ...parts, required })).rejects.toThrow('Neo4j lacks it');
  expect((await schema()).constraints).toEqual([{ name: 'setup_lock' }]);
  await setUp();
  expect((await schema()).constraints).toContainEqual({ name: 'ledger_key' });
});

test('an index that somebody has dropped is made again, and the others are left alone', async () => {
  await setUp();
  const before = await schema();
  const index = before.indexes.find(({ name }) => /^class_/.test(String(name)));
  await database.run('WRITE', `DROP INDEX ${index?.name}`);
  await setUp();
  expect(await schema()).toEqual(before);
});

test('one that died with the lock is waited for no longer than its lease, and the wait is told', async () => {
  await database.run(
    'WRITE',
    "MERGE (l:SetupLock {key: 'setup'}) SET l.holder = 'dead', l.until = datetime() + duration({seconds: 7})",
  );
  const started = Date.now();
  expect(await setUp()).toContain('Waiting for another replica, which sets up the graph');
  expect(Date.now() - started).toBeGreaterThan(5_000);
  expect(await database.run('READ', 'MATCH (l:SetupLock) RETURN l.holder AS holder')).toEqual([{ holder: null }]);
});
