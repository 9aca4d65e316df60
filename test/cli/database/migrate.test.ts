import { expect, test } from '@jest/globals';
import { forgetMigrations } from '../../support/emptyGraph.ts';
import { emptyGraph, neo4jSettings } from '../../support/service.ts';
import { useDatabase } from '../../support/setUp.ts';
import { concord } from '../command.ts';

const database = useDatabase();
const env = { ...neo4jSettings, VOCABULARY: 'test/support/world.graphql' };
const migrations = () => database.run<{ n: number }>('READ', 'MATCH (m:Migration) RETURN count(m) AS n');

test('a plan tells what is to be done and does nothing; then it is done, and there is nothing left', async () => {
  await emptyGraph();
  await forgetMigrations(database);
  const plan = await concord(['migrate', '--plan'], { env });
  expect([plan.code, plan.printed]).toEqual([1, expect.stringMatching(/^0001-.*\.cypher:\n {2}CREATE CONSTRAINT/)]);
  expect(plan.printed).toContain('vocabulary: none has been served yet');
  expect(await migrations()).toEqual([{ n: 0 }]);
  const done = await concord(['migrate'], { env });
  expect([done.code, done.printed]).toEqual([0, expect.stringContaining('Migrated: 0001-')]);
  const again = await concord(['migrate', '--plan', '--json'], { env });
  expect([again.code, JSON.parse(again.printed)]).toEqual([0, { migrations: [], vocabulary: [] }]);
});
