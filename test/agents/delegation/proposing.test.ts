import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import canonicalize from 'canonicalize';
import { base64url, FlattenedSign } from 'jose';
import { type ConcordClient, connect } from '../../../src/client/index.ts';
import type { Task } from '../../../src/client/taskTypes.ts';
import { eventually } from '../../a2a/testService.ts';
import { identities, tokenOf } from '../../support/identities.ts';
import { add } from '../../support/patches.ts';
import { useDatabase, useService } from '../../support/setUp.ts';
import { type Got, type OddAgent, replied, result, startOddAgent, taskJson } from './workers.ts';

/* What an agent states in its answer is proposed at once. */

const database = useDatabase();
const service = useService({ ...identities, AGENT_ALLOW: '127.0.0.1' });
const scope = 'tasks agents knowledge:query knowledge:update';
const as = (sub: string, scopes = scope) =>
  connect(service.url, { token: tokenOf({ tenant: 'teams', sub, scope: scopes }) });

const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const another = generateKeyPairSync('ec', { namedCurve: 'P-256' });
let anna: ConcordClient;
let odd: OddAgent;
beforeAll(async () => {
  odd = await startOddAgent(false);
  anna = await as('anna');
  const keys = { keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'own' }] };
  await (await as('sage')).agents.register({ card: odd.card, keys });
  await anna.agents.register({ id: 'puppet', card: odd.card, keys });
});
afterAll(() => odd?.close());
beforeEach(async () => {
  await database.run('WRITE', 'MATCH (n:Entity|Literal|Update|Change) DETACH DELETE n');
  odd.got.length = 0;
});

const says = 'urn:teams:says';
const mutations = [add('urn:teams:x', says, 'so')];

/** Has the agent answer with data parts. */
function answers(partsOf: (got: Got) => unknown[] | Promise<unknown[]>): void {
  odd.answers.set('SendMessage', async (got, response) => {
    const parts = (await partsOf(got)).map((data) => ({ data }));
    const artifacts = [{ artifactId: 'a', name: 'a', parts }];
    replied(response, result(got, { task: taskJson('t1', 'COMPLETED', { artifacts }) }));
  });
}

async function signed({ params }: Got, key: KeyObject, more: object = {}) {
  const said = { messageId: params.message?.messageId, mutations, justification: 'I saw it', ...more };
  const payload = base64url.decode(base64url.encode(canonicalize(said) ?? ''));
  const jws = await new FlattenedSign(payload).setProtectedHeader({ alg: 'ES256', kid: 'own' }).sign(key);
  return { mutations, justification: 'I saw it', signature: { protected: jws.protected, signature: jws.signature } };
}

// biome-ignore lint/suspicious/noThenProperty: what Concord calls it; it is no function
const ask = (to: string, by = anna) => by.delegate({ to, message: 'What is so?', then: 'propose' });
const stated = () =>
  database.run<{ by: string; task: string }>(
    'READ',
    `MATCH (t:Task)-[:MADE]->(u:Update {status: 'applied'}) RETURN u.sourceAgentId AS by, t.id AS task`,
  );
const verdictsOf = ({ artifacts }: Task) =>
  artifacts?.filter(({ name }) => name === 'verdict').map(({ parts }) => parts[0]?.data) ?? [];
const faultOf = ({ status }: Task) =>
  (status.message?.parts[1]?.data as { error?: { data: Record<string, unknown> } } | undefined)?.error?.data;

test('what an agent has not signed is stated by the caller, and its provenance names the agent', async () => {
  answers(() => [{ mutations, justification: 'Read somewhere' }, { other: 'data' }]);
  const task = await ask('sage');
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(verdictsOf(task)).toMatchObject([{ verificationStatus: 'Verified', statementsAffected: 1 }]);
  expect(await stated()).toEqual([{ by: 'anna', task: task.id }]);
  const { data } = await anna.query('{ statements(where: { predicate: { eq: "urn:teams:says" } }) { provenance } }');
  expect(JSON.stringify(data)).toMatch(/statedBy.*sage/);
});

test('what an agent that speaks for itself has signed is its own knowledge', async () => {
  answers(async (got) => [await signed(got, own.privateKey)]);
  const task = await ask('sage');
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(await stated()).toMatchObject([{ by: 'sage', task: task.id }]);
  // Whom the caller has registered it could have sign whatever it likes.
  await ask('puppet');
  expect((await stated()).map(({ by }) => by)).toContain('anna');
  expect((await stated()).map(({ by }) => by)).not.toContain('puppet');
});

test('what is signed by another key, or for another message, is not stated', async () => {
  answers(async (got) => [await signed(got, another.privateKey)]);
  expect(faultOf(await ask('sage'))).toMatchObject({ reason: 'agent-answer' });
  answers(async (got) => [await signed(got, own.privateKey, { messageId: 'another' })]);
  expect(faultOf(await ask('sage'))).toMatchObject({ reason: 'agent-answer' });
  answers(async (got) => [{ ...(await signed(got, own.privateKey)), signature: { protected: '!', signature: '' } }]);
  expect(faultOf(await ask('sage'))).toMatchObject({ reason: 'agent-answer' });
  expect(await stated()).toEqual([]);
});

test.each<[string, () => unknown[], string]>([
  ['no list', () => [{ mutations: 'all of it' }], 'agent-answer'],
  ['too many parts', () => Array.from({ length: 21 }, () => ({ mutations })), 'agent-answer'],
  ['of no operation', () => [{ mutations: [{ op: 'drop', statement: mutations[0]?.statement }] }], 'invalid-params'],
  ['no statement', () => [{ mutations: [null, 5, {}] }], 'invalid-params'],
  ['nothing', () => [{ mutations: [] }], 'invalid-params'],
  [
    'of no provenance',
    () => [{ mutations: [add('urn:x', says, 'x', { provenance: 'me' as never })] }],
    'invalid-params',
  ],
])('patches that are %s end the task, and nothing is stated', async (_, parts, reason) => {
  answers(parts);
  const task = await ask('sage');
  expect([task.status.state, faultOf(task)?.reason]).toEqual([
    reason === 'agent-answer' ? 'TASK_STATE_FAILED' : 'TASK_STATE_REJECTED',
    reason,
  ]);
  expect(await stated()).toEqual([]);
});

test('who may not state anything does not have it stated, and nothing is sent', async () => {
  answers(() => [{ mutations }]);
  const task = await ask('sage', await as('bert', 'tasks agents knowledge:query'));
  expect(faultOf(task)).toMatchObject({ reason: 'missing-scope' });
  expect(odd.got).toEqual([]);
});

test('an answer without patches is an answer', async () => {
  answers(() => [{ nothing: 'to state' }]);
  expect((await ask('sage')).status.state).toBe('TASK_STATE_COMPLETED');
  expect(await stated()).toEqual([]);
});

test('after a crash, whoever may has it proposed, and what was applied already is not applied again', async () => {
  answers(() => [{ mutations }]);
  odd.answers.set('GetTask', (got, response) => {
    const artifacts = [{ artifactId: 'a', name: 'a', parts: [{ data: { mutations } }] }];
    replied(response, result(got, taskJson('t1', 'COMPLETED', { artifacts })));
  });
  const { id } = await ask('sage');
  expect(await stated()).toHaveLength(1);
  // As if the replica had died between the update and the end of the task.
  await database.run(
    'WRITE',
    `MATCH (t:Task {id: $id})-[d:DELEGATED_TO]->()
     SET t.state = 'WORKING', t.replica = 'dead', t.leaseUntil = datetime() - duration('PT1S'), d.state = 'following',
       d.remoteTaskId = 't1'
     WITH t MATCH (t)-[:HAS_ARTIFACT]->(f:Artifact) DETACH DELETE f`,
    { id },
  );
  await eventually(async () => (await anna.tasks.get(id)).status.state === 'TASK_STATE_INPUT_REQUIRED');
  expect((await anna.tasks.get(id)).status.message?.parts[0]?.text).toMatch(/^sage has answered\. Send a message/);
  const { task } = await anna.tasks.send({ taskId: id, parts: [{ text: 'Go on' }] });
  expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
  expect(task && verdictsOf(task)).toMatchObject([{ verificationStatus: 'Verified' }]);
  expect(await stated()).toHaveLength(1);
  expect(odd.got.filter(({ method }) => method === 'SendMessage')).toHaveLength(1);
});
