import { expect, test } from '@jest/globals';
import { useService } from '../support/setUp.ts';

const service = useService();

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

test('a browser gets the explorer, which loads files of this host only', async () => {
  const response = await fetch(`${service.url}/graphql`, { headers: browser });
  expect(response.headers.get('content-type')).toContain('text/html');
  const html = await response.text();
  expect(html).not.toMatch(/https?:|"\/\//);
  const files = [...html.matchAll(/(?:src|href)="(\/graphql\/[^"]+)"/g)].map(([, path]) => path);
  const workers = ['editor', 'json', 'graphql'].map((each) => `/graphql/explorer/${each}.worker.js`);
  expect(files).toHaveLength(3);
  for (const path of [...files, ...workers]) {
    const file = await fetch(`${service.url}${path}`);
    expect([path, file.status]).toEqual([path, 200]);
    expect(file.headers.get('content-type')).toMatch(path?.endsWith('.css') ? 'text/css' : 'javascript');
    // Addresses stand in it, for links and licences; none that is loaded.
    expect(await file.text()).not.toMatch(/(?:import\(|importScripts\(|url\(|src=)["']?(?:https?:)?\/\//);
  }
});

test('the page may run, load and ask nothing but what is of its own host', async () => {
  const response = await fetch(`${service.url}/graphql`, { headers: browser });
  const policy = response.headers.get('content-security-policy')?.split(';');
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("connect-src 'self'");
  expect(policy?.join()).not.toMatch(/https?:|\*|unsafe-eval/);
  const elsewhere = await fetch(`${service.url}/`, { headers: browser });
  expect(elsewhere.headers.get('content-security-policy')).toContain("script-src 'self'");
});

test('programs get no page, batches and forms no answer, other origins no leave', async () => {
  const ask = (body: string, headers: Record<string, string>) =>
    fetch(`${service.url}/graphql`, { method: 'POST', body, headers });
  const json = { 'content-type': 'application/json' };
  const query = '{"query":"{ __typename }"}';
  expect((await fetch(`${service.url}/graphql`)).status).toBe(400);
  const batch = await ask(`[${query}]`, json);
  expect([batch.status, await batch.text()]).toEqual([400, expect.stringContaining('batching disabled')]);
  const form = await ask(query, { 'content-type': 'text/plain' });
  expect(form.status).toBe(400);
  const get = await fetch(`${service.url}/graphql?query={__typename}`, { headers: browser });
  expect([get.status, await get.text()]).toEqual([400, expect.stringContaining('CSRF')]);
  const allowed = await ask(query, { ...json, origin: 'http://localhost:1' });
  expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, null]);
  const subscription = await ask('{"query":"subscription { statementChanged { op } }"}', json);
  expect([subscription.status, await subscription.text()]).toEqual([400, expect.stringContaining('WebSocket')]);
});
