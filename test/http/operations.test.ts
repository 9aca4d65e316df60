import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Service } from '../../src/service/startService.ts';
import { bearerOf, identities } from '../support/identities.ts';
import { startServiceOnGraph } from '../support/service.ts';
import { useService } from '../support/setUp.ts';

const service = useService(identities);
let apart: Service;

beforeAll(async () => {
  apart = await startServiceOnGraph({ ...identities, OPERATIONS_PORT: '0' });
});
afterAll(() => apart?.close());

const scoped = (scope: string) => bearerOf({ tenant: 'north', sub: 'nora', scope });
const statuses =
  (url: string | undefined, headers: Record<string, string> = {}) =>
  async (path: string) => {
    const { status } = await fetch(`${url}${path}`, { headers });
    return [path, status];
  };
const all = (ask: (path: string) => Promise<unknown>) =>
  Promise.all(['/metrics', '/schema.graphql', '/healthz', '/readyz'].map(ask));

test('with identities, metrics are for administrators and the schema for callers; health is for everybody', async () => {
  const with_ = (metrics: number, schema: number) => [
    ['/metrics', metrics],
    ['/schema.graphql', schema],
    ['/healthz', 200],
    ['/readyz', 200],
  ];
  expect(await all(statuses(service.url))).toEqual(with_(401, 401));
  expect(await all(statuses(service.url, scoped('knowledge:query')))).toEqual(with_(403, 200));
  expect(await all(statuses(service.url, scoped('admin')))).toEqual(with_(200, 200));
  const refused = await fetch(`${service.url}/metrics`);
  expect(refused.headers.get('www-authenticate')).toContain('Bearer');
  expect(await refused.json()).toMatchObject({ reason: 'missing' });
});

test('a port for operators answers without credentials, and the port of callers then has no metrics', async () => {
  expect((await all(statuses(apart.operations))).flat()).toEqual(expect.not.arrayContaining([401, 404]));
  expect(await (await fetch(`${apart.operations}/readyz`)).json()).toMatchObject({ checks: { neo4j: { ok: true } } });
  expect(await statuses(apart.operations)('/.well-known/agent-card.json')).toEqual([expect.anything(), 404]);
  expect(await statuses(apart.url, scoped('admin'))('/metrics')).toEqual(['/metrics', 404]);
  expect(await statuses(apart.url)('/schema.graphql')).toEqual(['/schema.graphql', 401]);
  expect(await (await fetch(`${apart.url}/readyz`)).json()).toEqual({ status: 'ready' });
  const { addresses } = (await (await fetch(apart.url)).json()) as { addresses: object };
  expect(addresses).not.toHaveProperty('/metrics');
});
