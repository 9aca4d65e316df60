import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ReviewItem } from '../../../src/knowledge/review/review.ts';
import type { UpdateResult } from '../../../src/knowledge/update/propose.ts';
import { follow } from '../../support/events.ts';
import { holdLock, untilBlocked } from '../../support/heldLock.ts';
import { add, replace, schemaOrg, world } from '../../support/patches.ts';
import { call } from '../../support/service.ts';
import { useDatabase, useService } from '../../support/setUp.ts';

const database = useDatabase();
let de: string;
let count = 0;

const service = useService({ AGENT_TRUST: 'rumour=0.2,atlas=0.9' });
beforeEach(() => {
  count += 1;
  de = `urn:test:de-${count}`;
});

const update = (mutations: object[], sourceAgentId: string, rest: object = {}) =>
  call<UpdateResult>(service.url, 'knowledge/update', { mutations, sourceAgentId, ...rest });

const review = <Result = UpdateResult>(params: object) => call<Result>(service.url, 'knowledge/review', params);

const list = async (params: object = {}) =>
  (await review<{ proposals: ReviewItem[] }>({ action: 'list', ...params })).result.proposals;

const hold = async (mutations: object[] = [add(de, `${schemaOrg}name`, 'hearsay')], rest: object = {}) =>
  (await update(mutations, 'rumour', rest)).result.updateId ?? '';

const values = async () => {
  const rows = await database.run<{ value: unknown }>(
    'READ',
    "MATCH ({id: $de})-[r]->(o) WHERE type(r) <> 'PAST' RETURN coalesce(o.value, o.id) AS value ORDER BY value",
    { de },
  );
  return rows.map(({ value }) => value);
};

const revision = async () => {
  const [row] = await database.run<{ revision: number }>('READ', 'MATCH (l:Ledger) RETURN l.revision AS revision');
  return row?.revision ?? 0;
};

test('what an agent of low trust proposes is kept, with its reason, and not applied', async () => {
  const { result } = await update([add(de, `${schemaOrg}name`, 'hearsay', { certainty: 0.4 })], 'rumour', {
    justification: 'somebody said so',
  });
  expect(result).toMatchObject({
    success: true,
    statementsAffected: 0,
    affectedIds: [],
    verificationStatus: 'Pending Review',
    violations: [{ rule: 'low-trust', severity: 'review' }],
  });
  expect(await values()).toEqual([]);
  const item = (await list({ first: 100 })).find(({ updateId }) => updateId === result.updateId);
  expect(item).toMatchObject({
    status: 'pending',
    sourceAgentId: 'rumour',
    justification: 'somebody said so',
    verificationDetails: result.verificationDetails,
    mutations: [{ op: 'add', statement: { subject: { id: de }, object: { value: 'hearsay' }, certainty: 0.4 } }],
  });
  expect(Date.parse(item?.proposedAt ?? '')).toBeGreaterThan(Date.now() - 60_000);
});

test('proposals are listed oldest first, in pages without a gap or a double', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 7; n++) ids.push(await hold([add(`${de}/${n}`, `${schemaOrg}name`, 'x')]));
  const paged: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await list({ first: 3, after });
    expect(page.length).toBeLessThanOrEqual(3);
    paged.push(...page.map(({ updateId }) => updateId));
    after = page.at(-1)?.updateId;
    if (page.length < 3) break;
  }
  expect(paged.slice(-7)).toEqual(ids);
  expect(new Set(paged).size).toBe(paged.length);
  expect(paged).toEqual((await list({ first: 100 })).map(({ updateId }) => updateId));
});

describe('approving', () => {
  test("applies the proposal as its proposer's and records who approved", async () => {
    const updateId = await hold();
    const before = await revision();
    const follower = await follow(service.url, {
      subscriptionQuery: 'subscription { statementChanged { op } }',
    });
    const { result } = await review({ action: 'approve', updateId, reviewerId: 'editor' });
    expect(result).toMatchObject({
      success: true,
      statementsAffected: 1,
      affectedIds: [de],
      verificationStatus: 'Verified',
      updateId,
      revision: before + 1,
    });
    expect(await values()).toEqual(['hearsay']);
    const [event] = await follower.until(1);
    follower.close();
    expect(event?.changeMetadata).toMatchObject({ updateId, sourceAgentId: 'rumour', revision: before + 1 });
    expect((await list({ first: 100 })).map((item) => item.updateId)).not.toContain(updateId);
    const [row] = await database.run<{ update: Record<string, unknown> }>(
      'READ',
      'MATCH (u:Update {id: $updateId}) RETURN u {.status, .reviewedBy, .sourceAgentId, .proposal} AS update',
      { updateId },
    );
    expect(row?.update).toEqual({
      status: 'applied',
      reviewedBy: 'editor',
      sourceAgentId: 'rumour',
      proposal: null,
    });
  });

  test('checks the other rules again on the graph as it is: what is rejected stays under review', async () => {
    const updateId = await hold([add(de, `${world}code`, 'DEU')]);
    await update([add(de, `${world}code`, 'GER')], 'atlas');
    const { result } = await review({ action: 'approve', updateId });
    expect(result).toMatchObject({
      success: false,
      statementsAffected: 0,
      verificationStatus: 'Rejected - Constraint Violation',
      violations: expect.arrayContaining([expect.objectContaining({ rule: 'functional-predicate' })]),
    });
    expect(await values()).toEqual(['GER']);
    expect((await list({ first: 100 })).map((item) => item.updateId)).toContain(updateId);

    await update([replace(de, `${world}code`, 'DEU')], 'atlas');
    const again = await review({ action: 'approve', updateId });
    expect(again.result).toMatchObject({ success: true, verificationStatus: 'Verified' });
    expect(await values()).toEqual(['DEU']);
  });

  test('of what its agent states by now affects nothing and closes the proposal', async () => {
    const [earlier, updateId] = [await hold(), await hold()];
    await review({ action: 'approve', updateId: earlier });
    const { result } = await review({ action: 'approve', updateId });
    expect(result).toMatchObject({ success: true, statementsAffected: 0 });
    const second = await review({ action: 'approve', updateId });
    expect(second.error?.data.reason).toBe('not-pending');
  });

  test('a second time is refused', async () => {
    const updateId = await hold();
    await review({ action: 'approve', updateId });
    const before = await revision();
    for (const action of ['approve', 'reject']) {
      const { error } = await review({ action, updateId });
      expect(error).toMatchObject({ code: -32011, data: { reason: 'not-pending', retryable: false } });
    }
    expect(await revision()).toBe(before);
    expect(await values()).toEqual(['hearsay']);
  });

  test('ten times at once applies it once', async () => {
    const updateId = await hold([add(de, `${schemaOrg}name`, 'a'), add(de, `${schemaOrg}name`, 'b')]);
    const before = await revision();
    const answers = await Promise.all(Array.from({ length: 10 }, () => review({ action: 'approve', updateId })));
    for (const { result, error } of answers) {
      if (error) expect(error.data.reason).toBe('not-pending');
      else expect(result).toMatchObject({ success: true, statementsAffected: 2, revision: before + 1 });
    }
    expect(answers.some(({ error }) => error === undefined)).toBe(true);
    expect(await revision()).toBe(before + 1);
    expect(await values()).toEqual(['a', 'b']);
  });

  test('and rejecting at once: one of the two counts, and both answers agree with it', async () => {
    for (let round = 0; round < 5; round++) {
      const subject = `${de}/${round}`;
      const updateId = await hold([add(subject, `${schemaOrg}name`, 'x')]);
      const [approved, rejected] = await Promise.all([
        review({ action: 'approve', updateId }),
        review({ action: 'reject', updateId }),
      ]);
      const [row] = await database.run<{ status: string; edges: number }>(
        'READ',
        'MATCH (u:Update {id: $updateId}) OPTIONAL MATCH ({id: $subject})-[r:NAME]->() RETURN u.status AS status, count(r) AS edges',
        { updateId, subject },
      );
      expect(row?.edges).toBe(row?.status === 'applied' ? 1 : 0);
      if (row?.status === 'applied') {
        expect(approved.result.success).toBe(true);
        expect(rejected.error?.data.reason).toBe('not-pending');
      } else {
        expect(rejected.result.success).toBe(false);
        expect(approved.error?.data.reason ?? approved.result.success).not.toBe(true);
      }
    }
  });
});

describe('rejecting', () => {
  test('closes the proposal for good, with the reason', async () => {
    const updateId = await hold();
    const { result } = await review({
      action: 'reject',
      updateId,
      reviewerId: 'editor',
      reason: 'no source',
    });
    expect(result).toMatchObject({
      success: false,
      verificationStatus: 'Rejected - Constraint Violation',
      verificationDetails: 'Rejected by editor: no source',
      updateId,
    });
    expect(await values()).toEqual([]);
    const item = (await list({ status: 'rejected', first: 100 })).find((each) => each.updateId === updateId);
    expect(item).toMatchObject({ status: 'rejected', reviewedBy: 'editor' });
    expect(item).not.toHaveProperty('mutations');
    expect((await review({ action: 'approve', updateId })).error?.data.reason).toBe('not-pending');
  });
});

test('a rejection that waits for an approval finds the proposal applied', async () => {
  const updateId = await hold();
  const lock = await holdLock(
    database,
    "MATCH (l:Ledger) SET l.lockedAt = datetime() WITH l MATCH (u:Update {id: $updateId}) SET u.status = 'applied'",
    { updateId },
  );
  const rejection = review({ action: 'reject', updateId });
  await untilBlocked(database);
  await lock.letGo();
  expect((await rejection).error?.data.reason).toBe('not-pending');
  expect((await list({ status: 'applied', first: 100 })).map((item) => item.updateId)).toContain(updateId);
});

test('what is approved carries no longer the reasons for which it was held', async () => {
  const updateId = await hold();
  const { result } = await review({ action: 'approve', updateId });
  expect(result).not.toHaveProperty('verificationDetails');
});

test('a proposal that there is not is refused', async () => {
  for (const action of ['approve', 'reject']) {
    const { error } = await review({ action, updateId: '00000000-0000-4000-8000-000000000000' });
    expect(error).toMatchObject({ code: -32011, data: { reason: 'unknown-proposal' } });
  }
});

test.each([
  [{}],
  [{ action: 'delete', updateId: '00000000-0000-4000-8000-000000000000' }],
  [{ action: 'approve' }],
  [{ action: 'approve', updateId: "' OR 1=1" }],
  [{ action: 'list', first: 0 }],
  [{ action: 'list', first: 101 }],
  [{ action: 'list', status: 'unknown' }],
])('%j is no request', async (params) => {
  expect((await review(params)).error).toMatchObject({ code: -32602 });
});

test('held under an idempotency key, by several calls at once, it is one proposal; approved, the key answers so', async () => {
  const metadata = { idempotencyKey: `key ${de}` };
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => update([add(de, `${schemaOrg}name`, 'hearsay')], 'rumour', { metadata })),
  );
  const [first] = answers;
  expect(answers.map(({ error }) => error)).toEqual(answers.map(() => undefined));
  expect(new Set(answers.map(({ result }) => result.updateId)).size).toBe(1);
  await review({ action: 'approve', updateId: first?.result.updateId });
  const { result } = await update([add(de, `${schemaOrg}name`, 'hearsay')], 'rumour', { metadata });
  expect(result).toMatchObject({ success: true, verificationStatus: 'Verified', statementsAffected: 1 });
  expect(await values()).toEqual(['hearsay']);
});
