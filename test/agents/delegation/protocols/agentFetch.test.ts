import { once } from 'node:events';
import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createTlsServer } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { expect, test } from '@jest/globals';
import { agentFetch } from '../../../../src/agents/delegation/protocols/agentFetch.ts';
import { clientCertificate } from '../../../../src/agents/secrets/clientCertificates.ts';
import { parseAllowed } from '../../../../src/config/allowedReceivers.ts';
import { makeCertificate } from '../../../support/certificates.ts';

const parts = {
  allowed: parseAllowed('127.0.0.1'),
  credentials: async () => undefined,
  certificate: (name: string) => clientCertificate(undefined, 'blue', name),
  answerMs: 5_000,
  longestAnswer: 1_000,
};

test('who delegates is told in the same words that a host is not found and that it is private', async () => {
  const told: unknown[] = [];
  for (const addresses of [[], [{ address: '10.0.0.7', family: 4 }]]) {
    const call = agentFetch({ ...parts, resolve: async () => addresses });
    const error = await call('https://db.internal').catch((thrown) => thrown);
    told.push([error.message, error.data]);
  }
  expect(told[0]).toEqual([expect.stringContaining('db.internal'), { reason: 'refused-address', retryable: false }]);
  expect(told[1]).toEqual(told[0]);
});

test('nobody can look for open ports by what a connection fails with, which the log tells', async () => {
  const ssh = createServer((socket) =>
    socket
      .on('error', () => {})
      .resume()
      .end('SSH-2.0-OpenSSH_9.6\r\n'),
  ).listen(0, '127.0.0.1');
  await once(ssh, 'listening');
  const { port } = ssh.address() as { port: number };
  const seen: [string, string][] = [];
  const call = agentFetch({ ...parts, onFault: (...each) => seen.push(each) });
  const tried = async () => {
    const { message, data } = await call(`http://127.0.0.1:${port}`).catch((thrown) => thrown);
    return [message, data];
  };
  const told = [await tried()];
  ssh.close();
  await once(ssh, 'close');
  told.push(await tried());
  for (const each of told)
    expect(each).toEqual(['127.0.0.1 cannot be called', { reason: 'agent-unreachable', retryable: true }]);
  expect(seen).toEqual([
    ['127.0.0.1', expect.stringMatching(/^HPE_/)],
    ['127.0.0.1', 'ECONNREFUSED'],
  ]);
});

test('a name that is never answered takes no longer than an answer may', async () => {
  const call = agentFetch({ ...parts, answerMs: 50, resolve: () => new Promise(() => {}) });
  await expect(call('https://slow.test')).rejects.toMatchObject({
    message: 'slow.test did not answer in 50 ms',
    data: { reason: 'agent-unreachable' },
  });
});

test('an agent that demands a client certificate is shown that of the tenant, and no other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'concord-mtls-'));
  const [own, client] = [makeCertificate(folder, 'server'), makeCertificate(folder, 'client')];
  const place = join(folder, 'blue', 'crm');
  mkdirSync(place, { recursive: true });
  renameSync(client.key, join(place, 'tls.key'));
  renameSync(client.cert, join(place, 'tls.crt'));
  renameSync(own.cert, join(place, 'ca.crt'));
  const [ca, cert] = [readFileSync(join(place, 'tls.crt')), readFileSync(join(place, 'ca.crt'))];
  const demanding = { key: readFileSync(own.key), cert, ca, requestCert: true, rejectUnauthorized: true };
  const server = createTlsServer(demanding, ({ socket }, response) => {
    const { subject } = (socket as TLSSocket).getPeerCertificate();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ caller: subject.CN }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const callOf = (tenant: string, certificate: string) =>
    agentFetch({
      ...parts,
      credentials: async () => ({ scheme: 'mtls', certificate }),
      certificate: (name) => clientCertificate(folder, tenant, name),
    });
  const reasonOf = (answer: Promise<unknown>) => answer.catch(({ data }) => data.reason);
  try {
    const url = `https://127.0.0.1:${port}`;
    expect(await (await callOf('blue', 'crm')(url)).json()).toEqual({ caller: 'client' });
    expect(await reasonOf(callOf('green', 'crm')(url))).toBe('no-certificate');
    for (const name of ['..', '.', 'other']) expect(await reasonOf(callOf('blue', name)(url))).toBe('no-certificate');
    expect(await reasonOf(callOf('blue', 'crm')(`http://127.0.0.1:${port}`))).toBe('no-certificate');
    expect(await reasonOf(agentFetch(parts)(url))).toBe('agent-unreachable');
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
});
