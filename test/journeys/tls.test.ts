import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { Service } from '../../src/service/startService.ts';
import { makeCertificate } from '../support/certificates.ts';
import { add, schemaOrg } from '../support/patches.ts';
import { type Received, received } from '../support/responses.ts';
import { startTestService } from '../support/service.ts';
import { useFolder } from '../support/setUp.ts';

const folder = useFolder();
const file = (name: string) => join(folder, name);
const place = (name: string) => {
  copyFileSync(file(`${name}.key`), file('tls.key'));
  copyFileSync(file(`${name}.crt`), file('tls.crt'));
};
const shutdownMs = 1_000;
let service: Service;
let ca: string[];

beforeAll(async () => {
  for (const name of ['one', 'two']) makeCertificate(folder, name);
  ca = ['one', 'two'].map((name) => readFileSync(file(`${name}.crt`), 'utf8'));
  place('one');
  service = await startTestService({
    TLS_CERT_FILE: file('tls.crt'),
    TLS_KEY_FILE: file('tls.key'),
    GRPC_PORT: '0',
    OPERATIONS_PORT: '0',
    SHUTDOWN_MS: String(shutdownMs),
  });
});
afterAll(() => service?.close());

const portOf = (address = '') => Number(/\d+$/.exec(address)?.[0]);
const ports = () => [service.url, service.operations, service.grpc].map(portOf);

/** The name in the certificate that a port shows now. */
function shown(port: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', ca, ALPNProtocols: ['h2', 'http/1.1'] }, () => {
      resolve(socket.getPeerX509Certificate()?.subject);
      socket.destroy();
    }).on('error', reject);
  });
}

function ask(url: string, agent?: Agent, headers = {}, body?: string): Promise<Received> {
  return new Promise((resolve, reject) => {
    request(url, { ca, agent, headers, method: body === undefined ? 'GET' : 'POST' }, (response) =>
      received(response).then(resolve, reject),
    )
      .on('error', reject)
      .end(body);
  });
}

const callKnowledge = async (method: string, params: object) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return JSON.parse((await ask(`${service.url}/a2a`, undefined, { 'content-type': 'application/json' }, body)).text);
};

function getTask(client: Client): Promise<ServiceError | null> {
  const { path, requestSerialize, responseDeserialize } = A2AService.getTask;
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, { id: 'none', tenant: '' } as never, (error) =>
      resolve(error),
    );
  });
}

test('every port speaks TLS and nothing else, and the card says so', async () => {
  expect(service.url).toMatch(/^https:/);
  expect(await Promise.all(ports().map(shown))).toEqual(['CN=one', 'CN=one', 'CN=one']);
  expect((await ask(`${service.operations}/healthz`)).status).toBe(200);
  const card = JSON.parse((await ask(`${service.url}/.well-known/agent-card.json`)).text);
  expect(card.supportedInterfaces[0].url).toMatch(/^https:/);
  for (const port of ports()) {
    const plain = new Promise((resolve, reject) => {
      plainRequest({ port, host: '127.0.0.1', path: '/healthz' }, resolve).on('error', reject).end();
    });
    await expect(plain).rejects.toThrow();
  }
  await expect(fetch(`${service.url}/healthz`)).rejects.toThrow();
  // An offer of another protocol is ignored over TLS as well.
  const offer = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' };
  expect((await ask(`${service.url}/healthz`, undefined, offer)).status).toBe(200);
});

test('a new certificate is shown to new connections, and those that are open go on', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const grpc = new Client(service.grpc ?? '', credentials.createSsl(Buffer.from(ca.join('\n'))));
  const changes: unknown[] = [];
  const webSocket = class extends WebSocket {
    constructor(url: string, protocol: string) {
      super(url, protocol, { ca });
    }
  };
  const url = `${service.url.replace('https', 'wss')}/graphql`;
  const socket = createClient({ url, webSocketImpl: webSocket, lazy: false, retryAttempts: 0 });
  let lost = 0;
  socket.on('closed', () => {
    lost += 1;
  });
  socket.subscribe(
    { query: 'subscription { statementChanged { op } }' },
    { next: (change) => changes.push(change), error: () => {}, complete: () => {} },
  );
  const before = await ask(`${service.url}/healthz`, agent);
  expect((await getTask(grpc))?.code).toBe(5);
  const write = (id: string) => callKnowledge('knowledge/update', { mutations: [add(id, `${schemaOrg}name`, 'a')] });
  while (changes.length === 0) {
    await write(`urn:tls:${Math.random()}`);
    await sleep(50);
  }
  place('two');
  for (const port of ports()) while ((await shown(port)) !== 'CN=two') await sleep(50);
  const after = await ask(`${service.url}/healthz`, agent);
  expect([after.status, after.port]).toEqual([200, before.port]);
  expect((await getTask(grpc))?.code).toBe(5);
  const seen = changes.length;
  await write('urn:tls:after');
  while (changes.length === seen) await sleep(20);
  expect(lost).toBe(0);
  writeFileSync(file('tls.crt'), 'broken');
  await sleep(2_500);
  expect(await Promise.all(ports().map(shown))).toEqual(['CN=two', 'CN=two', 'CN=two']);
  await socket.dispose();
  agent.destroy();
  grpc.close();
});

test('a handshake that is never finished does not hold up the end of the service', async () => {
  const half = await Promise.all(
    ports().map(
      (port) =>
        new Promise<ReturnType<typeof connectPlain>>((resolve) => {
          const socket = connectPlain({ port, host: '127.0.0.1' }, () => resolve(socket));
          socket.on('error', () => {});
          // The beginning of a record of a handshake.
          socket.write(Buffer.from([22, 3, 1, 2, 0, 1]));
        }),
    ),
  );
  await sleep(100);
  const begun = Date.now();
  await service.close();
  expect(Date.now() - begun).toBeLessThan(3 * shutdownMs + 3_000);
  for (const socket of half) socket.destroy();
});
