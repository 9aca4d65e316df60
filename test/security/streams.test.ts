import { SendMessageRequest } from '@a2a-js/sdk';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import {
  type ClientReadableStream,
  credentials,
  Metadata,
  makeGenericClientConstructor,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { streamDraining } from '../../src/calls/streamEnd.ts';
import { Unauthenticated } from '../../src/security/refused.ts';
import { byName, message, type TaskJson, testSkills } from '../a2a/tasks.ts';
import { call, json, startTestService, type TestService } from '../a2a/testService.ts';
import { type RawAnswer, sendRaw, spellings } from './spellings.ts';

let service: TestService;
let isRevoked: boolean;

beforeEach(async () => {
  // The SDK's router writes there of each stream that ends with an error.
  jest.spyOn(console, 'error').mockImplementation(() => {});
  isRevoked = false;
  service = await startTestService({
    settings: { GRPC_PORT: '0', STREAM_MAX_CONCURRENT: '500', TASK_MAX_CONCURRENT: '500' },
    skills: testSkills().skills,
    a2a: {
      authenticate: async (credentials) => {
        if (isRevoked) throw new Unauthenticated('revoked-key');
        return byName(credentials);
      },
    },
  });
});
afterEach(async () => {
  await service.close();
  jest.restoreAllMocks();
});

const current = { authorization: 'Bearer ana', 'a2a-version': '1.0' };
const legacy = { authorization: 'Bearer ana' };
const message03 = () => ({
  message: {
    messageId: crypto.randomUUID(),
    role: 'ROLE_USER',
    content: [{ data: { data: { skill: 'wait' } } }],
  },
});

interface Asked {
  path: string;
  method?: string;
  headers: Record<string, string>;
  body?: () => object;
}

const asked: Asked[] = [
  { path: '/v1/message:stream', headers: current, body: () => message({ skill: 'wait' }) },
  { path: '/v1/north/message:stream', headers: current, body: () => message({ skill: 'wait' }) },
  { path: '/v1/message:stream', headers: legacy, body: message03 },
  ...[current, legacy].flatMap((headers) =>
    ['GET', 'POST'].map((method) => ({ path: '/v1/tasks/{id}:subscribe', method, headers })),
  ),
  { path: '/v1/north/tasks/{id}:subscribe', method: 'GET', headers: current },
];

async function begunTask(): Promise<string> {
  const body = { ...message({ skill: 'wait' }), configuration: { returnImmediately: true } };
  const sent = await fetch(`${service.url}/v1/message:send`, {
    method: 'POST',
    headers: { ...current, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await json<{ task: TaskJson }>(sent)).task.id;
}

test('a stream ends with its key, however its address is spelled', async () => {
  const id = await begunTask();
  const streams: [string, RawAnswer][] = [];
  for (const { path, method, headers, body } of asked) {
    for (const [rule, spelled] of spellings(path, id)) {
      const answer = await sendRaw(`${service.url}${spelled}`, { method, headers, body: body?.() });
      if (answer.type === 'text/event-stream') streams.push([`${path}, ${rule}`, answer]);
    }
  }
  expect(streams.length).toBeGreaterThan(40);
  isRevoked = true;
  for (const [spelling, { text }] of streams) {
    expect([spelling, await text]).toEqual([
      spelling,
      expect.stringMatching(/event: error\ndata: .*has been revoked.*/),
    ]);
  }
});

test('a stream over JSON-RPC and over gRPC ends with its key', async () => {
  const client = new (makeGenericClientConstructor(A2AService, 'A2AService'))(
    service.grpc ?? '',
    credentials.createInsecure(),
  );
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(current)) metadata.set(name, value);
  const stream = client.sendStreamingMessage?.(
    SendMessageRequest.fromJSON(message({ skill: 'wait' })),
    metadata,
  ) as ClientReadableStream<unknown>;
  const ended = new Promise<ServiceError>((resolve) => stream.once('error', resolve));
  await new Promise((resolve) => stream.once('data', resolve));
  const answers = await Promise.all(
    ['', '/'].map((end) =>
      sendRaw(`${service.url}${end}`, {
        headers: current,
        body: call('SendStreamingMessage', message({ skill: 'wait' })),
      }),
    ),
  );
  isRevoked = true;
  for (const { type, text } of answers) {
    expect([type, await text]).toEqual(['text/event-stream', expect.stringContaining('revoked-key')]);
  }
  expect((await ended).code).toBe(status.UNAUTHENTICATED);
  client.close();
});

test('a shutdown ends streams and waits for what is none, however its address is spelled', async () => {
  const id = await begunTask();
  const streams: RawAnswer[] = [];
  for (const [, spelled] of spellings('/v1/tasks/{id}:subscribe', id)) {
    const answer = await sendRaw(`${service.url}${spelled}`, { method: 'GET', headers: current });
    if (answer.type === 'text/event-stream') streams.push(answer);
  }
  expect(streams.length).toBeGreaterThan(5);
  await service.endpoint.close();
  for (const { text } of streams) expect(await text).toContain(streamDraining().message);
});
