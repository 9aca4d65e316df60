import { afterEach, expect, test } from '@jest/globals';
import { AgentCardError, CapabilityError, type ClientOptions, connect } from '../../src/client/index.ts';
import { type Agent, type AgentOptions, answer, everything, startAgent } from './agent.ts';

let agent: Agent;
afterEach(() => agent.close());

const start = async (options: AgentOptions = {}) => {
  agent = await startAgent(options);
};
const connected = async (options: AgentOptions = {}, client: ClientOptions = {}) => {
  await start(options);
  return connect(agent.url, client);
};

test('the card is found from the base address and from its own', async () => {
  const client = await connected({ card: { name: 'Atlas' } });
  expect(client.card.name).toBe('Atlas');
  expect((await connect(`${agent.url}/`)).card.name).toBe('Atlas');
  expect((await connect(new URL(`${agent.url}/.well-known/agent-card.json`))).card.name).toBe('Atlas');
});

test('an older agent has its card under agent.json', async () => {
  const client = await connected({ cardPath: '/.well-known/agent.json' });
  expect(client.card.capabilities.knowledgeGraph).toBe(true);
});

test('a service under a path has its card under that path', async () => {
  await start({ cardPath: '/concord/.well-known/agent-card.json' });
  expect((await connect(`${agent.url}/concord`)).card.capabilities.streaming).toBe(true);
});

test('calls go to the endpoint that the card names for JSON-RPC', async () => {
  const client = await connected({
    card: { preferredTransport: 'GRPC', additionalInterfaces: [{ url: '/rpc', transport: 'JSONRPC' }] },
    script: (response, _request, id) => answer(response, id, { result: { data: { at: response.req.url } } }),
  });
  expect((await client.query('{ a }')).data).toEqual({ at: '/rpc' });
});

test('a card of A2A 1.0 is read as one of 0.3 is', async () => {
  const client = await connected({
    card: {
      url: undefined,
      supportedInterfaces: [
        { url: 'http://127.0.0.1:1/grpc', protocolBinding: 'GRPC', protocolVersion: '1.0' },
        { url: '/rpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
    },
    capabilities: {
      streaming: true,
      extensions: [
        {
          uri: 'urn:a2a:extension:knowledge-graph-collaboration:1.0',
          params: { queryLanguages: ['graphql'] },
        },
      ],
    },
    script: (response, _request, id) => answer(response, id, { result: { data: { at: response.req.url } } }),
  });
  expect(client.card.capabilities).toMatchObject({
    knowledgeGraph: true,
    knowledgeGraphQueryLanguages: ['graphql'],
  });
  expect((await client.query('{ a }')).data).toEqual({ at: '/rpc' });
});

test.each([
  ['has no url', { url: 7 }],
  ['has no capabilities', { capabilities: null }],
  ['names no JSONRPC endpoint', { preferredTransport: 'GRPC' }],
  ['endpoint that is not a URL', { url: 'http://[' }],
  ['is neither http: nor https:', { url: 'ftp://127.0.0.1/a2a' }],
])('a card is refused that %s', async (fault, card) => {
  await start({ card });
  await expect(connect(agent.url)).rejects.toThrow(fault);
  await expect(connect(agent.url)).rejects.toBeInstanceOf(AgentCardError);
});

test('where there is no card the error says where it was looked for', async () => {
  await start({ cardPath: '/nowhere' });
  await expect(connect(agent.url)).rejects.toThrow(
    `There is no agent card at ${agent.url}/.well-known/agent-card.json nor at ${agent.url}/.well-known/agent.json`,
  );
});

test('an address that holds credentials is refused without showing them', async () => {
  await start();
  const thrown = await connect('http://me:s3cret@127.0.0.1:1/').catch((error: Error) => error);
  expect(thrown).toBeInstanceOf(AgentCardError);
  expect(String(thrown)).not.toContain('s3cret');
  await expect(connect('nonsense')).rejects.toThrow('is not a URL');
});

test('an agent without a knowledge graph is asked nothing', async () => {
  const client = await connected({ capabilities: { ...everything, knowledgeGraph: false } });
  const missing = { missing: 'capabilities.knowledgeGraph' };
  await expect(client.query('{ a }')).rejects.toMatchObject(missing);
  await expect(client.update([])).rejects.toMatchObject(missing);
  await expect(client.review.list()).rejects.toMatchObject(missing);
  await expect(client.review.approve('x')).rejects.toBeInstanceOf(CapabilityError);
  expect(() => client.subscribe('subscription { a }')).toThrow(CapabilityError);
  expect(agent.requests).toEqual([]);
});

test('an agent that does not take GraphQL is asked no query, but takes updates', async () => {
  const client = await connected({
    capabilities: { ...everything, knowledgeGraphQueryLanguages: ['sparql'] },
  });
  const missing = { missing: 'capabilities.knowledgeGraphQueryLanguages' };
  await expect(client.query('{ a }')).rejects.toMatchObject(missing);
  expect(agent.requests).toEqual([]);
  await client.update([]);
  expect(agent.requests).toHaveLength(1);
});

test('an agent that does not stream is not subscribed to', async () => {
  const client = await connected({ capabilities: { ...everything, streaming: undefined } });
  expect(() => client.subscribe('subscription { a }')).toThrow(
    expect.objectContaining({ missing: 'capabilities.streaming' }),
  );
  expect(agent.requests).toEqual([]);
});

test('token, headers and a trace are sent with every call, asked for anew each time', async () => {
  let asked = 0;
  const client = await connected(
    {},
    { token: () => `t${++asked}`, headers: async () => ({ 'X-Team': 'maps', traceparent: '00-a-b-00' }) },
  );
  await client.query('{ a }');
  await client.query('{ a }', {}, { headers: { traceparent: '00-c-d-01' } });
  expect(agent.requests.map(({ headers }) => headers)).toMatchObject([
    { authorization: 'Bearer t2', 'x-team': 'maps', traceparent: '00-a-b-00' },
    { authorization: 'Bearer t3', 'x-team': 'maps', traceparent: '00-c-d-01' },
  ]);
});
