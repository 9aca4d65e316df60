import { expect, test } from '@jest/globals';
import { TriggerSource } from '../../../src/graph/capture/captureTrigger.ts';
import { cdcState } from '../../../src/graph/capture/cdcSource.ts';
import { useEditor } from '../../support/editor.ts';
import { add, schemaOrg } from '../../support/patches.ts';
import { neo4jSettings } from '../../support/service.ts';
import { che, country, registerCaptureTests } from './registerCaptureTests.ts';

const { database, edit, taken, told, update, next, halfMade } = registerCaptureTests({ CAPTURE: 'report' }, useEditor);

const name = `${schemaOrg}name`;

test('edits keep their order among updates', async () => {
  for (let round = 1; round <= 5; round++) {
    await edit(`${che} SET c.population = $round`, { round });
    await update([add('urn:round', name, `round ${round}`, country)]).catch(() => {});
  }
  await taken();
  const changes = await database.run<{ statement: string }>(
    'READ',
    `MATCH (c:Change {op: 'add'}) WHERE c.statement CONTAINS '"urn:round"' OR c.statement CONTAINS 'population'
     RETURN c.statement AS statement ORDER BY c.sequence DESC LIMIT 10`,
  );
  const order = changes.map(({ statement }) => JSON.parse(statement).object.value).reverse();
  expect(order).toEqual([1, 'round 1', 2, 'round 2', 3, 'round 3', 4, 'round 4', 5, 'round 5']);
  await told('RETURN 1');
});

test('two tenants are not joined', async () => {
  await database.run('WRITE', "CREATE (:Entity:City {tenant: 'other', id: 'urn:elsewhere'})");
  await expect(edit(`${che}, (o:City {id: 'urn:elsewhere'}) CREATE (c)-[:CAPITAL]->(o)`)).rejects.toMatchObject({
    message: expect.stringMatching(/joins the tenants default and other/),
  });
});

test('an edit through the HTTP API of Neo4j is one as any', async () => {
  const [row] = await database.run<{ address: string }>(
    'READ',
    "SHOW SETTINGS 'server.http.listen_address' YIELD value RETURN value AS address",
  );
  const statement = `${che} MERGE (c)-[:KNOWS]->(:City {id: 'urn:http'})`;
  const { NEO4J_USER, NEO4J_PASSWORD } = neo4jSettings;
  const answer = await fetch(`http://${row?.address}/db/neo4j/tx/commit`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from(`${NEO4J_USER ?? 'neo4j'}:${NEO4J_PASSWORD}`).toString('base64')}`,
    },
    body: JSON.stringify({ statements: [{ statement }] }),
  });
  expect(await answer.json()).toMatchObject({ errors: [] });
  expect(await told('RETURN 1')).toEqual([['add', 'urn:che', 'urn:p#knows', 'urn:http', 'direct:neo4j']]);
  expect(await halfMade()).toEqual([]);
});

test('what only Concord writes is told of where it is edited, or nobody may edit it', async () => {
  const ledger = "MATCH (l:Ledger {tenant: 'default'}) SET l.note = coalesce(l.note, '') + 'mine'";
  expect(await told(ledger)).toEqual([]);
  const settings = { tenant: 'default' };
  const alone = <T>(work: () => Promise<T>) => work();
  await new TriggerSource(database, { ...settings, alone, mode: 'enforce' }).open();
  await expect(edit(ledger)).rejects.toMatchObject({ message: expect.stringMatching(/: :Ledger is kept by Concord/) });
  expect(await told(`${che} SET c.population = 7000000`)).toHaveLength(2);
  await new TriggerSource(database, { ...settings, alone, mode: 'report' }).open();
});

test('a load of relationships becomes statements, in one transaction as in many', async () => {
  // EDITS=10000 for a load as it is in life.
  const rows = Number(process.env.EDITS ?? 400);
  const load = `MATCH (a:Entity {tenant: 'default', id: 'urn:city:' + (row % 100 + 1)})
    MATCH (b:Entity {tenant: 'default', id: 'urn:country:' + (row / 100 + 1)})
    CREATE (a)-[:LIKES {certainty: 0.5}]->(b)`;
  await edit(`UNWIND range(0, toInteger($rows) / 2 - 1) AS row ${load}`, { rows });
  await taken();
  await edit(
    `UNWIND range(toInteger($rows) / 2, toInteger($rows) - 1) AS row CALL (row) { ${load} } IN TRANSACTIONS OF 50 ROWS`,
    { rows },
  );
  await taken();
  const loaded = await next(rows);
  expect(loaded).toHaveLength(rows);
  expect(new Set(loaded.map(({ statement }) => JSON.stringify(statement))).size).toBe(rows);
  expect(new Set(loaded.map(({ changeMetadata }) => changeMetadata.updateId)).size).toBe(1 + rows / 100);
  expect(await halfMade()).toEqual([]);
}, 120_000);

test('a Neo4j without change data capture says what has it', async () => {
  expect(await cdcState(database)).toEqual({ isSeen: false, why: expect.stringContaining('Enterprise or Aura') });
});
