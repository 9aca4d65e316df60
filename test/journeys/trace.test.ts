import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { add, schemaOrg, world } from '../support/patches.ts';
import { call, startTestService } from '../support/service.ts';

/** A span as OTLP over HTTP carries it in JSON. */
interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: Record<string, unknown> }[];
}

const spans: Span[] = [];
let collector: Server;

beforeAll(async () => {
  collector = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as {
      resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
    };
    spans.push(...resourceSpans.flatMap((each) => each.scopeSpans.flatMap((scope) => scope.spans)));
    response.end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${port}`;
  process.env.OTEL_EXPORTER_OTLP_PROTOCOL = 'http/json';
});

afterAll(() => {
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  delete process.env.OTEL_EXPORTER_OTLP_PROTOCOL;
  collector.close();
});

test('a request is one trace, from the caller’s traceparent down to each Neo4j call, without anybody’s data', async () => {
  const service = await startTestService();
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const headers = { traceparent: `00-${trace}-00f067aa0ba902b7-01` };
  const secret = 'urn:secret:subject';
  await call(service.url, 'knowledge/update', { mutations: [add(secret, `${schemaOrg}name`, 'secret name')] }, headers);
  await call(
    service.url,
    'knowledge/query',
    { query: 'query($id: ID!) { entities(where: {id: {eq: $id}}) { id } }', variables: { id: secret } },
    headers,
  );
  await service.close();

  const own = spans.filter(({ traceId }) => traceId === trace);
  const calls = own.filter(({ parentSpanId }) => parentSpanId === '00f067aa0ba902b7');
  expect(calls.map(({ name }) => name).sort()).toEqual(['a2a knowledge/query', 'a2a knowledge/update']);
  for (const { spanId, name } of calls) {
    const below = (id: string): Span[] =>
      own.filter(({ parentSpanId }) => parentSpanId === id).flatMap((span) => [span, ...below(span.spanId)]);
    const names = below(spanId).map((span) => span.name);
    const steps = name.endsWith('query') ? ['neo4j READ'] : ['commit', 'commit group', 'neo4j WRITE'];
    expect(new Set(names)).toEqual(new Set(steps));
    expect(names.filter((each) => each.startsWith('neo4j')).length).toBeGreaterThanOrEqual(2);
  }
  expect(JSON.stringify(own)).not.toContain('secret');
});

test('an update of 5,000 statements sends as many queries as one of two with the same predicates and classes', async () => {
  const service = await startTestService();
  const type = `${schemaOrg}Country`;
  const sent = async (trace: string, size: number, tag: string) => {
    const mutations = Array.from({ length: size }, (_, index) => {
      const id = (of: number) => `urn:${tag}:${of % size}`;
      return [
        add(id(index), `${schemaOrg}name`, `n${index}`, { type }),
        add(id(index), `${world}borders`, { id: id(index + 1) }),
      ];
    }).flat();
    const headers = { traceparent: `00-${trace.repeat(32)}-00f067aa0ba902b7-01` };
    const { result } = await call(service.url, 'knowledge/update', { mutations }, headers);
    expect(result.statementsAffected).toBe(2 * size);
  };
  await sent('a', 1, 'warm');
  await sent('b', 1, 'small');
  await sent('c', 2_500, 'large');
  await service.close();
  const queries = (trace: string) =>
    spans.filter(({ traceId, name }) => traceId === trace.repeat(32) && name === 'neo4j WRITE').length;
  expect(queries('b')).toBeGreaterThan(5);
  expect(queries('c')).toBe(queries('b'));
});
