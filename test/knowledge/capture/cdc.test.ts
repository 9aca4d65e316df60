import { expect, test } from '@jest/globals';
import { cdcState } from '../../../src/graph/capture/cdcSource.ts';
import { type Cdc, useCdc } from '../../support/cdc.ts';
import { add, schemaOrg, world } from '../../support/patches.ts';
import { call } from '../../support/service.ts';
import { che, country, registerCaptureTests } from './registerCaptureTests.ts';

let cdc: Cdc;
const { service, database, edit, taken, told, query, halfMade } = registerCaptureTests({ CAPTURE: 'cdc' }, () => {
  cdc = useCdc();
  return cdc;
});

const name = `${schemaOrg}name`;
const population = `${world}population`;
const cursor = async () => {
  const [row] = await database.run<{ cursor: string }>('READ', 'MATCH (c:CaptureCursor) RETURN c.cursor AS cursor');
  return row?.cursor ?? '';
};
const ready = async () => (await (await fetch(`${service.url}/readyz`)).json()) as Record<string, unknown>;

/** What an agent writes, of which Concord's own feed is not waited for. */
async function write(...mutations: object[]) {
  const { error } = await call(service.url, 'knowledge/update', { mutations });
  expect(error).toBeUndefined();
}

/** An edit by hand that is seen only after Concord has written something. */
async function late(text: string, work: () => Promise<unknown>) {
  cdc.hold();
  await edit(text);
  await work();
  await cdc.release();
  await taken();
  await told('RETURN 1');
}

test('entities of two tenants that somebody joins are parted again', async () => {
  await database.run('WRITE', "CREATE (:Entity:City {tenant: 'other', id: 'urn:elsewhere'})");
  expect(await told(`${che}, (o:City {id: 'urn:elsewhere'}) CREATE (c)-[:CAPITAL]->(o)`)).toEqual([]);
  expect(await database.run('READ', "MATCH ()-[r]->({id: 'urn:elsewhere'}) RETURN r")).toEqual([]);
});

test('what an agent has said of a statement since an edit stays, and the edit is said as well', async () => {
  const aut = "MATCH (a:Country {id: 'urn:late'})";
  await write(add('urn:late', name, 'Late', country), add('urn:late', population, 5, country));
  await told('RETURN 1');
  await late(`${aut}-[r:NAME]->() SET r.certainty = 0.25`, () =>
    write(add('urn:late', name, 'Late', { ...country, certainty: 0.75 })),
  );
  const voices = `${aut}-[r:NAME]->() RETURN r.sources AS sources, r.sourceCertainties AS certainties`;
  expect(await database.run('READ', voices)).toEqual([
    { sources: ['local', 'direct:neo4j'], certainties: [0.75, 0.25] },
  ]);
  // A value that is none is put back to what Concord shows by now.
  await late(`${aut} SET a.population = 'many'`, () => write({ op: 'replace', statement: statementOf(6) }));
  expect((await query('{ countries(where: {name: {eq: "Late"}}) { population } }')).data).toEqual({
    countries: [{ population: 6 }],
  });
  expect(await halfMade()).toEqual([]);
});

const statementOf = (value: number) => add('urn:late', population, value, country).statement;

test('an edit of what was purged since says nothing any more', async () => {
  await write(add('urn:gone', name, 'Gone for good', country));
  await told('RETURN 1');
  await late("MATCH (g {id: 'urn:gone'}) SET g.name = 'Gone for now'", () =>
    call(service.url, 'knowledge/purge', { subject: 'urn:gone' }),
  );
  const left =
    "MATCH (n) WHERE any(key IN keys(n) WHERE toStringOrNull(n[key]) CONTAINS 'Gone for') RETURN labels(n) AS labels";
  expect(await database.run('READ', left)).toEqual([]);
});

test('a statement that an agent has stated again since it was deleted by hand is there once', async () => {
  await write(add('urn:again', name, 'Again', country));
  await told('RETURN 1');
  await late("MATCH ({id: 'urn:again'})-[r:NAME]->() DELETE r", () => write(add('urn:again', name, 'Again', country)));
  const [edges] = await database.run<{ current: number; past: number }>(
    'READ',
    `MATCH (a {id: 'urn:again'}) RETURN COUNT { (a)-[:NAME]->() } AS current, COUNT { (a)-[:PAST]->() } AS past`,
  );
  expect(edges).toEqual({ current: 0, past: 1 });
});

test('the cursor follows where nothing is edited by hand', async () => {
  await write(add('urn:follow', name, 'Follow', country));
  await told('RETURN 1');
  const before = await cursor();
  await database.run('WRITE', "MATCH (c:CaptureCursor) SET c.movedAt = datetime() - duration('PT2M')");
  for (const end = Date.now() + 10_000; (await cursor()) === before && Date.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, 20));
  expect((await cursor()) > before).toBe(true);
});

test('where the log has gone by the cursor, it says what to do, and goes on', async () => {
  expect(await ready()).toMatchObject({ checks: { capture: { seen: true } } });
  cdc.hold();
  await edit(`${che} SET c.population = 1`);
  cdc.expire();
  await cdc.release();
  // What is edited until that is noticed is missed too.
  for (const end = Date.now() + 10_000; (await cdcState(database)).isSeen && Date.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await told(`${che} SET c.population = 2`)).not.toEqual([]);
  expect(await cdcState(database)).toEqual({
    isSeen: false,
    why: expect.stringMatching(/cursor.*expired.*concord reconcile --mend/),
  });
});

test('changes that do not tell whole elements are not taken', async () => {
  cdc.captureMode = 'DIFF';
  expect(await told(`${che} SET c.population = 3`)).toEqual([]);
  const [row] = await database.run<{ why: string }>('READ', 'MATCH (c:CaptureCursor) RETURN c.missedWhy AS why');
  expect(row?.why).toContain("SET OPTION txLogEnrichment 'FULL'");
});
