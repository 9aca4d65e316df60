import { expect, test } from '@jest/globals';
import { StartupError } from '../../src/base/errors.ts';
import { listen } from '../../src/http/listen.ts';

const config = { HOST: '127.0.0.1', PORT: 0, SHUTDOWN_MS: 100 };

test('port 0 listens on a port that the system chose, and says which', async () => {
  const listening = await listen((_request, response) => response.end('here'), config);
  expect(listening.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(await (await fetch(listening.url)).text()).toBe('here');
  await listening.close();
  await expect(fetch(listening.url)).rejects.toThrow();
});

test('a port that is taken is a reason not to start, which names it', async () => {
  const first = await listen((_request, response) => response.end(), config);
  const PORT = Number(new URL(first.url).port);
  const second = listen((_request, response) => response.end(), { ...config, PORT });
  await expect(second).rejects.toThrow(StartupError);
  await expect(second).rejects.toThrow(`Port ${PORT} on 127.0.0.1 is taken`);
  await first.close();
});

test.each(['0.0.0.0', '::', '192.168.1.5', 'kg.example.org'])(
  'HOST=%s without identities is a reason not to start',
  async (HOST) => {
    await expect(listen(() => {}, { ...config, HOST })).rejects.toThrow(/listens on loopback only/);
  },
);

test('with identities it listens for everyone', async () => {
  const listening = await listen(
    (_request, response) => response.end(),
    { ...config, HOST: '0.0.0.0' },
    { identities: true },
  );
  await listening.close();
});

test('closing cuts a connection that outlasts SHUTDOWN_MS', async () => {
  const listening = await listen(() => {}, config);
  const pending = fetch(listening.url);
  pending.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 50));
  await listening.close();
  await expect(pending).rejects.toThrow();
});
