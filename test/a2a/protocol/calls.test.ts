import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { refuse } from '../../../src/base/reasons.ts';
import { Unauthenticated } from '../../../src/security/refused.ts';
import { startTracing, type Tracing } from '../../../src/telemetry/tracing.ts';
import { call, startTestService, type TestService } from '../testService.ts';

const trace = '0af7651916cd43dd8448eb211c80319c';
let tracing: Tracing;
let service: TestService;

beforeAll(async () => {
  tracing = startTracing({ environment: {} });
  service = await startTestService({
    unary: { refuse: () => Promise.reject(refuse('foreign-agent', 'Not the caller')) },
    a2a: {
      authenticate: async ({ authorization }) => {
        if (authorization === undefined) throw new Unauthenticated('missing');
        return { tenant: 'north', agentId: 'nora', scopes: new Set() };
      },
    },
  });
});
afterAll(async () => {
  await service.close();
  await tracing.close();
});

const headers = {
  'content-type': 'application/json',
  traceparent: `00-${trace}-b7ad6b7169203331-01`,
  authorization: 'Bearer good',
};

test('the line of a call tells who has made it, from where, and what it was refused for', async () => {
  await service.post(call('echo'), { headers });
  expect(service.log.at(-1)).toMatchObject({ tenant: 'north', agent: 'nora', address: '127.0.0.1', traceId: trace });
  expect((await service.post(call('refuse'), { headers })).status).toBe(403);
  expect(service.log.at(-1)).toMatchObject({ msg: 'call', reason: 'foreign-agent', agent: 'nora' });
  expect(await service.metrics()).toContain('concord_authentication_failures_total{reason="foreign-agent"} 1');
});

test('the line of a refusal tells its reason, the address and the trace', async () => {
  const { authorization: _, ...others } = headers;
  await service.post(call('echo'), { headers: others });
  const refused = { msg: 'refused', reason: 'missing', address: '127.0.0.1' };
  expect(service.log.at(-1)).toMatchObject({ ...refused, traceId: trace });
  await service.post(call('echo'));
  expect(service.log.at(-1)).toMatchObject({ ...refused, traceId: expect.stringMatching(/^[0-9a-f]{32}$/) });
});
