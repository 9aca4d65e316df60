import { expect, test } from '@jest/globals';
import { call, startTestService } from '../support/service.ts';

const delayMs = 6_000;

test('a service that is told to stop serves on while it says that it drains, and then ends', async () => {
  const service = await startTestService({ DRAIN_DELAY_MS: String(delayMs), OPERATIONS_PORT: '0' });
  const started = Date.now();
  const closed = service.close();
  const readiness = async (url = '') => {
    const response = await fetch(`${url}/readyz`);
    return [
      response.status,
      ((await response.json()) as { status: string }).status,
      response.headers.get('connection'),
    ];
  };
  const [ofCallers, ofOperators, answer] = await Promise.all([
    readiness(service.url),
    readiness(service.operations),
    call(service.url, 'knowledge/query', { query: '{ entities(limit: 1) { id } }' }),
  ]);
  expect([ofCallers, ofOperators]).toEqual([
    // Whoever calls again connects anew, and then elsewhere.
    [503, 'draining', 'close'],
    [503, 'draining', 'keep-alive'],
  ]);
  expect(answer.error).toBeUndefined();
  await closed;
  expect(Date.now() - started).toBeGreaterThanOrEqual(delayMs - 10);
  await expect(fetch(`${service.url}/healthz`)).rejects.toThrow();
});
