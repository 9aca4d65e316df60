import { beforeAll, expect, test } from '@jest/globals';
import {
  AlignmentViolationError,
  add,
  type ConcordClient,
  connect,
  InvalidParamsError,
  KnowledgeQueryError,
  KnowledgeUpdateError,
  literal,
  remove,
  replace,
} from '../../src/client/index.ts';
import { useService } from '../support/setUp.ts';

const schemaOrg = 'https://schema.org/';
const name = `${schemaOrg}name`;
const france = { id: 'urn:France', type: `${schemaOrg}Country` };

let client: ConcordClient;
let doubtful: ConcordClient;
const service = useService({ AGENT_TRUST: 'rumour=0.2', RULES: 'test/client/rules' });
beforeAll(async () => {
  client = await connect(service.url, { agentId: 'scout' });
  doubtful = await connect(service.url, { agentId: 'rumour' });
}, 90_000);

test('patches are applied together, and a query answers with what they say', async () => {
  const result = await client.update([
    add(france, name, literal('France', { language: 'en' }), { certainty: 0.9 }),
    add(france, 'https://example.org/world#population', 68_000_000),
    add(france, 'https://example.org/world#capital', { id: 'urn:Paris', type: `${schemaOrg}City` }),
    add('urn:Paris', name, 'Paris'),
  ]);
  expect(result).toMatchObject({ success: true, statementsAffected: 4, verificationStatus: 'Verified' });
  const { data, queryMetadata } = await client.query<{
    countries: { name: string; population: number; capital: { name: string }[] }[];
  }>('query ($id: ID!) { countries(where: { id: { eq: $id } }) { name population capital { name } } }', {
    id: france.id,
  });
  expect(data.countries).toEqual([{ name: 'France', population: 68_000_000, capital: [{ name: 'Paris' }] }]);
  expect(queryMetadata.revision).toBe(result.revision);
});

test('a statement is replaced, and removed', async () => {
  const population = 'urn:test:population';
  await client.update({ mutations: [add('urn:x', population, 1)], justification: 'Counted', taskId: 't1' });
  expect(await client.update([replace('urn:x', population, 2)])).toMatchObject({ statementsAffected: 2 });
  expect(await client.update([remove('urn:x', population, 1)])).toMatchObject({ statementsAffected: 0 });
  expect(await client.update([remove('urn:x', population, 2)])).toMatchObject({ statementsAffected: 1 });
});

test('an update is applied only to the revision that it expects', async () => {
  const { revision = 0 } = await client.update([add('urn:y', name, 'Y')]);
  const error = await client
    .update({ mutations: [add('urn:y', name, 'Z')], metadata: { expectedRevision: revision - 1 } })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(KnowledgeUpdateError);
  expect(error).toMatchObject({ code: -32011, reason: 'revision-conflict', data: { revision } });
});

test('params that do not fit are named by their paths', async () => {
  const error = await client.update([add('', name, 'nobody')]).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InvalidParamsError);
  expect((error as InvalidParamsError).issues).toEqual([
    { path: 'mutations[0].statement.subject.id', message: 'is empty' },
  ]);
});

test('a query that is wrong is a KnowledgeQueryError', async () => {
  await expect(client.query('{ nothing }')).rejects.toBeInstanceOf(KnowledgeQueryError);
  await expect(client.query('{ nothing }')).rejects.toMatchObject({ code: -32010, retryable: false });
});

test('what a directive forbids is an AlignmentViolationError that names the rule', async () => {
  const error = await client.update([add('urn:secret', name, 'hidden')]).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AlignmentViolationError);
  expect((error as AlignmentViolationError).rule).toBe('no-secrets');
  expect((error as AlignmentViolationError).violations).toMatchObject([{ subject: 'urn:secret' }]);
});

test('a reviewer lists what is held, approves and rejects', async () => {
  const held = await doubtful.update([add('urn:a', name, 'Said to be A')]);
  const other = await doubtful.update([add('urn:b', name, 'Said to be B')]);
  expect(held).toMatchObject({ success: true, verificationStatus: 'Pending Review' });
  const proposals = await client.review.list();
  expect(proposals.map(({ updateId, sourceAgentId }) => [updateId, sourceAgentId])).toEqual([
    [held.updateId, 'rumour'],
    [other.updateId, 'rumour'],
  ]);
  expect(proposals[0]?.mutations).toMatchObject([{ op: 'add', statement: { subject: { id: 'urn:a' } } }]);
  expect((await client.review.list({ first: 1, after: held.updateId })).map((item) => item.updateId)).toEqual([
    other.updateId,
  ]);

  expect(await client.review.approve(held.updateId ?? '')).toMatchObject({ verificationStatus: 'Verified' });
  expect(await client.review.reject(other.updateId ?? '', { reason: 'no source' })).toMatchObject({
    verificationStatus: 'Rejected - Constraint Violation',
    verificationDetails: 'Rejected by scout: no source',
  });
  expect(await client.review.list()).toEqual([]);
  expect(await client.review.list({ status: 'rejected' })).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ updateId: other.updateId, reviewedBy: 'scout' })]),
  );
  await expect(client.review.approve(held.updateId ?? '')).rejects.toMatchObject({ reason: 'not-pending' });
});
