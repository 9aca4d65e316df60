import { expect, test } from '@jest/globals';
import { Alignment } from '../../../src/alignment/alignment.ts';
import { lastOfNext, readEdits } from '../../../src/graph/capture/editReader.ts';
import { EditRestorer } from '../../../src/graph/capture/editRestorer.ts';
import { Dictionary } from '../../../src/graph/names/dictionary.ts';
import type { Difference } from '../../../src/knowledge/reconcile/difference.ts';
import { Reconciliation } from '../../../src/knowledge/reconcile/reconcile.ts';
import { readVocabulary } from '../../../src/vocabulary/read.ts';
import { literalFieldsOf } from '../../../src/vocabulary/vocabulary.ts';
import { add, schemaOrg } from '../../support/patches.ts';
import { profiling, recording, scansOf } from '../../support/plans.ts';
import { call } from '../../support/service.ts';
import { useDatabase, useService } from '../../support/setUp.ts';

const database = useDatabase();
// Its indexes.
const service = useService();

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

test('a reconciliation costs what there is, page by page', async () => {
  const vocabulary = await readVocabulary('test/support/world.graphql');
  const parts = {
    ...{ page: 50, mends: false, timeoutMs: 60_000, pollMs: 1_000, base: vocabulary.base, defaultTenant: 'default' },
    ...{ dictionary: await Dictionary.load(database), alignment: await Alignment.prepare(database, [], []) },
    ...{ literalFields: literalFieldsOf(vocabulary), certaintyPolicies: new Map(), uuid: () => 'x', now: Date.now },
    ...{ keysSince: () => 0, onTaken: () => {}, onProgress: () => {} },
  };
  const compared = async (made: number, last: number) => {
    const mutations = Array.from({ length: last - made }, (_, index) => [
      add(`urn:country:${made + index}`, `${schemaOrg}name`, `Country ${index}`, { type: `${schemaOrg}Country` }),
      add(`urn:country:${made + index}`, 'urn:p#knows', { id: `urn:country:${index}` }),
    ]).flat();
    expect((await call(service.url, 'knowledge/update', { mutations })).error).toBeUndefined();
    await parts.dictionary.reload();
    const { database: profiled, hits } = profiling(database);
    const told: Difference[] = [];
    const onDifference = (each: Difference) => void told.push(each);
    const { walked } = await new Reconciliation({ ...parts, database: profiled, onDifference }).run();
    expect(told).toEqual([]);
    expect(walked).toEqual({ edges: 2 * last, entities: last, changes: 2 * last });
    return hits();
  };
  const small = await compared(0, 200);
  expect(await compared(200, 1_000)).toBeLessThan(6 * small);
}, 120_000);
