import { beforeEach, describe, expect, test } from '@jest/globals';
import { readCard } from '../../src/agents/cards/readCard.ts';
import { AgentStore } from '../../src/agents/nodes/agentStore.ts';
import type { FoundAgent, RegisteredAgent } from '../../src/wire/agents.ts';
import { bearerOf, identities } from '../support/identities.ts';
import { add, schemaOrg } from '../support/patches.ts';
import { call } from '../support/service.ts';
import { useDatabase, useService } from '../support/setUp.ts';
import { a2aCard, a2aLegacyCard, agentOsCard, firstA2aCard } from './cards/cards.ts';

const database = useDatabase();
const service = useService({ ...identities, AGENTS_PER_TENANT: '3' });

const as = (sub: string, { tenant = 'blue', scope = 'agents' } = {}) => bearerOf({ tenant, sub, scope });
const send = <Result = RegisteredAgent>(method: string, params: object, headers = as('anna')) =>
  call<Result>(service.url, `agents/${method}`, params, headers);

beforeEach(async () => {
  await database.run('WRITE', 'MATCH (a:Agent) DETACH DELETE a');
});

test('an agent registers itself by its card, and is told to others with it', async () => {
  const { result } = await send('register', { card: a2aCard, tags: ['Official'] });
  expect(result).toMatchObject({
    id: 'anna',
    name: 'Translator',
    addedBy: 'anna',
    tags: ['official', 'language', 'text'],
    status: 'unknown',
    signature: 'none',
  });
  expect(result.lastSeen).toBeDefined();
  expect(result).not.toHaveProperty('card');
  const found = await send<{ card: object }>('get', { id: 'anna' }, as('bert'));
  expect(found.result).toEqual({ ...result, card: a2aCard });
});

test('agents are listed in pages, who was registered first comes first', async () => {
  for (const id of ['c', 'a', 'b']) await send('register', { id, card: a2aCard });
  type Page = { agents: RegisteredAgent[] };
  const ids = async (params: object) => (await send<Page>('list', params)).result.agents.map(({ id }) => id);
  expect(await ids({})).toEqual(['c', 'a', 'b']);
  expect(await ids({ first: 2 })).toEqual(['c', 'a']);
  expect(await ids({ first: 2, after: 'a' })).toEqual(['b']);
  expect(await ids({ status: 'up' })).toEqual([]);
  expect(await ids({ status: 'unknown', protocol: 'a2a', first: 1 })).toEqual(['c']);
  await database.run('WRITE', "MATCH (a:Agent) SET a.registeredAt = datetime('2026-01-01')");
  expect([await ids({ first: 2 }), await ids({ first: 2, after: 'b' })]).toEqual([['a', 'b'], ['c']]);
});

test('who registers an agent while another does is looked at again behind the lock', async () => {
  const store = new AgentStore(database, { most: 3, againMs: 1_000 });
  const { profile, text: card } = readCard(a2aCard);
  const registration = { profile, card, signature: 'none' as const, ownTags: [] };
  const key = { tenant: 'blue', id: 'third' };
  // Both have been let pass before either has written.
  await store.register(key, { agentId: 'anna', isAdmin: false }, registration);
  const late = store.register(key, { agentId: 'mallory', isAdmin: false }, registration);
  await expect(late).rejects.toMatchObject({ data: { reason: 'foreign-registration' } });
});

test('the node that updates come from is that of the registered agent, and stays when it is removed', async () => {
  await call(
    service.url,
    'knowledge/update',
    { mutations: [add('urn:x', `${schemaOrg}name`, 'x')] },
    as('anna', { scope: 'knowledge:update' }),
  );
  await send('register', { card: a2aCard });
  const nodes = () =>
    database.run<{ keys: string[]; updates: number }>(
      'READ',
      'MATCH (a:Agent {tenant: "blue", id: "anna"}) RETURN keys(a) AS keys, COUNT { (a)-[:PROPOSED]->() } AS updates',
    );
  expect(await nodes()).toMatchObject([{ updates: 1, keys: expect.arrayContaining(['card', 'name']) }]);
  expect((await send<object>('remove', { id: 'anna' })).result).toEqual({ id: 'anna', removed: true });
  const [left] = await nodes();
  expect({ ...left, keys: left?.keys.toSorted() }).toEqual({ updates: 1, keys: ['id', 'tenant'] });
  expect((await send('get', { id: 'anna' })).error?.data.reason).toBe('unknown-agent');
});

test('removing leaves no node behind of which nothing else is known, and of an agent that is unknown makes none', async () => {
  const nodes = () => database.run('READ', 'MATCH (a:Agent) RETURN a.id AS id, a.trust AS trust ORDER BY id');
  expect((await send('remove', { id: 'nobody' })).error?.data.reason).toBe('unknown-agent');
  expect(await nodes()).toEqual([]);
  await database.run('WRITE', 'CREATE (:Agent {tenant: "blue", id: "trusted", trust: 0.5})');
  for (const id of ['third', 'trusted']) {
    await send('register', { id, card: a2aCard }, as('ruth', { scope: 'agents admin' }));
    await send('remove', { id }, as('ruth', { scope: 'agents admin' }));
  }
  expect(await nodes()).toEqual([{ id: 'trusted', trust: 0.5 }]);
});

test('a registration that is replaced has nothing of the one before', async () => {
  const { result: before } = await send('register', { card: a2aCard, tags: ['old'] });
  const { result: after } = await send('register', { card: { ...a2aLegacyCard, version: null } });
  expect(after).toMatchObject({ name: 'Weather', tags: ['weather'], registeredAt: before.registeredAt });
  expect(after.changedAt > before.changedAt).toBe(true);
  expect(after).not.toHaveProperty('version');
  expect(after).not.toHaveProperty('provider');
  const { result: again } = await send('register', { card: { ...a2aLegacyCard, version: null } });
  expect(again.changedAt).toBe(after.changedAt);
});

describe('rights', () => {
  const refused = async (method: string, params: object, headers: ReturnType<typeof as>) =>
    (await send(method, params, headers)).error?.data.reason;

  test('who lacks the scope neither reads nor writes', async () => {
    const others = as('anna', { scope: 'knowledge:query knowledge:update tasks admin' });
    for (const method of ['register', 'list', 'get', 'remove', 'find']) {
      expect(await refused(method, { id: 'anna', card: a2aCard }, others)).toBe('missing-scope');
    }
  });

  test('of another tenant there is nothing to see, to change or to remove', async () => {
    await send('register', { id: 'third', card: a2aCard });
    const other = as('anna', { tenant: 'green' });
    expect((await send<object>('list', {}, other)).result).toEqual({ agents: [] });
    expect(await refused('get', { id: 'third' }, other)).toBe('unknown-agent');
    expect(await refused('remove', { id: 'third' }, other)).toBe('unknown-agent');
    expect((await send('register', { id: 'third', card: a2aLegacyCard }, other)).result.name).toBe('Weather');
    expect((await send('get', { id: 'third' })).result.name).toBe('Translator');
  });

  test('only the agent itself, who has registered it and an admin change or remove it', async () => {
    await send('register', { id: 'third', card: a2aCard });
    expect(await refused('register', { id: 'third', card: a2aLegacyCard }, as('mallory'))).toBe('foreign-registration');
    expect(await refused('remove', { id: 'third' }, as('mallory'))).toBe('foreign-registration');
    expect(await refused('register', { id: 'third', card: a2aCard }, as('anna'))).toBeUndefined();
    // Whoever was first with an id doesn't keep it from who has it.
    expect((await send('register', { card: a2aLegacyCard }, as('third'))).result).toMatchObject({ addedBy: 'third' });
    for (const method of ['register', 'remove'])
      expect(await refused(method, { id: 'third', ...(method === 'register' && { card: a2aCard }) }, as('anna'))).toBe(
        'foreign-registration',
      );
    expect(await refused('remove', { id: 'third' }, as('ruth', { scope: 'agents admin' }))).toBeUndefined();
  });

  test('an agent that acts here already is registered by nobody else, whatever a card says', async () => {
    const headers = as('bert', { scope: 'knowledge:update agents' });
    await call(service.url, 'knowledge/update', { mutations: [add('urn:y', `${schemaOrg}name`, 'y')] }, headers);
    expect(await refused('register', { id: 'bert', card: { ...a2aCard, name: 'bert' } }, as('mallory'))).toBe(
      'foreign-registration',
    );
    expect(await refused('register', { card: a2aCard }, headers)).toBeUndefined();
  });
});

test('no more are registered than the tenant may have, but any of them is replaced', async () => {
  for (const id of ['a', 'b', 'c']) await send('register', { id, card: a2aCard });
  expect((await send('register', { id: 'd', card: a2aCard })).error?.data).toMatchObject({ reason: 'agents-full' });
  expect((await send('register', { id: 'c', card: a2aLegacyCard })).error).toBeUndefined();
});

test('what is wrong with the params is told by its path', async () => {
  expect((await send('register', { card: 'x' })).error?.data).toMatchObject({ issues: [{ path: 'card' }] });
  expect((await send('register', { card: a2aCard, tags: [''] })).error?.data).toMatchObject({
    issues: [{ path: 'tags[0]' }],
  });
  expect((await send('list', { first: 101 })).error?.data.reason).toBe('invalid-params');
  expect((await send('list', { after: 'nobody' })).error?.data.reason).toBe('unknown-agent');
});

const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
test.each([
  ['an id that moves a terminal', 'id', { id: 'x\u001b[2J' }],
  ['a tag that moves a terminal', 'tags[0]', { tags: ['x\u001b[2J'] }],
  ['a tag that is turned around', 'tags[0]', { tags: ['\u202etxt'] }],
  ['a tag with half of a surrogate pair', 'tags[0]', { tags: ['\ud800'] }],
  ['a key with a control character', 'keys', { keys: { keys: [{ kty: 'EC', note: 'x\u0000' }] } }],
  ['keys of very many levels', 'keys', { keys: { keys: [], more: nested(33) } }],
  ['keys of very many values', 'keys', { keys: { keys: [], more: Array(20_001).fill(1) } }],
  ['keys that are too long', 'keys', { keys: { keys: [], more: 'x'.repeat(300_000) } }],
])('%s is refused as it is in a card', async (_, path, params) => {
  const { error } = await send('register', { card: a2aCard, ...params });
  expect(error?.data).toMatchObject({ reason: 'invalid-params', issues: [{ path }] });
});

test('nobody is registered under the name of an agent or a path of Concord’s own', async () => {
  for (const id of ['v1', 'concord', 'query', 'ask']) {
    const { error } = await send('register', { id, card: a2aCard });
    expect([id, error?.data.reason]).toEqual([id, 'own-agent-id']);
  }
  expect((await send('register', { card: a2aCard }, as('watch'))).error?.data.reason).toBe('own-agent-id');
});

test('markup in a card comes back as the text that it is', async () => {
  const name = '<img src=x onerror=alert(1)>';
  expect((await send('register', { card: { ...a2aCard, name } })).result.name).toBe(name);
});

describe('finding', () => {
  const headers = as('finder', { tenant: 'search' });
  const found = async (params: object) => {
    const { result } = await send<{ agents: FoundAgent[] }>('find', params, headers);
    return result.agents.map(({ id }) => id);
  };
  beforeEach(async () => {
    await send('register', { id: 'translator', card: a2aCard }, headers);
    await send('register', { id: 'weather', card: a2aLegacyCard }, headers);
    await send('register', { id: 'expenses', card: firstA2aCard, tags: ['Translation'] }, headers);
  });

  test('is by words of skills, tags, names and descriptions, also misspelt ones', async () => {
    expect(await found({ words: 'forecast' })).toEqual(['weather']);
    expect(await found({ words: 'forcast' })).toEqual(['weather']);
    expect(await found({ words: 'MONEY' })).toEqual(['expenses']);
    expect(await found({ words: 'italian' })).toEqual(['translator']);
    expect(await found({ words: 'quantum chemistry' })).toEqual([]);
  });

  test('puts skills before tags, and tags before descriptions', async () => {
    await send('register', { id: 'expenses', card: { ...firstA2aCard, description: 'Can translate.' } }, headers);
    await send('register', { id: 'weather', card: a2aLegacyCard, tags: ['translate'] }, headers);
    expect(await found({ words: 'translate' })).toEqual(['translator', 'weather', 'expenses']);
    expect(await found({ words: 'translate', first: 1 })).toEqual(['translator']);
  });

  test('puts who has the very skill or the very tag before those that are like it', async () => {
    expect(await found({ skill: 'forecast' })).toEqual(['weather']);
    expect((await found({ tag: 'translation' }))[0]).toBe('expenses');
    expect(await found({ words: 'expenses', skill: 'translate' })).toEqual(['translator', 'expenses']);
  });

  test('reads of long cards no more than it compares, and holds up nobody', async () => {
    const long = (n: number) => ({ ...agentOsCard, endpoints: { rpc: `https://os${n}.example.org/rpc` } });
    const parameters = { type: 'object', description: 'x '.repeat(4_000) };
    const skills = Array.from({ length: 25 }, (_, n) => ({
      name: `gardening_${n}`,
      description: 'y '.repeat(900),
      parameters,
    }));
    const many = Array.from({ length: 3 }, (_, n) => ({
      id: ['translator', 'weather', 'expenses'][n],
      card: { ...long(n), skills },
    }));
    for (const each of many) await send('register', each, headers);
    const store = new AgentStore(database, { most: 10, againMs: 0 });
    const texts = await store.like('search', ['gardening'], { first: 10, skill: 'Gardening_7' });
    expect(texts.map(({ hasSkill, hasTag }) => [hasSkill, hasTag])).toEqual(many.map(() => [true, false]));
    for (const each of texts) expect(JSON.stringify(each).length).toBeLessThan(15_000);
    const { result } = await send<{ agents: FoundAgent[] }>('find', { skill: 'gardening_7', first: 2 }, headers);
    expect(result.agents).toMatchObject([{ matchingSkills: expect.arrayContaining(['gardening_7']) }, { skills }]);
  });

  test('tells which skills are meant', async () => {
    const { result } = await send<{ agents: FoundAgent[] }>('find', { words: 'glosary' }, headers);
    expect(result.agents).toMatchObject([{ id: 'translator', matchingSkills: ['glossary'] }]);
  });

  test('parts the names of skills into words', async () => {
    const card = { ...agentOsCard, endpoints: { rpc: 'https://os.example.org/rpc' } };
    await send('register', { id: 'weather', card }, headers);
    expect(await found({ words: 'contacts' })).toEqual(['weather']);
    expect(await found({ words: 'contacts', protocol: 'a2a' })).toEqual([]);
    expect(await found({ words: 'contacts', status: 'up' })).toEqual([]);
  });

  test('finds nothing of another tenant, and nothing that was removed', async () => {
    const { result } = await send<{ agents: FoundAgent[] }>('find', { words: 'translate' });
    expect(result.agents).toEqual([]);
    await send('remove', { id: 'translator' }, headers);
    expect(await found({ words: 'glossary' })).toEqual([]);
  });

  test('finds a misspelt skill, however many words of another tenant are as like it', async () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    const names = letters.flatMap((letter) => [`transalt${letter}`, `${letter}ransalte`, `t${letter}ransalte`]);
    const skills = names.map((name) => ({ name, description: name }));
    const card = { ...agentOsCard, endpoints: { rpc: 'https://crowd.example.org/rpc' }, skills };
    expect((await send('register', { id: 'crowd', card })).error).toBeUndefined();
    expect(await found({ words: 'transalte' })).toEqual(['translator']);
  });

  test('finds words of scripts without spaces, accents or none, and who was registered before words were kept', async () => {
    const card = { ...a2aCard, name: 'Übersetzer', description: '机器翻译服务' };
    await send('register', { id: 'translator', card }, headers);
    await database.run('WRITE', 'MATCH (a:Agent {tenant: "search"}) SET a.searchWords = null');
    expect(await found({ words: 'ubersetzer' })).toEqual([]);
    await new AgentStore(database, { most: 10, againMs: 0 }).keepWords();
    expect(await found({ words: 'ubersetzer' })).toEqual(['translator']);
    expect(await found({ words: '翻译' })).toEqual(['translator']);
  });

  test('and lists long cards a few at a time, and says where the next page begins', async () => {
    const store = new AgentStore(database, { most: 10, againMs: 0 });
    const { profile, text: card } = readCard(a2aCard);
    const skills = [{ id: 'long', name: 'long', tags: [], description: 'x'.repeat(400_000) }];
    const long = { profile: { ...profile, skills }, card, signature: 'none' as const, ownTags: [] };
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const id of ids) await store.register({ tenant: 'long', id }, { isAdmin: true }, long);
    const reader = as('anna', { tenant: 'long' });
    const page = async (method: string, params: object) => {
      const { result } = await send<{ agents: FoundAgent[]; next?: string }>(method, params, reader);
      return [result.agents.map(({ id }) => id), result.next];
    };
    expect(await page('list', {})).toEqual([['a', 'b'], 'b']);
    expect(await page('list', { after: 'b' })).toEqual([['c', 'd'], 'd']);
    expect(await page('list', { after: 'd' })).toEqual([['e'], undefined]);
    expect((await page('find', { skill: 'long' }))[0]).toHaveLength(2);
  });

  test.each([[{}], [{ words: '+-&|!(){}[]^"~*?:' }], [{ words: 'x'.repeat(201) }], [{ words: 'x', first: 51 }]])(
    '%j is refused',
    async (params) => {
      expect((await send('find', params, headers)).error?.data.reason).toBe('invalid-params');
    },
  );
});

describe('in GraphQL', () => {
  const reader = (scope: string) => as('anna', { scope });
  const ask = (query: string, headers = reader('agents knowledge:query')) =>
    call<{ data: { agents: object[] } }>(service.url, 'knowledge/query', { query }, headers);

  test('agents are listed and found beside what is known', async () => {
    await send('register', { id: 'translator', card: a2aCard });
    await send('register', { id: 'weather', card: a2aLegacyCard });
    const { result, error } = await ask(`{
      countries { id }
      agents(words: "translate") { id status failure skills { id tags } endpoints { url binding } matchingSkills registeredAt }
      all: agents(first: 1, afterId: "translator") { id }
    }`);
    expect(error).toBeUndefined();
    expect(result.data).toMatchObject({
      countries: [],
      agents: [{ id: 'translator', status: 'unknown', failure: null, matchingSkills: ['translate'] }],
      all: [{ id: 'weather' }],
    });
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...reader('agents knowledge:query') },
      body: JSON.stringify({ query: '{ agents { id name } }' }),
    });
    expect(await response.json()).toMatchObject({ data: { agents: [{ id: 'translator' }, { id: 'weather' }] } });
  });

  test('they are for who has the scope, of the tenant, and as bounded as by the methods', async () => {
    await send('register', { id: 'translator', card: a2aCard });
    expect((await ask('{ agents { id } }', reader('knowledge:query'))).error?.data.reason).toBe('missing-scope');
    const other = as('anna', { tenant: 'green', scope: 'agents knowledge:query' });
    expect((await ask('{ agents { id } }', other)).result.data).toEqual({ agents: [] });
    expect((await ask('{ agents(first: 101) { id } }')).error?.data.reason).toBe('invalid-params');
  });
});
