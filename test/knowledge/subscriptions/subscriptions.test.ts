import { createHash, createPublicKey, generateKeyPairSync, type JsonWebKey, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import jwt from 'jsonwebtoken';
import { SubscriptionStore } from '../../../src/knowledge/subscriptions/store.ts';
import { ApiKeyStore } from '../../../src/security/apiKeyStore.ts';
import { type Scope, scopes } from '../../../src/security/principal.ts';
import type { ChangeEvent, ChangeSubscription } from '../../../src/wire/types.ts';
import { eventually } from '../../a2a/testService.ts';
import { type Received, startReceiver, type TestReceiver } from '../../push/receiver.ts';
import { bearerOf, identities } from '../../support/identities.ts';
import { add, replace, schemaOrg, world } from '../../support/patches.ts';
import { type Answer, call } from '../../support/service.ts';
import { useDatabase, useFolder, useService } from '../../support/setUp.ts';

const name = `${schemaOrg}name`;
const population = `${world}population`;
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const folder = useFolder({ 'policy.json': '{"closed": []}' });
const file = join(folder, 'policy.json');
const settings = {
  ...identities,
  API_KEYS: 'true',
  POLICY: file,
  PUSH_ALLOW: '127.0.0.1',
  WEBHOOKS_PER_AGENT: '3',
  WEBHOOKS_IN_ALL: '20',
  WEBHOOK_BATCH_EVENTS: '3',
  WEBHOOK_ATTEMPTS: '2',
  AGENT_CARD_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
};
const database = useDatabase();
const service = useService(settings);
const keys = new ApiKeyStore(database);
let receiver: TestReceiver;
let agents = 0;

beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());
beforeEach(async () => {
  receiver.received.length = 0;
  receiver.answer = (response) => response.end();
  await database.run('WRITE', 'MATCH (s:ChangeSubscription) DETACH DELETE s');
});

interface Agent {
  key: string;
  keyId: string;
  agentId: string;
}

/** An agent that nobody else is. */
async function agentOf(grant: { tenant?: string; agentId?: string; scopes?: Scope[]; graphs?: string[] } = {}) {
  agents += 1;
  const { key, record } = await keys.create({
    tenant: 'north',
    agentId: `agent-${agents}`,
    scopes: [...scopes],
    ...grant,
  });
  return { key, keyId: record.id, agentId: record.agentId };
}

const send = <Result = ChangeSubscription>({ key }: Agent, params: object): Promise<Answer<Result>> =>
  call<Result>(service.url, 'knowledge/subscriptions', params, { 'x-api-key': key });
const every = 'subscription { statementChanged { op } }';
const of = (subject: string) => `subscription { statementChanged(where: {subject: {eq: "${subject}"}}) { op } }`;
const creating = (more: object = {}) => ({
  action: 'create',
  subscriptionQuery: every,
  receiver: { url: `${receiver.url}/hook` },
  ...more,
});

async function created(agent: Agent, more: object = {}): Promise<ChangeSubscription> {
  const { result, error } = await send(agent, creating(more));
  if (error) throw new Error(error.message);
  return result;
}

async function state(by: Agent, id: string): Promise<ChangeSubscription> {
  return (await send(by, { action: 'get', id })).result;
}

async function update(by: Agent, ...mutations: object[]): Promise<void> {
  const params = { mutations, sourceAgentId: by.agentId };
  const { error } = await call(service.url, 'knowledge/update', params, { 'x-api-key': by.key });
  if (error) throw new Error(error.message);
}

interface CloudEvent {
  id: string;
  source: string;
  data: ChangeEvent;
}
const batches = () => receiver.received.map(({ body }) => JSON.parse(body) as CloudEvent[]);
const events = () => batches().flat();
const valuesOf = (all: CloudEvent[]) =>
  all.map(({ data: { statement } }) => ('id' in statement.object ? statement.object.id : statement.object.value));
const values = () => valuesOf(events());

test('one that is created is got and listed by its agent, without what is secret of the receiver', async () => {
  const ann = await agentOf();
  const secret = 'for the receiver only';
  const bounds = { requiredCertainty: 0.5, maxAgeSeconds: 60 };
  const one = await created(ann, {
    subscriptionQuery: 'subscription ($s: String) { statementChanged(where: {subject: {eq: $s}}) { op } }',
    variables: { s: 'urn:s' },
    metadata: { ...bounds, afterSequence: 0 },
    receiver: {
      url: `${receiver.url}/hook`,
      token: secret,
      authentication: { scheme: 'Basic', credentials: secret },
    },
  });
  expect(one).toEqual({
    id: expect.any(String),
    state: 'active',
    subscriptionQuery: expect.stringContaining('$s'),
    variables: { s: 'urn:s' },
    metadata: bounds,
    receiver: { url: `${receiver.url}/hook` },
    createdAt: expect.any(String),
    cursor: 0,
  });
  const other = await created(ann);
  const listed = await send<{ subscriptions: ChangeSubscription[] }>(ann, { action: 'list' });
  expect(listed.result.subscriptions.map(({ id }) => id)).toEqual([one.id, other.id]);
  const page = await send<{ subscriptions: ChangeSubscription[] }>(ann, { action: 'list', first: 1, after: one.id });
  expect(page.result.subscriptions.map(({ id }) => id)).toEqual([other.id]);
  expect(JSON.stringify([listed, await send(ann, { action: 'get', id: one.id })])).not.toContain(secret);
});

test("another agent's, and another tenant's, is unknown, whatever is asked of it", async () => {
  const ann = await agentOf();
  const { id } = await created(ann);
  const strangers = [await agentOf(), await agentOf({ tenant: 'south', agentId: ann.agentId })];
  for (const stranger of strangers) {
    for (const action of ['get', 'pause', 'resume', 'delete']) {
      const { error } = await send(stranger, { action, id });
      expect(error).toMatchObject({ code: -32012, data: { reason: 'unknown-subscription' } });
    }
    expect((await send(stranger, { action: 'list', after: id })).error?.data.reason).toBe('unknown-subscription');
    expect((await send(stranger, { action: 'list' })).result).toEqual({ subscriptions: [] });
  }
  expect((await send(ann, { action: 'delete', id })).result).toEqual({ id, deleted: true });
  expect((await send(ann, { action: 'get', id })).error?.data.reason).toBe('unknown-subscription');
});

test('changes arrive in their order as CloudEvents, in batches, and their cursor is told', async () => {
  const ann = await agentOf();
  const { id } = await created(ann, { subscriptionQuery: of('urn:order') });
  await update(
    ann,
    ...[1, 2, 3, 4, 5, 6, 7].map((value) => add('urn:order', 'urn:p', value)),
    add('urn:o', 'urn:p', 0),
  );
  await update(ann, replace('urn:order', 'urn:p', 8));
  await eventually(() => events().length >= 8);
  expect(values()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(Math.max(...batches().map(({ length }) => length))).toBe(3);
  const last = events().at(-1)?.data.changeMetadata.sequence;
  await eventually(async () => (await state(ann, id)).cursor === last);
  expect(receiver.received[0]?.headers['content-type']).toBe('application/cloudevents-batch+json; charset=utf-8');
  const schema = JSON.parse(readFileSync('test/knowledge/subscriptions/cloudevents.json', 'utf8'));
  const holds = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  for (const event of events()) expect([holds(event), holds.errors]).toEqual([true, null]);
  expect(events()[0]).toEqual({
    specversion: '1.0',
    id: events()[0]?.data.changeId,
    source: `urn:uuid:${id}`,
    type: 'concord.statement.changed',
    subject: 'urn:order',
    time: events()[0]?.data.timestamp,
    datacontenttype: 'application/json',
    data: expect.objectContaining({
      op: 'add',
      changeMetadata: expect.objectContaining({ sequence: expect.any(Number) }),
    }),
  });
});

test('a delivery is signed as the documents say, and shows the receiver what it wants to be shown', async () => {
  const ann = await agentOf();
  const { id } = await created(ann, { receiver: { url: `${receiver.url}/hook`, token: 'mine' } });
  await update(ann, add('urn:signed', name, 'x'));
  await eventually(() => receiver.received.length > 0);
  const { headers = {}, body = '' }: Partial<Received> = receiver.received[0] ?? {};
  const token = headers.authorization?.replace('Bearer ', '') ?? '';
  const { keys: published } = (await (await fetch(`${service.url}/.well-known/jwks.json`)).json()) as {
    keys: JsonWebKey[];
  };
  const key = createPublicKey({ key: published[0] ?? {}, format: 'jwk' });
  expect(jwt.verify(token, key, { algorithms: ['ES256'], issuer: service.url, audience: receiver.url })).toMatchObject({
    subscriptionId: id,
    request_body_sha256: createHash('sha256').update(body).digest('hex'),
  });
  expect(headers['x-a2a-notification-token']).toBe('mine');
});

test('a batch comes again, with the same ids, until it is acknowledged, and what came meanwhile comes behind it', async () => {
  const ann = await agentOf();
  const { id } = await created(ann);
  const statuses = [500, 200];
  receiver.answer = (response) => response.writeHead(statuses.shift() ?? 200).end();
  await update(ann, add('urn:again', name, 'first'));
  await eventually(async () => (await state(ann, id)).failure?.reason === 'HTTP 500');
  expect((await state(ann, id)).failure).toMatchObject({ attempts: 1 });
  await update(ann, add('urn:again', name, 'second'));
  await eventually(() => values().includes('second'));
  expect(values().filter((value) => value === 'first').length).toBeGreaterThan(1);
  expect(values().slice(-2)).toEqual(['first', 'second']);
  const firsts = events().filter(({ data }) => JSON.stringify(data).includes('first'));
  expect(new Set(firsts.map((each) => each.id)).size).toBe(1);
  await eventually(async () => (await state(ann, id)).failure === undefined);
});

test('a receiver that fails again and again has its subscription paused, and nothing is lost when that is resumed', async () => {
  const ann = await agentOf();
  const { id } = await created(ann);
  receiver.answer = (response) => response.writeHead(503).end();
  await update(ann, add('urn:paused', name, 'one'));
  await eventually(async () => (await state(ann, id)).state === 'paused');
  expect(await state(ann, id)).toMatchObject({
    pause: { reason: 'receiver-failing', at: expect.any(String) },
    failure: { reason: 'HTTP 503', attempts: 2 },
  });
  expect(receiver.received).toHaveLength(2);
  await update(ann, add('urn:paused', name, 'two'));
  const metrics = await (await fetch(`${service.url}/metrics`, { headers: { 'x-api-key': ann.key } })).text();
  expect(metrics).toMatch(/concord_webhook_pauses_total\{reason="receiver-failing"\} [1-9]/);
  expect(metrics).toMatch(/concord_webhooks\{state="paused"\} 1/);
  receiver.received.length = 0;
  receiver.answer = (response) => response.end();
  const { result } = await send(ann, { action: 'resume', id });
  expect(result).toMatchObject({ id, state: 'active' });
  expect(result.failure).toBeUndefined();
  await eventually(() => events().length >= 2);
  expect(values()).toEqual(['one', 'two']);
});

test('a receiver that says that it is gone is believed at once', async () => {
  const ann = await agentOf();
  const { id } = await created(ann);
  receiver.answer = (response) => response.writeHead(410).end();
  await update(ann, add('urn:gone', name, 'x'));
  await eventually(async () => (await state(ann, id)).pause?.reason === 'receiver-gone');
  expect(receiver.received).toHaveLength(1);
});

test('what its agent pauses is not served, also of what is said meanwhile, until it is resumed', async () => {
  const ann = await agentOf();
  const { id } = await created(ann);
  const { result } = await send(ann, { action: 'pause', id });
  expect(result).toMatchObject({ state: 'paused', pause: { reason: 'asked' } });
  const witness = await created(ann);
  await update(ann, add('urn:asked', name, 'meanwhile'));
  await eventually(() => events().length >= 1);
  expect(events().map(({ source }) => source)).toEqual([`urn:uuid:${witness.id}`]);
  await send(ann, { action: 'resume', id });
  await eventually(() => events().some(({ source }) => source === `urn:uuid:${id}`));
});

test('what has become closed to its agent it is sent no longer', async () => {
  const ann = await agentOf();
  const bob = await agentOf();
  await created(ann);
  receiver.answer = (response) => response.writeHead(500).end();
  await update(bob, add('urn:closed', population, 41), add('urn:closed', name, 'open'));
  await eventually(() => receiver.received.length > 0);
  const closing = { closed: [{ rule: 'shut', predicates: [population], to: { agents: [ann.agentId] } }] };
  await writeFile(file, JSON.stringify(closing));
  const asked =
    'subscription { statementChanged(where: {predicate: {eq: "https://example.org/world#population"}}) { op } }';
  // The policy is read again within a second or two.
  await eventually(async () => {
    const { error, result } = await send(ann, creating({ subscriptionQuery: asked }));
    if (!error) await send(ann, { action: 'delete', id: result.id });
    return error?.data.reason === 'closed-predicate';
  });
  receiver.received.length = 0;
  receiver.answer = (response) => response.end();
  const [{ id } = { id: '' }] = (await send<{ subscriptions: ChangeSubscription[] }>(ann, { action: 'list' })).result
    .subscriptions;
  await send(ann, { action: 'resume', id });
  await eventually(() => events().length > 0);
  expect(values()).toEqual(['open']);
  await writeFile(file, '{"closed": []}');
});

test.each<[string, (agent: Agent) => Promise<unknown>]>([
  ['revoked-key', ({ keyId }) => keys.revoke(keyId)],
  ['unknown-key', ({ keyId }) => database.run('WRITE', 'MATCH (k:ApiKey {id: $keyId}) DELETE k', { keyId })],
  [
    'missing-scope',
    ({ keyId }) => database.run('WRITE', "MATCH (k:ApiKey {id: $keyId}) SET k.scopes = ['tasks']", { keyId }),
  ],
])('once its key is good no longer (%s) nothing is sent, and a key that is good resumes it', async (reason, spoil) => {
  const ann = await agentOf();
  const { id } = await created(ann);
  await spoil(ann);
  const again = await agentOf({ agentId: ann.agentId });
  await update(again, add(`urn:${reason}`, name, reason));
  await eventually(async () => (await state(again, id)).pause?.reason === reason);
  expect(receiver.received).toEqual([]);
  await send(again, { action: 'resume', id });
  await eventually(() => events().length > 0);
  expect(values()).toEqual([reason]);
});

test('who sees some graphs only is sent what is said in these, by the key as it is now', async () => {
  const ann = await agentOf({ graphs: ['urn:g:a', 'urn:g:b'] });
  const bob = await agentOf();
  await created(ann);
  await database.run('WRITE', "MATCH (k:ApiKey {id: $keyId}) SET k.graphs = ['urn:g:a']", { keyId: ann.keyId });
  await update(
    bob,
    add('urn:graphs', name, 'default'),
    add('urn:graphs', name, 'b', { graph: 'urn:g:b' }),
    add('urn:graphs', name, 'a', { graph: 'urn:g:a' }),
  );
  await eventually(() => events().length > 0);
  expect(values()).toEqual(['a']);
});

test('who came by a token makes none and resumes none, but sees and ends those of its agent', async () => {
  const ann = await agentOf();
  const { id } = await created(ann);
  const byToken = (params: object) =>
    call(service.url, 'knowledge/subscriptions', params, bearerOf({ tenant: 'north', sub: ann.agentId }));
  const refused = { code: -32012, data: { reason: 'no-lasting-identity' } };
  expect((await byToken(creating())).error).toMatchObject(refused);
  expect((await byToken({ action: 'resume', id })).error).toMatchObject(refused);
  expect((await byToken({ action: 'pause', id })).result).toMatchObject({ id, state: 'paused' });
  expect((await byToken({ action: 'delete', id })).result).toEqual({ id, deleted: true });
});

test.each<[string, number, object]>([
  ['refused-address', -32602, { receiver: { url: 'https://169.254.169.254/latest' } }],
  ['https-required', -32602, { receiver: { url: 'http://1.1.1.1/hook' } }],
  ['invalid-url', -32602, { receiver: { url: 'ftp://1.1.1.1/hook' } }],
  ['invalid-header', -32602, { receiver: { url: 'https://1.1.1.1/', token: 'line\nfeed' } }],
  ['invalid-params', -32602, { receiver: { url: 'https://1.1.1.1/', secret: 'what is that?' } }],
  ['invalid-params', -32602, { variables: { much: 'x'.repeat(200_000) } }],
  ['cursor-ahead', -32012, { metadata: { afterSequence: 1_000_000 } }],
  ['since-ahead', -32012, { metadata: { since: '2100-01-01T00:00:00Z' } }],
  ['validation', -32012, { subscriptionQuery: 'subscription { nothing }' }],
  ['validation', -32012, { metadata: { snapshot: true } }],
  ['unsupported-language', -32012, { queryLanguage: 'sparql' }],
])('one that could not be served is refused when it is created: %s', async (reason, code, more) => {
  const ann = await agentOf();
  expect((await send(ann, creating(more))).error).toMatchObject({ code, data: { reason } });
  expect((await send(ann, { action: 'list' })).result).toEqual({ subscriptions: [] });
});

test('an agent has no more than it may, though it creates several at once', async () => {
  const ann = await agentOf();
  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => send(ann, creating())));
  const full = answers.flatMap(({ error }) => (error ? [error] : []));
  expect(full).toEqual(
    [1, 2].map(() => expect.objectContaining({ data: expect.objectContaining({ reason: 'webhooks-full', limit: 3 }) })),
  );
  expect((await send(await agentOf(), creating())).error).toBeUndefined();
});

test('who may not subscribe may not do any of it', async () => {
  const ann = await agentOf({ scopes: ['knowledge:query'] });
  expect((await send(ann, { action: 'list' })).error).toMatchObject({
    code: -32012,
    data: { reason: 'missing-scope' },
  });
});

test('one that began at a time does not tell where in the log that is', async () => {
  const ann = await agentOf();
  const since = new Date().toISOString();
  await update(ann, add('urn:since', name, 'since'));
  const { id, cursor } = await created(ann, { metadata: { since }, subscriptionQuery: of('urn:since') });
  expect(cursor).toBeUndefined();
  await eventually(() => events().length > 0);
  expect(values()).toEqual(['since']);
  await eventually(async () => (await state(ann, id)).cursor !== undefined);
});

test('what another replica has delivered meanwhile is not undone by a replica that was slower', async () => {
  const key = { tenant: 'north', id: randomUUID() };
  await database.run(
    'WRITE',
    `CREATE (:ChangeSubscription {tenant: $tenant, id: $id, owner: 'slow', replica: 'r', cursor: 0, failures: 0,
       wanted: '{}', receiver: '{}', createdAt: datetime()})`,
    key,
  );
  const store = new SubscriptionStore(database, 'r');
  await store.delivered(key, 9);
  await store.delivered(key, 5);
  expect(await store.find({ ...key, owner: 'slow' })).toMatchObject({ cursor: 9, deliveredSequence: 9 });
});
