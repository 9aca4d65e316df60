import { beforeAll, expect, test } from '@jest/globals';
import neo4j from 'neo4j-driver';
import type { Queryable } from '../../../src/graph/database/queryable.ts';
import { Dictionary } from '../../../src/graph/names/dictionary.ts';
import { migrate } from '../../../src/graph/setup/migrations.ts';
import type { Statement } from '../../../src/graph/statements/statement.ts';
import {
  type Attributed,
  type Attribution,
  StatementTransactor,
} from '../../../src/graph/statements/statementTransactor.ts';
import {
  findUpdates,
  lockLedger,
  readLedger,
  recordChanges,
  recordUpdates,
  releaseKeys,
  type UpdateRecord,
} from '../../../src/graph/updates/ledger.ts';
import { operatorsOf } from '../../support/plans.ts';
import { emptyGraph } from '../../support/service.ts';
import { useDatabase } from '../../support/setUp.ts';

const database = useDatabase();
const tenant = 'north';
const [knows, name, person] = ['urn:p:knows', 'urn:p:name', 'urn:c:Person'];
const update: UpdateRecord = {
  id: 'u1',
  status: 'applied',
  sourceAgentId: 'ann',
  proposedAt: 0,
  idempotencyKey: 'k',
  revision: 1,
  statementsAffected: 2,
  affectedIds: ['urn:s'],
};
const by: Attribution = { updateId: 'u1', sourceAgentId: 'ann', recordedAt: 0, revision: neo4j.int(1) };

beforeAll(async () => {
  await emptyGraph();
  await migrate(database);
});

function stated(id: string, predicate: string, object: Statement['object']): Attributed {
  const statement: Statement = { subject: { id: 'urn:s' }, predicate: { id: predicate }, object };
  return { id, statement, observedAt: 0, voices: [{ sourceAgentId: 'ann', observedAt: 0 }], by };
}

/** What updates do to the graph, each thing once. */
async function write(tx: Queryable, dictionary: Dictionary): Promise<void> {
  const graph = new StatementTransactor(tx, tenant, dictionary);
  const ledger = await lockLedger(tx, tenant);
  await findUpdates(tx, tenant, [update], 0);
  await recordUpdates(tx, tenant, [update], 0);
  const link = stated('s1', knows, { id: 'urn:o' });
  const literal = stated('s2', name, { value: 'Ann', type: 'http://www.w3.org/2001/XMLSchema#string' });
  await graph.state(
    [
      { id: 'urn:s', classIri: person, properties: { name: 'Ann' } },
      { id: 'urn:o', properties: {} },
    ],
    [link, literal],
  );
  await recordChanges(tx, tenant, {
    ledger,
    updates: [{ updateId: 'u1', changes: [{ changeId: 'c1', op: 'add', statement: link.statement }] }],
    at: 0,
  });
  expect((await graph.byId(knows, ['s1'])).map(({ statement }) => statement.object)).toEqual([
    { id: 'urn:o' },
  ]);
  expect((await graph.bySubject(name, ['urn:s'])).map(({ id }) => id)).toEqual(['s2']);
  expect(await graph.entities(['urn:s', 'urn:o', 'urn:none'])).toEqual(
    new Map([
      ['urn:s', { type: person }],
      ['urn:o', {}],
    ]),
  );
  await graph.revise(knows, [link]);
  await graph.retire(knows, [link]);
  await graph.project([{ id: 'urn:s', properties: { name: null } }]);
  await graph.rateAnew(['urn:s']);
  await readLedger(tx, tenant);
  await releaseKeys(tx, 1, 10);
}

test('what an update looks up is sought in an index, also while Neo4j takes the indexes for empty', async () => {
  const dictionary = await Dictionary.load(database);
  await dictionary.ensure([knows, name], [person]);
  const asked: string[] = [];
  await database.write(async (tx) => {
    const recorded: Queryable = {
      run: (query, parameters) => {
        asked.push(query);
        return tx.run(query, parameters);
      },
    };
    await write(recorded, dictionary);
  }, 60_000);
  // What is new isn't in the statistics of an index yet.
  await database.run(
    'WRITE',
    `UNWIND range(1, 5000) AS number
     CREATE (:Entity {tenant: $tenant, id: 'urn:new:' + number})-[:KNOWS {statementId: 'new' + number}]->(:Literal)`,
    { tenant },
  );
  // The plans of before would be shown again.
  await database.run('READ', 'CALL db.clearQueryCaches()');
  const session = database.session('WRITE');
  const scans: Record<string, string[]> = {};
  for (const query of asked) {
    const { plan } = (await session.run(`EXPLAIN ${query}`)).summary;
    const found = plan === false ? [] : operatorsOf(plan).filter((each) => each.includes('Scan'));
    if (found.length > 0) scans[query] = found;
  }
  await session.close();
  expect(asked.length).toBeGreaterThan(12);
  expect(scans).toEqual({});
});
