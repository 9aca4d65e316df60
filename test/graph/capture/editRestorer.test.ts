import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { EditRestorer } from '../../../src/graph/capture/editRestorer.ts';
import { migrate } from '../../../src/graph/setup/migrations.ts';
import { emptyGraph } from '../../support/service.ts';
import { useDatabase } from '../../support/setUp.ts';

const database = useDatabase();
beforeAll(() => migrate(database));
beforeEach(async () => {
  await emptyGraph();
  await database.run(
    'WRITE',
    `CREATE (:Ledger {tenant: 'blue', edited: 3}), (:Ledger {tenant: 'green', edited: 1})
     CREATE (n:Entity:City {tenant: 'blue', id: 'urn:n', value: 'third'})
     WITH n UNWIND [[1, 'first'], [2, 'second'], [3, 'third']] AS each
     CREATE (e:DirectEdit {tenant: 'blue', number: each[0], kind: 'node', op: 'changed', element: elementId(n),
       labelsBefore: ['Entity', 'City']})
     CREATE (e)-[:EDIT_BEFORE]->(:EditState {tenant: 'blue', id: 'urn:n', value: 'before ' + each[1]})`,
  );
});

const taken = (last: number) =>
  database.write(async (tx) => {
    const restorer = new EditRestorer(tx, 'blue', last, [{ label: 'City', iri: 'urn:City' }]);
    await restorer.restore();
    return restorer.finish();
  }, 10_000);
const rows = <Row extends object>(query: string) => database.run<Row & Record<string, unknown>>('READ', query);
const value = async () => (await rows<{ value: string }>('MATCH (n:City) RETURN n.value AS value'))[0]?.value;

test('edits that were taken are gone with what was written down of them, and count as taken', async () => {
  expect(await taken(2)).toBe(2);
  expect(await rows('MATCH (e:DirectEdit) RETURN e.number AS number')).toEqual([{ number: 3 }]);
  expect(await rows('MATCH (s:EditState) RETURN s.value AS value')).toEqual([{ value: 'before third' }]);
  const ledgers = 'MATCH (l:Ledger) RETURN l.tenant AS tenant, l.editsTaken AS taken ORDER BY tenant';
  expect(await rows(ledgers)).toEqual([
    { tenant: 'blue', taken: 2 },
    { tenant: 'green', taken: null },
  ]);
  expect(await taken(3)).toBe(1);
  expect((await rows(ledgers))[0]).toEqual({ tenant: 'blue', taken: 3 });
});

test('an element is put back to what it was before its first edit, and by a later transaction not once more', async () => {
  await taken(2);
  expect(await value()).toBe('before first');
  // What the first two have said is stated meanwhile.
  await database.run('WRITE', "MATCH (n:City) SET n.value = 'stated'");
  await taken(3);
  expect(await value()).toBe('stated');
});
