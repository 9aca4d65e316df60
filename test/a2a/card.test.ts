import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type AgentCard, agentCard } from '../../src/a2a/card.ts';
import { json, rawGet, startTestService, type TestService } from './testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    streaming: { 'knowledge/subscribe': async () => (async function* () {})() },
  });
});
afterAll(() => service.close());

test('the card says where the service is, what it speaks and which version it is', () => {
  const card = agentCard({
    queryLanguages: ['graphql', 'cypher'],
    url: 'https://kg.example.org/',
    methods: { unary: new Map(), streaming: new Map() },
  });
  expect(card).toMatchObject({
    protocolVersion: '0.3.0',
    url: 'https://kg.example.org/a2a',
    preferredTransport: 'JSONRPC',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  });
  expect(card.capabilities.extensions[0]?.params.schema).toBe('https://kg.example.org/schema.graphql');
});

test.each(['agent-card.json', 'agent.json'])(
  '%s declares the extension in both of its forms',
  async (name) => {
    const { capabilities, skills } = await json<AgentCard>(
      fetch(`${service.listening.url}/.well-known/${name}`),
    );
    expect(capabilities).toMatchObject({
      streaming: true,
      knowledgeGraph: true,
      knowledgeGraphQueryLanguages: ['graphql', 'cypher'],
      extensions: [
        {
          required: false,
          params: { methods: ['echo', 'knowledge/subscribe'], endpoint: expect.any(String) },
        },
      ],
    });
    expect(skills.map(({ id }: { id: string }) => id)).toEqual(['query', 'update', 'subscribe', 'review']);
  },
);

test('a card that has not changed is not sent again', async () => {
  const address = `${service.listening.url}/.well-known/agent-card.json`;
  const first = await fetch(address);
  expect(first.headers.get('cache-control')).toContain('max-age');
  const etag = first.headers.get('etag') ?? '';
  const second = await rawGet(address, { 'If-None-Match': etag });
  expect(second.status).toBe(304);
});
