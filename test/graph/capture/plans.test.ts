import { expect, test } from '@jest/globals';
import { lastOfNext, readEdits } from '../../../src/graph/capture/editReader.ts';
import { EditRestorer } from '../../../src/graph/capture/editRestorer.ts';
import { recording, scansOf } from '../../support/plans.ts';
import { useDatabase, useService } from '../../support/setUp.ts';

const database = useDatabase();
// Its indexes.
useService();

test('no step goes through the whole graph, however many edits there are', async () => {
  const { database: recorded, asked } = recording(database);
  await recorded.write(async (tx) => {
    await lastOfNext(tx, 'default', 100);
    const restorer = new EditRestorer(tx, 'default', 100, [{ label: 'Country', iri: 'urn:country' }]);
    await restorer.restore();
    await readEdits(tx, 'default', 100);
    await restorer.finish();
  }, 60_000);
  expect(asked.size).toBe(12);
  // They are planned while the graph is empty, which is the worst that there is: there a scan seems to cost nothing.
  const scans = Object.entries(await scansOf(database, asked));
  // Of the vocabulary's predicates there are few.
  const others = scans.filter(([query]) => !query.includes('MATCH (p:Predicate)'));
  expect(others).toEqual([]);
  expect(scans.map(([, found]) => found)).toEqual([['NodeByLabelScan'], ['NodeByLabelScan']]);
});
