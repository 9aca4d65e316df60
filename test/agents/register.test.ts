import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type RegisterParts, registerMethod } from '../../src/agents/register.ts';
import { refuse } from '../../src/base/reasons.ts';
import { parseAllowed } from '../../src/config/allowedReceivers.ts';
import { localPrincipal, type Principal } from '../../src/security/principal.ts';

const held: ServerResponse[] = [];
const server = createServer((_, response) => void held.push(response));
let url = '';
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
});
afterAll(() => server.close().closeAllConnections());

/** The method over a store that knows nobody; who is called foreign may register nothing. */
const register = registerMethod({
  store: {
    requireRight: async (_key: object, { agentId }: { agentId?: string }) => {
      if (agentId === 'foreign') throw refuse('foreign-registration', 'No');
    },
  },
  fetching: { allowed: parseAllowed('127.0.0.1'), timeoutMs: 60_000 },
  isOwnId: (id: string) => id === 'own',
} as unknown as RegisterParts);
const stop = new AbortController();
afterAll(() => stop.abort());
const as = (agentId: string, params: object) => {
  const principal: Principal = { ...localPrincipal, agentId };
  const answer = register(params, { principal, signal: stop.signal });
  return answer.then(
    () => 'was taken',
    (error) => error.data?.reason,
  );
};
const asked = async (count: number) => {
  for (const end = Date.now() + 5_000; held.length < count && Date.now() < end; ) await new Promise(setImmediate);
  // More of them would have come by now.
  await new Promise((resolve) => setTimeout(resolve, 50));
  return held.length;
};

test('of one caller four cards are fetched at a time, and those of another beside them', async () => {
  for (let n = 0; n < 7; n++) void as('anna', { id: `agent-${n}`, url: `${url}/card.json` });
  expect(await asked(4)).toBe(4);
  void as('bert', { url: `${url}/card.json` });
  expect(await asked(5)).toBe(5);
  held[0]?.writeHead(404).end();
  expect(await asked(6)).toBe(6);
});

test('nothing is fetched for who may not register it, nor under a name of Concord’s own', async () => {
  const before = held.length;
  expect(await as('foreign', { id: 'other', url: `${url}/card.json` })).toBe('foreign-registration');
  expect(await as('cleo', { id: 'own', url: `${url}/card.json` })).toBe('own-agent-id');
  expect(held).toHaveLength(before);
});
