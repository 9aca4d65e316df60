import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openNeo4j } from '../../../src/sources/adapters/neo4j.ts';
import { readCatalog } from '../../../src/sources/adapters/readCatalog.ts';
import type { SelectLimits, Source } from '../../../src/sources/adapters/source.ts';
import { neo4jSettings } from '../../support/service.ts';
import { useDatabase } from '../../support/setUp.ts';

const { signal } = new AbortController();
let source: Source;
// Before the connection that it needs is closed.
afterAll(async () => {
  await database.run('WRITE', 'MATCH (n:`Far``away`|`Reached one`) DETACH DELETE n');
  await source.close();
});
const database = useDatabase();
beforeAll(async () => {
  const { NEO4J_URI = '', NEO4J_USER = 'neo4j', NEO4J_PASSWORD = '' } = neo4jSettings;
  source = openNeo4j(NEO4J_URI.replace('://', `://${NEO4J_USER}:${encodeURIComponent(NEO4J_PASSWORD)}@`));
  await database.run(
    'WRITE',
    "CREATE (:`Far``away` {name: 'x', size: 1})-[:`LEADS TO` {since: 2}]->(:`Reached one` {size: 1.5})",
  );
});

const select = (sql: string, more: Partial<SelectLimits> = {}) =>
  source.select({ sql, values: [] }, { rows: 3, bytes: 100_000, timeoutMs: 5_000, signal, ...more });

test('labels, types of relationships, their properties, and what leads where are told', async () => {
  const { tables, foreignKeys } = await readCatalog(source, signal);
  expect(tables).toContainEqual({
    ...{ schema: 'neo4j', name: 'Far`away', kind: 'label', rows: 1, keys: [], indexes: [] },
    columns: [
      { name: 'name', type: 'string', nullable: true },
      { name: 'size', type: 'integer', nullable: true },
    ],
  });
  expect(tables).toContainEqual(
    expect.objectContaining({ name: 'LEADS TO', kind: 'relationship type', columns: [expect.anything()] }),
  );
  expect(foreignKeys).toContainEqual({
    name: 'LEADS TO to Reached one',
    from: { schema: 'neo4j', table: 'Far`away', columns: [] },
    to: { schema: 'neo4j', table: 'Reached one', columns: [] },
  });
});

test('an answer has the types of its columns, exact numbers, and texts for the rest', async () => {
  const cypher = `MATCH (n:\`Far\`\`away\`) RETURN 1 AS a, 1.5 AS b, true AS c, n.nothing AS d, [1, 'x'] AS e,
    date('2026-01-02') AS f, 9007199254740993 AS g, n AS h`;
  expect(await select(cypher)).toEqual({
    columns: 'integer float boolean null list date integer node'
      .split(' ')
      .map((type, at) => ({ name: 'abcdefgh'[at], type })),
    rows: [[1, 1.5, true, null, '[1,"x"]', '2026-01-02', '9007199254740993', expect.stringContaining('"name":"x"')]],
    truncated: false,
  });
});

test('what writes, is too long, too slow or no longer wanted ends, and the source goes on', async () => {
  const endless =
    'UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b WITH a, b WHERE a + b < 0 RETURN count(*)';
  await expect(select('CREATE (n:`Reached one`)')).rejects.toMatchObject({
    code: expect.stringContaining('AccessMode'),
  });
  await expect(
    select("UNWIND range(1, 100000) AS n RETURN 'xxxxxxxxxxxxxxxxxxxx' + n", { rows: 100_000 }),
  ).rejects.toMatchObject({ data: { reason: 'answer-too-large' } });
  await expect(select(endless, { timeoutMs: 50 })).rejects.toMatchObject({ code: expect.stringContaining('TimedOut') });
  const stopping = new AbortController();
  const stopped = select(endless, { signal: stopping.signal });
  stopping.abort(new Error('enough'));
  await expect(stopped).rejects.toThrow('enough');
  expect(await select('UNWIND range(1, 3) AS n RETURN n')).toMatchObject({ rows: [[1], [2], [3]], truncated: false });
  expect(await select('UNWIND range(1, 4) AS n RETURN n')).toMatchObject({ rows: [[1], [2], [3]], truncated: true });
});
