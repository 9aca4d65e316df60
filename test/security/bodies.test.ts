import { request } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { bearerOf, identities, tokenOf } from '../support/identities.ts';
import { useService } from '../support/setUp.ts';

const service = useService(identities);

const claims = { tenant: 'north', sub: 'nora' };
const limit = 65_536;

const encodings: Record<string, (body: Buffer) => Buffer> = {
  identity: (body) => body,
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
};

interface Door {
  path: string;
  headers: Record<string, string>;
  body(filler: string, token?: string): string;
}

const rpc = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const metadata = (filler: string, token?: string) => ({ filler, ...(token && { token }) });
const message = {
  messageId: 'm',
  role: 'ROLE_USER',
  parts: [{ data: { skill: 'query', query: '{ __typename }' } }],
};
const v1 = { 'a2a-version': '1.0' };
const doors: Record<string, Door> = {
  'knowledge/query': {
    path: '/a2a',
    headers: {},
    body: (filler, token) => rpc('knowledge/query', { query: '{ __typename }', metadata: metadata(filler, token) }),
  },
  'a batch': {
    path: '/a2a',
    headers: {},
    body: (filler, token) =>
      `[${rpc('knowledge/query', { query: '{ __typename }', metadata: metadata(filler, token) })}]`,
  },
  SendMessage: {
    path: '/a2a',
    headers: v1,
    body: (filler, token) => rpc('SendMessage', { message, metadata: metadata(filler, token) }),
  },
  'message:send': {
    path: '/a2a/v1/message:send',
    headers: v1,
    body: (filler, token) => JSON.stringify({ message, metadata: metadata(filler, token) }),
  },
};

async function send(
  { path, headers }: Door,
  text: string,
  encoding: string,
  further: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-encoding': encoding, ...headers, ...further },
    body: encodings[encoding]?.(Buffer.from(text)),
  });
  return { status: response.status, text: await response.text() };
}

const cases = Object.keys(doors).flatMap((name) => Object.keys(encodings).map((encoding) => [name, encoding]));

describe.each(cases)('a body for %s in %s', (name, encoding) => {
  const door = doors[name] as Door;
  const long = 'x'.repeat(2 * limit);

  test('is short without credentials in a header, also if a token stands in it', async () => {
    for (const token of [undefined, tokenOf(claims)]) {
      const { status, text } = await send(door, door.body(long, token), encoding);
      expect([status, text]).toEqual([413, expect.stringContaining(`${limit} bytes`)]);
    }
  });

  test('is not read at all with credentials that are not good', async () => {
    const refused = bearerOf(claims, { expiresIn: -120 });
    expect((await send(door, door.body(long), encoding, refused)).status).toBe(401);
    expect((await send(door, '{', encoding, refused)).status).toBe(401);
  });

  test('may be long with those that are', async () => {
    const { status, text } = await send(door, door.body(long), encoding, bearerOf(claims));
    expect([status, text]).toEqual([200, expect.not.stringContaining('"error"')]);
  });

  test('may hold its token if it is short', async () => {
    const { status } = await send(door, door.body('x', tokenOf(claims)), encoding);
    expect(status).toBe(200);
  });
});

describe('over GraphQL', () => {
  const graphql: Door = {
    path: '/graphql',
    headers: {},
    body: (filler) => `{"query":"{ __typename } #${filler}"}`,
  };

  test.each(Object.keys(encodings))('a body in %s is not read before its caller is known', async (encoding) => {
    // It would be refused with 400, were it read.
    for (const headers of [{}, bearerOf(claims, { expiresIn: -120 })]) {
      expect((await send(graphql, '{', encoding, headers)).status).toBe(401);
    }
    expect((await send(graphql, '{', encoding, bearerOf(claims))).status).toBe(400);
    const long = graphql.body('x'.repeat(2 * limit));
    expect((await send(graphql, long, encoding)).status).toBe(401);
    expect((await send(graphql, long, encoding, bearerOf(claims))).status).toBe(200);
  });

  test('who sends no end of a body is refused before it', async () => {
    const status = await new Promise((resolve, reject) => {
      const sent = request(`${service.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': '10000000' },
      });
      sent.once('response', (response) => {
        resolve(response.statusCode);
        sent.destroy();
      });
      sent.once('error', reject);
      sent.write('{"query":"');
    });
    expect(status).toBe(401);
  });

  test('a socket takes a long message only once it is known who has opened it', async () => {
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await new Promise((resolve) => socket.once('open', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.send(JSON.stringify({ type: 'connection_init', payload: { filler: 'x'.repeat(2 * limit) } }));
    expect(await closed).toBe(1009);
  });
});
