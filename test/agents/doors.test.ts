import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connect } from '../../src/client/index.ts';
import { concord } from '../cli/command.ts';
import { bearerOf, identities, tokenOf } from '../support/identities.ts';
import { useFolder, useService } from '../support/setUp.ts';
import { type CardServer, startCardServer } from './cardServer.ts';
import { a2aCard, a2aLegacyCard } from './cards/cards.ts';

/* The registry at its other doors: plain HTTP, the client, the command. */

const service = useService({ ...identities, AGENT_ALLOW: '127.0.0.1' });
const folder = useFolder({ 'card.json': JSON.stringify(a2aLegacyCard), 'bad.json': '{' });
let server: CardServer;
beforeAll(async () => {
  server = await startCardServer();
  server.answers.set('/.well-known/agent-card.json', a2aCard);
});
afterAll(() => server.close());

const claims = { tenant: 'doors', sub: 'anna', scope: 'agents knowledge:query' };
const headers = bearerOf(claims);
interface Answered {
  id?: string;
  agents?: object[];
  error?: { details?: { reason: string }[] };
}
async function http(method: string, path: string, body?: unknown, others: Record<string, string> = headers) {
  const response = await fetch(`${service.url}/agents${path}`, {
    method,
    headers: { ...others, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answered };
}

test('over plain HTTP agents are registered, listed, found, looked at and removed', async () => {
  const id = 'https://example.org/agents/1';
  const path = `/${encodeURIComponent(id)}`;
  const registered = await http('POST', '', { id, url: server.url });
  expect([registered.status, registered.body.id]).toEqual([201, id]);
  await http('POST', '', { id: 'weather', card: a2aLegacyCard });
  expect((await http('GET', '?first=1')).body.agents).toEqual([registered.body]);
  expect((await http('GET', `?first=1&after=${encodeURIComponent(id)}`)).body.agents).toMatchObject([
    { id: 'weather' },
  ]);
  expect((await http('GET', '?words=forecast')).body.agents).toMatchObject([{ id: 'weather' }]);
  expect((await http('GET', path)).body).toMatchObject({ card: a2aCard });
  expect(await http('DELETE', path)).toMatchObject({ status: 200, body: { id, removed: true } });
  expect((await http('GET', path)).status).toBe(404);
  await http('DELETE', '/weather');
});

test('over plain HTTP a refusal has its status and its reason', async () => {
  const refusal = async (...request: Parameters<typeof http>) => {
    const { status, body } = await http(...request);
    return [status, body.error?.details?.[0]?.reason];
  };
  expect(await refusal('GET', '/nobody')).toEqual([404, 'UNKNOWN_AGENT']);
  for (const method of ['GET', 'DELETE']) expect(await refusal(method, '/%ZZ')).toEqual([400, 'INVALID_PARAMS']);
  expect(await refusal('GET', '?first=many')).toEqual([400, 'INVALID_PARAMS']);
  expect(await refusal('GET', '?words=a&words=b')).toEqual([400, 'INVALID_PARAMS']);
  expect(await refusal('POST', '', { card: {} })).toEqual([400, 'INVALID_CARD']);
  expect(await refusal('POST', '', { url: 'https://10.0.0.1' })).toEqual([400, 'REFUSED_ADDRESS']);
  expect(await refusal('GET', '', undefined, {})).toEqual([401, 'MISSING']);
  expect(await refusal('GET', '', undefined, bearerOf({ ...claims, scope: 'tasks' }))).toEqual([403, 'MISSING_SCOPE']);
  for (const body of ['{', '[]', 'null']) expect((await http('POST', '', body)).status).toBe(400);
  expect((await http('POST', '', `{"card":${'['.repeat(1_000)}`)).status).toBe(400);
  const { status, headers: answered } = await http('GET', '');
  expect([status, answered.get('content-type'), answered.get('x-content-type-options')]).toEqual([
    200,
    'application/json; charset=utf-8',
    'nosniff',
  ]);
});

test('the client registers its own agent, finds it, and removes it', async () => {
  const { agents } = await connect(service.url, { token: tokenOf(claims), agentId: 'anna' });
  expect(await agents.register({ url: server.url, tags: ['own'] })).toMatchObject({ id: 'anna', status: 'up' });
  expect(await agents.list()).toMatchObject([{ id: 'anna' }]);
  expect(await agents.find('glossary')).toMatchObject([{ id: 'anna', matchingSkills: ['glossary'] }]);
  expect(await agents.find({ tag: 'own', status: 'down' })).toEqual([]);
  expect(await agents.get('anna')).toMatchObject({ card: a2aCard });
  await agents.remove('anna');
  await expect(agents.get('anna')).rejects.toMatchObject({ data: { reason: 'unknown-agent' } });
});

test('the command registers by an address or a file, and shows a table or JSON', async () => {
  const run = (...words: string[]) => concord(['agents', ...words, '--token', tokenOf(claims)], { url: service.url });
  expect(await run('list')).toMatchObject({ code: 0, printed: '', said: 'No agents are registered.\n' });
  expect((await run('register', server.url, '--id', 'translator')).printed).toBe(
    'translator is registered: Translator\n',
  );
  const file = join(folder, 'card.json');
  const { printed } = await run('register', file, '--id', 'weather', '--tag', 'Swiss', '--json');
  expect(JSON.parse(printed)).toMatchObject({ id: 'weather', tags: ['swiss', 'weather'] });
  expect((await run('list')).printed).toMatch(
    /^ID +STATUS +NAME +PROTOCOL +SKILLS +ADDRESS\ntranslator +up +Translator +a2a 1\.0 .*\nweather +unknown +Weather +a2a 0\.3\.0 +forecast +https:.*\n$/,
  );
  expect(JSON.parse((await run('find', '--tag', 'swiss', '--json')).printed)).toMatchObject([{ id: 'weather' }]);
  expect((await run('find', 'transalte')).printed).toContain('translator');
  expect(JSON.parse((await run('get', 'weather')).printed)).toMatchObject({ card: a2aLegacyCard });
  expect(await run('remove', 'weather')).toMatchObject({ code: 0, printed: 'weather is removed\n' });
  expect(await run('remove', 'weather')).toMatchObject({ code: 1 });
  expect((await run('register', join(folder, 'bad.json'))).code).toBe(2);
  writeFileSync(join(folder, 'bad.json'), JSON.stringify({ ...a2aCard, name: '\u001b[2J' }));
  expect((await run('register', join(folder, 'bad.json'))).said).toContain('invalid-card');
});
