import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { createInstruments } from '../../src/telemetry/instruments.ts';
import { startMetrics } from '../../src/telemetry/metrics.ts';

test('what is recorded is read as Prometheus text', async () => {
  const metrics = startMetrics();
  const { instruments } = metrics;
  instruments.requests.add(2, { method: 'knowledge/query', outcome: 'ok' });
  instruments.updates.add(1, { verdict: 'Verified' });
  instruments.statementsApplied.add(5);
  instruments.queryDuration.record(0.02, { access: 'read', outcome: 'ok' });
  instruments.feedLag.addCallback((lag) => lag.observe(1.5));
  const server = createServer(metrics.handle).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const text = await (await fetch(`http://127.0.0.1:${port}`)).text();
  expect(text).toContain('concord_requests_total{method="knowledge/query",outcome="ok"} 2');
  expect(text).toContain('concord_updates_total{verdict="Verified"} 1');
  expect(text).toContain('concord_statements_applied_total 5');
  expect(text).toContain('concord_feed_lag_seconds 1.5');
  expect(text).toMatch(/concord_neo4j_query_duration_seconds_bucket\{.*le="0\.025".*\} 1/);
  expect(text).toMatch(/process_memory_bytes\{kind="resident"\} \d+/);
  expect(text).toMatch(/nodejs_eventloop_lag_seconds\{quantile="0\.99"\} [\d.e-]+/);
  server.close();
  await metrics.close();
});

test('without a meter the instruments take what they are given and keep nothing', () => {
  expect(() => createInstruments().openSubscriptions.add(1)).not.toThrow();
});
