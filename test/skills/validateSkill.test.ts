import { beforeAll, expect, test } from '@jest/globals';
import type { DryRunResult, UpdateResult } from '../../src/knowledge/update/propose.ts';
import { bearerOf, identities } from '../support/identities.ts';
import { add, schemaOrg } from '../support/patches.ts';
import { call } from '../support/service.ts';
import { useDatabase, useService } from '../support/setUp.ts';
import { artifactOf, faultOf, sendTask } from './tasks.ts';

const database = useDatabase();
const service = useService({ ...identities, TENANTS: 'north', AGENT_TRUST: 'rumour=0.2' });
beforeAll(async () => {
  const { result } = await propose(named('France'));
  expect(result).toMatchObject({ verificationStatus: 'Verified', revision: 1 });
});

const bearer = (sub: string, claims: object = {}) => bearerOf({ tenant: 'north', sub, ...claims });
const named = (name: string) => add('urn:test:fr', `${schemaOrg}name`, name, { type: `${schemaOrg}Country` });
const propose = (mutation: object, metadata: object = {}) =>
  call<UpdateResult>(service.url, 'knowledge/update', { mutations: [mutation], metadata }, bearer('atlas'));
const validate = (mutation: object, caller = bearer('atlas'), further: object = {}) =>
  sendTask(service.url, caller, { skill: 'validate', mutations: [mutation], ...further });

/** What the graph holds, but for the tasks themselves. */
async function graph(): Promise<object[]> {
  return database.run(
    'READ',
    `MATCH (n) WHERE n:Entity OR n:Literal OR n:Update OR n:Change OR n:Ledger
     RETURN labels(n) AS labels, properties(n) AS properties, COUNT { (n)--() } AS degree ORDER BY elementId(n)`,
  );
}

test('validate tells the verdict that an update would have, and leaves the graph as it was', async () => {
  const before = await graph();
  const applied = await validate(named('Republic of France'));
  expect(faultOf(applied)).toBeUndefined();
  expect(applied.status.state).toBe('TASK_STATE_COMPLETED');
  expect(artifactOf<DryRunResult>(applied)).toEqual({
    success: true,
    statementsAffected: 1,
    affectedIds: ['urn:test:fr'],
    verificationStatus: 'Verified',
    dryRun: true,
  });
  const held = await validate(named('La France'), bearer('rumour'));
  expect(artifactOf<DryRunResult>(held)).toMatchObject({
    verificationStatus: 'Pending Review',
    violations: [{ severity: 'review' }],
    dryRun: true,
  });
  const city = { type: `${schemaOrg}City` };
  const rejected = await validate(add('urn:test:fr', `${schemaOrg}name`, 'Frankreich', city));
  expect(artifactOf<DryRunResult>(rejected)).toMatchObject({
    success: false,
    verificationStatus: 'Rejected - Constraint Violation',
    dryRun: true,
  });
  expect(rejected.status.message?.parts[0]?.text).toContain('Nothing was applied');
  const unchanged = await validate(named('France'));
  expect(artifactOf<DryRunResult>(unchanged)).toMatchObject({ statementsAffected: 0, dryRun: true });
  expect(await graph()).toEqual(before);

  const next = await propose(named('Republic of France'));
  expect(next.result).toMatchObject({ verificationStatus: 'Verified', revision: 2 });
});

test('a dry run takes no idempotency key, and fails where the update would', async () => {
  const metadata = { idempotencyKey: 'once' };
  const first = await validate(named('Francia'), bearer('atlas'), { metadata });
  expect(artifactOf<DryRunResult>(first)).toMatchObject({ statementsAffected: 1 });
  const { result } = await propose(named('Francia'), metadata);
  expect(result).toMatchObject({ statementsAffected: 1 });

  const late = await validate(named('Frantzia'), bearer('atlas'), { metadata: { expectedRevision: 1 } });
  expect(late.status.state).toBe('TASK_STATE_FAILED');
  expect(faultOf(late)).toMatchObject({ code: -32011, data: { reason: 'revision-conflict' } });
  const reader = bearer('rita', { scope: 'knowledge:query tasks' });
  const refused = await validate(named('Frantzia'), reader);
  expect(faultOf(refused)).toMatchObject({ code: -32011, data: { reason: 'missing-scope' } });
});
