import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { agentFetch } from '../../../../src/agents/delegation/protocols/agentFetch.ts';
import { parseAllowed } from '../../../../src/config/allowedReceivers.ts';

const parts = {
  allowed: parseAllowed('127.0.0.1'),
  credentials: async () => undefined,
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
