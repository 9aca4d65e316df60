import { readdirSync } from 'node:fs';
import { beforeEach, expect, test } from '@jest/globals';
import { commandsOf, migrate } from '../../../src/graph/setup/migrations.ts';
import { forgetMigrations } from '../../support/emptyGraph.ts';
import { emptyGraph } from '../../support/service.ts';
import { useDatabase } from '../../support/setUp.ts';

const database = useDatabase();

beforeEach(async () => {
  await emptyGraph();
  await forgetMigrations(database);
});

const state = async () => ({
  migrations: await database.run('READ', 'MATCH (m:Migration) RETURN m.file AS file, toString(m.appliedAt) AS at'),
  constraints: await database.run('READ', 'SHOW CONSTRAINTS YIELD name RETURN name ORDER BY name'),
  indexes: await database.run('READ', 'SHOW INDEXES YIELD name, state RETURN name, state ORDER BY name'),
});

const files = readdirSync('cypher/schema').length;

test('a second run changes nothing', async () => {
  await migrate(database);
  const first = await state();
  expect(first.migrations).toHaveLength(files);
  await migrate(database);
  expect(await state()).toEqual(first);
});

test('one that was cut short before it was recorded is run again', async () => {
  await migrate(database);
  await forgetMigrations(database);
  await database.run('WRITE', 'DROP CONSTRAINT task_key IF EXISTS');
  await migrate(database);
  const { migrations, constraints } = await state();
  expect(migrations).toHaveLength(files);
  expect(constraints).toContainEqual({ name: 'task_key' });
});

test("the local principal's tasks of before stay its own", async () => {
  await migrate(database);
  await database.run('WRITE', "CREATE (:Task {tenant: 'default', id: 'of before', owner: 'local'})");
  await forgetMigrations(database);
  await migrate(database);
  const found = "MATCH (t:Task {tenant: 'default', id: 'of before'}) WITH t, t.owner AS owner DELETE t RETURN owner";
  expect(await database.run('WRITE', found)).toEqual([{ owner: '' }]);
});

test('replicas that start at once all come up, over one record of each migration', async () => {
  for (const name of ['task_key', 'update_key', 'change_key', 'ledger_key']) {
    await database.run('WRITE', `DROP CONSTRAINT ${name} IF EXISTS`);
  }
  await Promise.all(Array.from({ length: 6 }, () => migrate(database)));
  const { migrations, constraints } = await state();
  expect(new Set(migrations.map((each) => (each as { file: string }).file)).size).toBe(files);
  expect(migrations).toHaveLength(files);
  expect(constraints).toContainEqual({ name: 'ledger_key' });
});

test('a file is split at the semicolons that end a line, without its comments', () => {
  expect(commandsOf("// a; b\nCREATE (n {a: ';b'});\n\n  // c\nRETURN 1 AS one\n;\nRETURN 2")).toEqual([
    "CREATE (n {a: ';b'})",
    'RETURN 1 AS one',
    'RETURN 2',
  ]);
  expect(commandsOf('// nothing\n')).toEqual([]);
});
