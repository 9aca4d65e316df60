import type { Database } from '../../../src/graph/database/database.ts';
import { Model } from '../../knowledge/model/model.ts';
import { asEvent, asStatement, asVersion, keyOf, timesOf } from '../../knowledge/model/readings.ts';
import { expectedEntities } from './projections.ts';
import { changesOf, edgesOf, entitiesOf, ledgerOf, type StoredUpdate, updatesOf } from './stored.ts';
import type { Acknowledged } from './writer.ts';

/** What a tenant has in the database that isn't what its agents were told, each in a line; nobody writes any more. */
export async function faultsOf(
  database: Database,
  acknowledged: Acknowledged[],
  tenant = 'default',
): Promise<string[]> {
  const [updates, changes, edges, entities, expected, ledger] = await Promise.all([
    updatesOf(database, tenant),
    changesOf(database, tenant),
    edgesOf(database, tenant),
    entitiesOf(database, tenant),
    expectedEntities(database, tenant),
    ledgerOf(database, tenant),
  ]);
  const current = edges.filter(({ retractedRevision }) => retractedRevision === undefined);
  const { model, faults } = replay(acknowledged);
  const times = timesOf(edges);
  return [
    ...faults,
    ...updateFaults(updates, acknowledged),
    ...numberFaults(
      'revision',
      updates.map(({ revision }) => revision),
      ledger.revision,
    ),
    ...numberFaults(
      'sequence',
      updates.flatMap(({ sequences }) => sequences.toSorted((one, other) => one - other)),
      ledger.sequence,
    ),
    ...differences(
      'statement',
      model.at(model.revision).map((utterance) => asStatement(utterance, times)),
      current,
    ),
    ...differences(
      'version',
      model.utterances.map((utterance) => asVersion(utterance, times)),
      edges,
    ),
    ...differences('change', model.log.map(asEvent), changes),
    ...differences('entity', expected, entities),
  ];
}

/** What was told of each update is what it comes to after all that have a lower revision. */
function replay(acknowledged: Acknowledged[]): { model: Model; faults: string[] } {
  const model = new Model();
  const applied = acknowledged.flatMap(({ results, ...update }) => {
    const result = results.find(({ updateId }) => updateId !== undefined);
    return result?.updateId === undefined ? [] : [{ ...update, result, updateId: result.updateId }];
  });
  applied.sort((one, other) => (one.result.revision ?? 0) - (other.result.revision ?? 0));
  const faults = applied.flatMap(({ result, ...update }) => {
    const { statementsAffected, affectedIds } = model.apply(update);
    const told = { ...result, affectedIds: result.affectedIds.toSorted() };
    const expected = {
      success: true,
      statementsAffected,
      affectedIds: affectedIds.toSorted(),
      verificationStatus: 'Verified',
      updateId: update.updateId,
      revision: model.revision,
    };
    return differences(`answer to ${update.idempotencyKey}`, [expected], [told]);
  });
  const idle = acknowledged.flatMap(({ results, ...update }) =>
    results
      .filter(
        ({ updateId, revision }) =>
          updateId === undefined && !model.isNothing({ ...update, updateId: '' }, revision ?? 0),
      )
      .map(({ revision }) => `${update.idempotencyKey} would have changed something at revision ${revision}`),
  );
  return { model, faults: [...faults, ...idle] };
}

/** Each update that was acknowledged is there once, as it was answered, and no other is. */
function updateFaults(updates: StoredUpdate[], acknowledged: Acknowledged[]): string[] {
  const expected = acknowledged.flatMap(({ agent, idempotencyKey, results }) => {
    const told = results.flatMap(({ updateId: id, revision, statementsAffected, affectedIds }) =>
      id === undefined ? [] : [{ id, revision, statementsAffected, affectedIds }],
    );
    const different = new Map(told.map((each) => [keyOf(each), each]));
    return [...different.values()].map((each) => ({ agent, idempotencyKey, status: 'applied', ...each }));
  });
  const found = updates.map(({ sequences: _, ...update }) => update);
  return differences('update', expected, found);
}

/** @param numbers in the order of the updates; they count from 1, and the ledger knows the last */
function numberFaults(what: string, numbers: number[], last: number | undefined): string[] {
  const faults = numbers.flatMap((number, index) =>
    number === index + 1 ? [] : [`${what} ${number} stands in the place of ${index + 1}`],
  );
  return last === numbers.length ? faults : [...faults, `the ledger's ${what} is ${last}, not ${numbers.length}`];
}

function differences(what: string, expected: object[], found: object[]): string[] {
  const left = new Map<string, number>();
  for (const key of expected.map(keyOf)) left.set(key, (left.get(key) ?? 0) + 1);
  for (const key of found.map(keyOf)) left.set(key, (left.get(key) ?? 0) - 1);
  return [...left].flatMap(([key, count]) =>
    Array<string>(Math.abs(count)).fill(`${what}: ${count > 0 ? 'missing' : 'unexpected'} ${key}`),
  );
}
