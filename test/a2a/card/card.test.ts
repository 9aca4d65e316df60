import { createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { AgentCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { json, rawGet, startTestService, type TestService } from '../testService.ts';

let service: TestService;
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

beforeAll(async () => {
  service = await startTestService({
    streaming: { 'knowledge/subscribe': async () => (async function* () {})() },
    settings: { AGENT_CARD_KEY: pem, GRPC_PORT: '0' },
  });
});
afterAll(() => service.close());

interface CardOf03 {
  protocolVersion: string;
  url: string;
  preferredTransport: string;
  version: string;
  additionalInterfaces: object[];
  capabilities: object;
  skills: { id: string }[];
}

const fetched = (name: string, headers: Record<string, string> = {}) =>
  fetch(`${service.listening.url}/.well-known/${name}`, { headers });

test('the card is that of A2A 1.0 unless another is asked for, and says where each binding of each version is', async () => {
  const card = AgentCard.fromJSON(await json(fetched('agent-card.json')));
  const { url } = service.listening;
  expect(card.supportedInterfaces.map((each) => `${each.protocolVersion} ${each.protocolBinding} ${each.url}`)).toEqual(
    [
      `1.0 JSONRPC ${url}/a2a`,
      `1.0 HTTP+JSON ${url}/a2a/v1`,
      `1.0 GRPC ${service.grpc}`,
      `0.3 JSONRPC ${url}/a2a`,
      `0.3 HTTP+JSON ${url}/a2a`,
      `0.3 GRPC ${service.grpc}`,
    ],
  );
  expect(card.capabilities).toMatchObject({ streaming: true, extendedAgentCard: false });
  expect(card.capabilities?.extensions).toEqual([
    {
      uri: 'urn:a2a:extension:knowledge-graph-collaboration:1.0',
      description: expect.any(String),
      required: false,
      params: {
        methods: ['echo', 'knowledge/subscribe'],
        queryLanguages: ['graphql', 'cypher'],
        schema: `${url}/schema.graphql`,
        endpoint: `${url}/graphql`,
      },
    },
  ]);
  expect(card.skills.map(({ id }) => id)).toEqual(['query', 'propose', 'subscribe', 'review', 'agents']);
});

test.each([
  ['agent-card.json', { 'A2A-Version': '0.3' }],
  ['agent-card.json', { 'A2A-Version': '0.3.0' }],
  ['agent.json', {}],
])('%s for %j is the card of A2A 0.3, with the flags of the draft', async (name, headers) => {
  const card = await json<CardOf03>(fetched(name, headers));
  expect(card).toMatchObject({
    protocolVersion: '0.3.0',
    url: `${service.listening.url}/a2a`,
    preferredTransport: 'JSONRPC',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    capabilities: {
      streaming: true,
      knowledgeGraph: true,
      knowledgeGraphQueryLanguages: ['graphql', 'cypher'],
      extensions: [
        {
          required: false,
          params: { methods: ['echo', 'knowledge/subscribe'], endpoint: expect.any(String) },
        },
      ],
    },
  });
  expect(card.skills.map(({ id }) => id)).toEqual(['query', 'propose', 'subscribe', 'review', 'agents']);
});

test('a card of a version that there is none of is refused', async () => {
  expect((await fetched('agent-card.json', { 'A2A-Version': '2.0' })).status).toBe(400);
});

test('which card who does not say gets is a setting', async () => {
  const old = await startTestService({ settings: { AGENT_CARD_VERSION: '0.3' } });
  try {
    const address = `${old.listening.url}/.well-known/agent-card.json`;
    expect(await json<CardOf03>(fetch(address))).toHaveProperty('protocolVersion', '0.3.0');
    expect(await json<CardOf03>(fetch(address, { headers: { 'A2A-Version': '1.0' } }))).toHaveProperty(
      'supportedInterfaces',
    );
  } finally {
    await old.close();
  }
});

test('a card that has not changed is not sent again, and caches keep one for each version', async () => {
  const address = `${service.listening.url}/.well-known/agent-card.json`;
  const first = await fetch(address);
  expect(first.headers.get('cache-control')).toContain('max-age');
  expect(first.headers.get('vary')).toContain('A2A-Version');
  const lastModified = first.headers.get('last-modified') ?? '';
  expect(Date.parse(lastModified)).not.toBeNaN();
  const etag = first.headers.get('etag') ?? '';
  expect((await rawGet(address, { 'If-None-Match': etag })).status).toBe(304);
  expect((await rawGet(address, { 'If-Modified-Since': lastModified })).status).toBe(304);
  const other = await rawGet(address, { 'If-None-Match': etag, 'A2A-Version': '0.3' });
  expect(other.status).toBe(200);
});

test('the card is signed with the key that is set, whose public half is published', async () => {
  const card = AgentCard.fromJSON(await json(fetched('agent-card.json')));
  const asked: string[] = [];
  const verify = verifyAgentCardSignature(async (kid, jku = '') => {
    asked.push(jku);
    const { keys } = await json<{ keys: (JsonWebKey & { kid: string })[] }>(fetch(jku));
    const key = keys.find((each) => each.kid === kid);
    expect(key).not.toHaveProperty('d');
    return createPublicKey({ key: key ?? {}, format: 'jwk' });
  });
  await verify(card);
  expect(asked).toEqual([`${service.listening.url}/.well-known/jwks.json`]);
  await expect(verify({ ...card, name: 'Discord' })).rejects.toThrow();
});

test('a key that signs no cards stops the start, and is not shown', async () => {
  const started = startTestService({ settings: { AGENT_CARD_KEY: '-----BEGIN hunter2' } });
  await expect(started).rejects.toThrow(/^(?!.*hunter2).*AGENT_CARD_KEY/);
});
