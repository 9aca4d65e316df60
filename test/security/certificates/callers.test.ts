import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { Service } from '../../../src/service/startService.ts';
import { issueCertificate, makeCertificate } from '../../support/certificates.ts';
import { bearerOf, identities } from '../../support/identities.ts';
import { received } from '../../support/responses.ts';
import { call, startServiceOnGraph } from '../../support/service.ts';
import { useFolder, useService } from '../../support/setUp.ts';

const folder = useFolder();
const [own, authority, other] = ['own', 'authority', 'other'].map((name) => makeCertificate(folder, name)) as Pairs;
const by = authority;
const nora = issueCertificate(folder, 'nora', { by, subject: '/O=Acme/CN=nora' });
const rita = issueCertificate(folder, 'rita', { by, subject: '/CN=r', san: 'URI:spiffe://acme.example/rita' });
const nobody = issueCertificate(folder, 'nobody', { by, subject: '/O=Acme/CN=nobody' });
/** By who may name anybody, for it is asked by nobody. */
const forged = issueCertificate(folder, 'forged', { by: other, subject: '/O=Acme/CN=nora' });
type Pair = typeof nora;
type Pairs = [Pair, Pair, Pair];

const holdersFile = join(folder, 'holders.json');
const held = { tenant: 'acme', scopes: ['knowledge:query', 'knowledge:subscribe', 'tasks'] };
const holders = [
  { subject: ['O=Acme', 'CN=nora'], agent: 'nora', ...held },
  { san: 'URI:spiffe://acme.example/rita', agent: 'rita', ...held, scopes: ['agents'] },
];
writeFileSync(holdersFile, JSON.stringify(holders));
const settings = { ...identities, CLIENT_CERTIFICATES: holdersFile };
const service = useService({
  ...settings,
  ...{ TLS_CERT_FILE: own.cert, TLS_KEY_FILE: own.key, TLS_CLIENT_CA_FILE: authority.cert, GRPC_PORT: '0' },
  AUDIT: 'writes',
});
let behind: Service;
beforeAll(async () => {
  behind = await startServiceOnGraph({ ...settings, CLIENT_CERT_HEADER: 'true', TRUSTED_PROXIES: '127.0.0.1' });
});
afterAll(() => behind?.close());

const ca = readFileSync(own.cert);
const keyPair = (pair: Pair | undefined) => pair && { cert: readFileSync(pair.cert), key: readFileSync(pair.key) };

interface Said {
  status: number | undefined;
  answer: { result?: object; error?: { data: { reason: string } } };
}

function ask(pair: Pair | undefined, headers = {}, agent?: Agent): Promise<Said> {
  const params = { queryLanguage: 'graphql', query: '{ __typename }' };
  const options = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, ca, agent };
  return new Promise((resolve, reject) => {
    request(`${service.url}/a2a`, { ...options, ...keyPair(pair) }, async (response) => {
      const { status, text } = await received(response);
      resolve({ status, answer: JSON.parse(text) });
    })
      .on('error', reject)
      .end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'knowledge/query', params }));
  });
}
const refusal = (status: number, reason: string) => ({ status, answer: { error: { data: { reason } } } });

test('a caller is who its certificate means, by its subject or by another name', async () => {
  expect(await ask(nora)).toMatchObject({ status: 200, answer: { result: { data: { __typename: 'Query' } } } });
  expect(await ask(rita)).toMatchObject(refusal(403, 'missing-scope'));
});

test('without one, with one of nobody and with one of another authority nobody is recognized', async () => {
  expect(await ask(undefined)).toMatchObject(refusal(401, 'missing'));
  expect(await ask(nobody)).toMatchObject(refusal(401, 'unknown-certificate'));
  expect(await ask(forged)).toMatchObject(refusal(401, 'missing'));
  // The header is for proxies.
  const header = { 'client-cert': `:${new X509Certificate(readFileSync(nora.cert)).raw.toString('base64')}:` };
  expect(await ask(undefined, header)).toMatchObject(refusal(401, 'missing'));
});

test('a token goes beside a certificate of the same agent, or of nobody, and its rights count', async () => {
  const token = (sub: string, scope = 'knowledge:query') => bearerOf({ tenant: 'acme', sub, scope });
  for (const pair of [nora, nobody, forged, undefined])
    expect((await ask(pair, token('nora'))).answer).toMatchObject({ result: { data: { __typename: 'Query' } } });
  expect(await ask(nora, token('nora', 'agents'))).toMatchObject(refusal(403, 'missing-scope'));
  expect(await ask(rita, token('nora'))).toMatchObject(refusal(401, 'credentials-differ'));
  expect(await ask(nora, bearerOf({ tenant: 'north', sub: 'nora' }))).toMatchObject(refusal(401, 'credentials-differ'));
});

test('over gRPC too', async () => {
  const { path, requestSerialize, responseDeserialize } = A2AService.getTask;
  const get = (pair: Pair | undefined) => {
    const { key, cert } = keyPair(pair) ?? {};
    const client = new Client(service.grpc ?? '', credentials.createSsl(ca, key ?? null, cert ?? null));
    return new Promise<ServiceError | null>((resolve) => {
      const asked = { id: 'none', tenant: '' } as never;
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, asked, (error) => resolve(error));
    }).finally(() => client.close());
  };
  expect((await get(nora))?.code).toBe(5);
  expect((await get(rita))?.code).toBe(7);
  for (const pair of [undefined, nobody, forged]) expect((await get(pair))?.code).toBe(16);
});

test('a proxy that is trusted tells the certificate, as RFC 9440 has it or as nginx does', async () => {
  const text = readFileSync(nora.cert, 'utf8');
  const der = `:${new X509Certificate(text).raw.toString('base64')}:`;
  const query = (value: string) =>
    call(behind.url, 'knowledge/query', { query: '{ __typename }' }, { 'client-cert': value });
  for (const value of [der, encodeURIComponent(text)])
    expect((await query(value)).result).toMatchObject({ data: { __typename: 'Query' } });
  for (const value of ['', ':AAAA:', der.slice(0, -9), '%', 'x'])
    expect((await query(value)).error?.data.reason).toBe('missing');
});

test('who is taken out of the file is refused, and its sockets are closed', async () => {
  const lent = class extends WebSocket {
    constructor(url: string, protocol: string) {
      super(url, protocol, { ca, ...keyPair(nora) });
    }
  };
  const url = `${service.url.replace('https', 'wss')}/graphql`;
  const socket = createClient({ url, webSocketImpl: lent, lazy: false, retryAttempts: 0, onNonLazyError: () => {} });
  const closed = new Promise<{ code: number }>((resolve) => socket.on('closed', (event) => resolve(event as never)));
  await new Promise<void>((resolve) => socket.on('connected', () => resolve()));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  expect((await ask(nora, {}, agent)).status).toBe(200);
  writeFileSync(holdersFile, JSON.stringify(holders.slice(1)));
  for (;;) {
    const { status, answer } = await ask(nora, {}, agent);
    if (status === 401) {
      expect(answer.error?.data.reason).toBe('unknown-certificate');
      break;
    }
    await sleep(100);
  }
  expect((await closed).code).toBe(4401);
  agent.destroy();
  await socket.dispose();
});
