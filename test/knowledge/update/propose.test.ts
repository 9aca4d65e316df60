import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Neo4jError } from 'neo4j-driver';
import type { Violation } from '../../../src/alignment/alignment.ts';
import type { Database } from '../../../src/graph/database/database.ts';
import { Dictionary } from '../../../src/graph/names/dictionary.ts';
import { migrate } from '../../../src/graph/setup/migrations.ts';
import { recordUpdates } from '../../../src/graph/updates/ledger.ts';
import type { UpdateRecord } from '../../../src/graph/updates/updateRecord.ts';
import type { Patch } from '../../../src/knowledge/patch.ts';
import { identifyPatches } from '../../../src/knowledge/update/applyPatches.ts';
import { NotAligned } from '../../../src/knowledge/update/commit.ts';
import type { Proposal } from '../../../src/knowledge/update/plan.ts';
import { type DryRunParts, dryRun, propose } from '../../../src/knowledge/update/propose.ts';
import { WriteQueue } from '../../../src/knowledge/update/writeQueue.ts';
import { holdLock, untilBlocked } from '../../support/heldLock.ts';
import { add } from '../../support/patches.ts';
import { emptyGraph } from '../../support/service.ts';
import { useDatabase } from '../../support/setUp.ts';

const database = useDatabase();
const tenant = 'north';
let dictionary: Dictionary;
let id = '';

beforeAll(async () => {
  await emptyGraph();
  await migrate(database);
  dictionary = await Dictionary.load(database);
  await database.run('WRITE', "CREATE (:Ledger {tenant: 'north', revision: 0, sequence: 0})");
});
beforeEach(() => {
  id = crypto.randomUUID();
  counted = [];
});

const proposal = (): Proposal => ({
  tenant,
  update: { id, sourceAgentId: 'atlas', proposedAt: Date.now(), idempotencyKey: `key of ${id}` },
  patches: identifyPatches(tenant, [add('urn:a', 'urn:p:x', 1)] as Patch[]),
});

let counted: string[] = [];

/** What keeps a rule of this severity from letting anything through. */
function refusing(severity: Violation['severity'], over: Database = database): DryRunParts {
  const violation: Violation = { rule: 'strict', severity, subject: 'urn:a', message: 'not so' };
  const refuse = async () => {
    throw new NotAligned(new Map([[0, [violation]]]));
  };
  return {
    database: over,
    dictionary,
    closedVocabulary: false,
    predicates: new Set(),
    closedTo: () => undefined,
    queue: new WriteQueue({ maxWaiting: 10, committer: { commit: refuse } }),
    committer: { dryRun: refuse },
    timeoutMs: 30_000,
    uuid: () => crypto.randomUUID(),
    keysSince: () => 0,
    verdicts: (verdict) => counted.push(verdict),
  };
}
const refused = (severity: Violation['severity'], over?: Database) => propose(refusing(severity, over), proposal());

const kept = async () =>
  (
    await database.run<{ update: Partial<UpdateRecord> }>(
      'READ',
      'MATCH (u:Update {id: $id}) RETURN u {.status, .idempotencyKey, .proposal, .namedIds} AS update',
      { id },
    )
  ).map(({ update }) => update);
const withWrite = (write: Database['write']): Database => Object.create(database, { write: { value: write } });
const twice = withWrite(async (work, timeoutMs) => {
  await database.write(work, timeoutMs);
  return database.write(work, timeoutMs);
});

test('what is held is kept with its patches and its key, and the answer says so, also after a repeated write', async () => {
  for (const over of [database, twice]) {
    id = crypto.randomUUID();
    expect(await refused('review', over)).toMatchObject({
      success: true,
      verificationStatus: 'Pending Review',
      violations: [{ rule: 'strict' }],
      updateId: id,
    });
    expect(await kept()).toEqual([
      {
        status: 'pending',
        idempotencyKey: `key of ${id}`,
        namedIds: ['urn:a'],
        proposal: JSON.stringify([add('urn:a', 'urn:p:x', 1)]),
      },
    ]);
  }
});

test('what is rejected, or forbidden, is kept without its patches, and forbidden stays an error when written twice', async () => {
  expect(await refused('reject')).toMatchObject({ success: false, violations: [{ rule: 'strict' }] });
  const record = { status: 'rejected', namedIds: ['urn:a'], proposal: null };
  expect(await kept()).toEqual([{ ...record, idempotencyKey: `key of ${id}` }]);
  for (const over of [database, twice]) {
    id = crypto.randomUUID();
    await expect(refused('forbid', over)).rejects.toMatchObject({ code: -32013, data: { rule: 'strict' } });
    expect(await kept()).toEqual([{ ...record, idempotencyKey: null }]);
  }
});

test('what cannot be kept is no proposal: its agent is told to send it again', async () => {
  const away = withWrite(async () => {
    throw new Neo4jError('gone', 'ServiceUnavailable', '', '');
  });
  await expect(refused('review', away)).rejects.toMatchObject({
    code: -32011,
    data: { reason: 'database-unavailable', retryable: true },
  });
});

test('the update that is made under the same key meanwhile is the answer, and nothing else is kept', async () => {
  const lock = await holdLock(database, "MATCH (l:Ledger {tenant: 'north'}) SET l.lockedAt = datetime()");
  const answer = refused('review');
  await untilBlocked(database);
  const { update } = proposal();
  const outcome = { status: 'applied' as const, revision: 1, statementsAffected: 7, affectedIds: ['urn:a'] };
  const earlier: UpdateRecord = { ...update, ...outcome, id: `earlier ${id}` };
  await database.write((tx) => recordUpdates(tx, tenant, [earlier], 0), 10_000);
  await lock.letGo();
  expect(await answer).toMatchObject({ updateId: earlier.id, statementsAffected: 7 });
  expect(await kept()).toEqual([]);
});

test('a dryRunner answers as the proposal would, keeps nothing and is not counted', async () => {
  expect(await dryRun(refusing('review'), proposal())).toEqual({
    dryRun: true,
    success: true,
    statementsAffected: 0,
    affectedIds: [],
    verificationStatus: 'Pending Review',
    verificationDetails: 'strict: urn:a: not so',
    violations: [{ rule: 'strict', severity: 'review', subject: 'urn:a', message: 'not so' }],
  });
  await expect(dryRun(refusing('forbid'), proposal())).rejects.toMatchObject({ code: -32013 });
  expect(await kept()).toEqual([]);
  expect(counted).toEqual([]);
});
