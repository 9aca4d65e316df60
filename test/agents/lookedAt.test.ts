import { generateKeyPairSync } from 'node:crypto';
import { AgentCard, generateAgentCardSignature } from '@a2a-js/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readCard } from '../../src/agents/cards/readCard.ts';
import { CheckStore } from '../../src/agents/checks/checkStore.ts';
import { AgentStore } from '../../src/agents/nodes/agentStore.ts';
import { CredentialKeeper } from '../../src/agents/secrets/credentials.ts';
import type { AgentCredentials, RegisteredAgent } from '../../src/wire/agents.ts';
import { eventually } from '../a2a/testService.ts';
import { recording, scansOf } from '../support/plans.ts';
import { call, startServiceOnGraph } from '../support/service.ts';
import { useDatabase, useService } from '../support/setUp.ts';
import { type CardServer, startCardServer } from './cardServer.ts';
import { a2aCard } from './cards/cards.ts';

const secrets = ['a first secret of thirty-two characters', 'another secret of thirty-two characters'];
const database = useDatabase();
const service = useService({
  AGENT_ALLOW: '127.0.0.1',
  AGENT_CHECK_INTERVAL_S: '1',
  AGENT_SECRETS_KEY: secrets.join('\n'),
});
let server: CardServer;
beforeAll(async () => {
  server = await startCardServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  await database.run('WRITE', 'MATCH (n:Agent|AgentCredentials) DETACH DELETE n');
  server.answers.clear();
  server.answers.set('/card.json', a2aCard);
  server.asked.length = 0;
});

const tenant = 'default';
const room = { limit: 20, running: { tenants: {}, hosts: {} }, leaseMs: 60_000 };
const send = async (method: string, params: object) => {
  const { result, error } = await call<RegisteredAgent & { card: object }>(service.url, `agents/${method}`, params);
  return { ...result, reason: error?.data.reason };
};
const register = (more: object = {}) => send('register', { id: 'x', url: `${server.url}/card.json`, ...more });
const agent = () => send('get', { id: 'x' });
/** Has the next look be at the card itself, and now. */
const stale = () => database.run('WRITE', 'MATCH (a:Agent {id: "x"}) SET a.freshUntil = datetime() - duration("PT1S")');
/** As if nobody had looked for so many failures' time. */
const now = () => database.run('WRITE', 'MATCH (a:Agent {id: "x"}) SET a.leaseUntil = datetime()');

test('an agent that is registered by its address is up, and looked at again and again', async () => {
  const registered = await register();
  expect(registered).toMatchObject({ cardUrl: `${server.url}/card.json`, status: 'up', signature: 'none' });
  // The card is fresh: only whether it is there is asked.
  await eventually(() => server.asked.includes('HEAD /card.json'));
  await eventually(async () => ((await agent()).lastSeen ?? '') > (registered.lastSeen ?? ''));
  expect(await agent()).toMatchObject({ statusSince: registered.statusSince, changedAt: registered.changedAt });
});

test('one that fails twice is down, with the reason, and up again when it answers', async () => {
  await register();
  server.answers.set('/card.json', (response) => response.writeHead(500).end());
  await eventually(async () => (await agent()).failure?.attempts === 1);
  expect((await agent()).status).toBe('up');
  await now();
  await eventually(async () => (await agent()).status === 'down');
  expect(await agent()).toMatchObject({ name: 'Translator', failure: { reason: 'card-unreachable', attempts: 2 } });
  server.answers.set('/card.json', a2aCard);
  await now();
  await eventually(async () => (await agent()).status === 'up');
  expect(await agent()).not.toHaveProperty('failure');
});

test('the longer one is down the more rarely it is looked at', async () => {
  await register();
  server.answers.delete('/card.json');
  const waits = async () => {
    const [row] = await database.run<{ seconds: number }>(
      'READ',
      'MATCH (a:Agent {id: "x"}) RETURN duration.inSeconds(datetime(), a.leaseUntil).seconds AS seconds',
    );
    return row?.seconds ?? 0;
  };
  await database.run('WRITE', 'MATCH (a:Agent {id: "x"}) SET a.failures = 9');
  await eventually(async () => (await agent()).failure?.attempts === 10);
  expect(await waits()).toBeGreaterThan(400);
  await database.run('WRITE', 'MATCH (a:Agent {id: "x"}) SET a.failures = 2000, a.leaseUntil = datetime()');
  await eventually(async () => (await agent()).failure?.attempts === 2_001);
  expect(await waits()).toBeLessThanOrEqual(3_600);
});

test('a card that changes is read again once it isn’t fresh any more, and a wrong one changes nothing', async () => {
  await register({ tags: ['own'] });
  server.answers.set('/card.json', { ...a2aCard, name: 'Interpreter', skills: [] });
  await stale();
  await eventually(async () => (await agent()).name === 'Interpreter');
  expect(await agent()).toMatchObject({ tags: ['own'], skills: [], card: { name: 'Interpreter' } });
  server.answers.set('/card.json', { ...a2aCard, name: 'Bad\u0007' });
  await stale();
  await eventually(async () => (await agent()).failure?.reason === 'invalid-card');
  expect(await agent()).toMatchObject({ name: 'Interpreter' });
});

test('a card is asked for by its tag, and is as it was where that is', async () => {
  const tags: (string | undefined)[] = [];
  server.answers.set('/card.json', (response, request) => {
    if (request.method === 'GET') tags.push(request.headers['if-none-match']);
    const isSame = request.headers['if-none-match'] === '"one"';
    response.writeHead(isSame ? 304 : 200, { ETag: '"one"', 'Content-Type': 'application/json' });
    response.end(isSame ? undefined : JSON.stringify(a2aCard));
  });
  const { changedAt } = await register();
  await stale();
  await eventually(() => tags.includes('"one"'));
  expect(tags).toEqual([undefined, '"one"']);
  expect(await agent()).toMatchObject({ status: 'up', changedAt });
});

test('a card that was signed is not taken without its signature', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const sign = generateAgentCardSignature(privateKey, {
    ...{ alg: 'ES256', kid: 'k', typ: 'JOSE', jku: `${server.url}/keys.json` },
  });
  const signed = AgentCard.toJSON(await sign(AgentCard.fromJSON(a2aCard))) as object;
  server.answers.set('/keys.json', { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k' }] });
  server.answers.set('/card.json', signed);
  expect(await register()).toMatchObject({ signature: 'verified' });
  server.answers.set('/card.json', { ...a2aCard, name: 'Impostor' });
  await stale();
  await eventually(async () => (await agent()).failure?.reason === 'card-signature');
  expect(await agent()).toMatchObject({ name: 'Translator', signature: 'verified' });
});

test('a signed card that stays as it is counts no more once its key is taken back', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const header = { alg: 'ES256', kid: 'k', typ: 'JOSE', jku: `${server.url}/keys.json` };
  const sign = generateAgentCardSignature(privateKey, header);
  const signed = JSON.stringify(AgentCard.toJSON(await sign(AgentCard.fromJSON(a2aCard))));
  server.answers.set('/keys.json', { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k' }] });
  for (const tagged of [true, false]) {
    server.answers.set('/card.json', (response, request) => {
      const isSame = tagged && request.headers['if-none-match'] === '"one"';
      response.writeHead(isSame ? 304 : 200, { ...(tagged && { ETag: '"one"' }), 'Content-Type': 'application/json' });
      response.end(isSame ? undefined : signed);
    });
    expect(await register()).toMatchObject({ signature: 'verified' });
    const another = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
    const before = server.answers.get('/keys.json');
    server.answers.set('/keys.json', { keys: [{ ...another.export({ format: 'jwk' }), kid: 'k' }] });
    await stale();
    await now();
    await eventually(async () => (await agent()).failure?.reason === 'card-signature');
    server.answers.set('/keys.json', before ?? {});
    await now();
    await eventually(async () => (await agent()).failure === undefined);
  }
});

test('keys that were registered when there were no limits are not read beyond them', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const sign = generateAgentCardSignature(privateKey, { alg: 'ES256', kid: 'k', typ: 'JOSE' });
  server.answers.set('/card.json', AgentCard.toJSON(await sign(AgentCard.fromJSON(a2aCard))) as object);
  const key = { ...publicKey.export({ format: 'jwk' }), kid: 'k' };
  expect(await register({ keys: { keys: [key] } })).toMatchObject({ signature: 'verified' });
  const kept = JSON.stringify({ keys: [...Array.from({ length: 1_000 }, () => ({ ...key, kid: 'other' })), key] });
  await database.run('WRITE', 'MATCH (a:Agent {id: "x"}) SET a.keys = $kept', { kept });
  await stale();
  await now();
  await eventually(async () => (await agent()).failure?.reason === 'card-signature');
});

test('an agent is looked at by one replica, and by another where that is gone', async () => {
  await database.run(
    'WRITE',
    `UNWIND range(1, 20) AS n
     CREATE (:Agent {tenant: 'other', id: toString(n), registeredAt: datetime(), leaseUntil: datetime() - duration('P1D'),
       cardUrl: 'https://none.invalid', replica: 'gone'})`,
  );
  const stores = ['one', 'two', 'three'].map((replica) => new CheckStore(database, replica));
  const taken = (await Promise.all(stores.map((store) => store.take(room)))).flat();
  expect(new Set(taken.map(({ id }) => id)).size).toBe(taken.length);
  expect(taken.length).toBeGreaterThan(0);
});

test('of one tenant, and at one host, no more are looked at at a time than their share', async () => {
  await database.run(
    'WRITE',
    `UNWIND range(1, 40) AS n
     CREATE (:Agent {tenant: CASE WHEN n <= 20 THEN 'slow' ELSE 't' + n END, id: toString(n),
       cardUrl: CASE WHEN n <= 20 THEN 'https://s' + n + '.invalid/c' WHEN n <= 39 THEN 'https://slow.invalid:' + n
         ELSE 'https://fast.invalid/card.json' END, registeredAt: datetime(),
       leaseUntil: datetime('2000-01-01') + duration({seconds: n})})`,
  );
  const store = new CheckStore(database, 'fair');
  const first = await store.take({ ...room, limit: 100 });
  const hosts = first.map(({ host }) => host).filter((host) => host.endsWith('.invalid'));
  const beside = hosts.filter((host) => !/^s\d/.test(host)).toSorted();
  expect(hosts.length - beside.length).toBeLessThanOrEqual(4);
  expect(beside.filter((host) => host === 'slow.invalid').length).toBeLessThanOrEqual(4);
  const running = { tenants: { slow: 4 }, hosts: { 'slow.invalid': 4 } };
  const next = await store.take({ ...room, limit: 100, running });
  expect(next.filter(({ tenant, host }) => tenant === 'slow' || host === 'slow.invalid')).toEqual([]);
  await database.run(
    'WRITE',
    "MATCH (a:Agent) WHERE a.cardUrl ENDS WITH 'invalid' OR a.tenant = 'slow' DETACH DELETE a",
  );
});

test('a registration that is replaced while it is looked at keeps what is new', async () => {
  const store = new CheckStore(database, 'slow');
  await register();
  await now();
  const [key] = await store.take({ ...room, limit: 1 });
  const before = key && (await store.find(key));
  if (!key || !before) throw new Error('It was taken by another');
  await register({ url: undefined, card: { ...a2aCard, name: 'New' } });
  await store.failed(key, before, 'card-unreachable', { againMs: 1_000, longestMs: 1_000 });
  await store.seen(key, before, {}, 1_000);
  expect(await agent()).toMatchObject({ name: 'New', status: 'unknown' });
  expect(await agent()).not.toHaveProperty('cardUrl');
});

test('what the registry looks up is sought in an index, also while there is nothing in it', async () => {
  const { database: recorded, asked } = recording(database);
  const store = new AgentStore(recorded, { most: 10, againMs: 0 });
  const key = { tenant: 'planned', id: 'p' };
  const by = { agentId: 'p', isAdmin: false };
  const { profile, text: card } = readCard(a2aCard);
  const shared = { profile, card, cardUrl: 'https://none.invalid', signature: 'none' as const, ownTags: [] };
  await store.register(key, by, { ...shared, fetched: { freshMs: 0 } });
  await store.requireRight(key, by);
  await store.list('planned', { first: 10 });
  const like = await store.like('planned', ['translator'], { first: 10 });
  expect(like.length === 0 || !('skills' in (like[0] ?? {}))).toBe(true);
  await store.some('planned', ['p']);
  const checks = new CheckStore(recorded, 'planner');
  await checks.take(room);
  const agent = await checks.find(key);
  if (agent) await checks.failed(key, agent, 'card-unreachable', { againMs: 1_000, longestMs: 1_000 });
  if (agent) await checks.seen(key, agent, {}, 1_000);
  await store.find(key);
  await store.remove(key, by);
  expect(asked.size).toBeGreaterThan(8);
  expect(await scansOf(database, asked)).toEqual({});
});

test('what an address answers with is refused before anything is kept', async () => {
  server.answers.set('/card.json', { name: 'no card' });
  expect(await register()).toMatchObject({ reason: 'invalid-card' });
  expect(await register({ url: 'http://10.0.0.1/card.json' })).toMatchObject({ reason: 'refused-address' });
  expect(await register({ card: a2aCard })).toMatchObject({ reason: 'invalid-params' });
  expect(await agent()).toMatchObject({ reason: 'unknown-agent' });
});

describe('credentials', () => {
  const token = 'a-secret-token';
  const bearer: AgentCredentials = { scheme: 'bearer', token };
  const key = { tenant, id: 'x' };
  const keeper = (...keys: string[]) => new CredentialKeeper(database, keys);
  const [rpc = ''] = a2aCard.supportedInterfaces.map(({ url }) => url);
  const kept = () => database.run<{ node: object }>('READ', 'MATCH (c:AgentCredentials) RETURN properties(c) AS node');

  test('are kept encrypted, told by no method, and found by who calls the agent', async () => {
    const answers = [await register({ credentials: bearer }), await agent(), await send('list', {})];
    answers.push(await send('find', { words: 'translator' }));
    expect(answers[0]).toMatchObject({ credentials: 'bearer' });
    expect(JSON.stringify([answers, await kept()])).not.toContain(token);
    const all = await database.run<{ node: object }>('READ', 'MATCH (n) RETURN properties(n) AS node');
    expect(JSON.stringify(all)).not.toContain(token);
    expect(await keeper(...secrets).find(key, rpc)).toEqual(bearer);
    expect(await keeper(...secrets).find({ ...key, tenant: 'other' }, rpc)).toBeUndefined();
  });

  test('are shown to nobody else than they were given for, whatever a card says later', async () => {
    await register({ credentials: bearer });
    expect(await keeper(...secrets).find(key, 'https://translator.example.org/other')).toEqual(bearer);
    expect(await keeper(...secrets).find(key, 'https://mallory.example.org/a2a')).toBeUndefined();
  });

  test('are read under an older key, and not without it', async () => {
    await register({ credentials: { scheme: 'apiKey', key: token, header: 'X-Key' } });
    expect(await keeper('a newer secret of thirty-two characters', ...secrets).find(key, rpc)).toMatchObject({
      key: token,
    });
    expect(await keeper(secrets[1] ?? '').find(key, rpc)).toBeUndefined();
  });

  test('of one agent are not those of another, also where somebody moves them in the database', async () => {
    await register({ credentials: bearer });
    await database.run('WRITE', 'MATCH (c:AgentCredentials) SET c.id = "y"');
    await expect(keeper(...secrets).find({ tenant, id: 'y' }, rpc)).rejects.toThrow();
  });

  test('stay with the registration until they are taken back, the agent moves or is removed', async () => {
    await register({ credentials: bearer });
    expect(await register()).toMatchObject({ credentials: 'bearer' });
    expect(await register({ credentials: null })).not.toHaveProperty('credentials');
    await register({ credentials: { scheme: 'mtls', certificate: 'partner-a' } });
    server.answers.set('/moved.json', a2aCard);
    expect(await register({ url: `${server.url}/moved.json` })).not.toHaveProperty('credentials');
    await register({ credentials: bearer });
    await send('remove', { id: 'x' });
    expect(await kept()).toEqual([]);
  });

  test.each([
    [{ scheme: 'bearer' }],
    [{ scheme: 'bearer', token: 'a\r\nHost: b' }],
    [{ scheme: 'basic', token }],
    [{ scheme: 'apiKey', key: token, header: 'X Y' }],
    [{ scheme: 'mtls', certificate: '../../etc/key.pem' }],
  ])('%j are refused', async (credentials) => {
    const { error } = await call(service.url, 'agents/register', { id: 'x', card: a2aCard, credentials });
    expect(error?.data.reason).toBe('invalid-params');
    expect(JSON.stringify(error)).not.toContain(token);
  });

  test('are refused where there is no key', async () => {
    const other = await startServiceOnGraph();
    const { error } = await call(other.url, 'agents/register', { id: 'y', card: a2aCard, credentials: bearer });
    expect(error?.data.reason).toBe('no-secrets-key');
    await other.close();
  });
});
