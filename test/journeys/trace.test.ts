import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { type Collector, startCollector } from '../support/collector.ts';
import { follow } from '../support/events.ts';
import { add, schemaOrg, world } from '../support/patches.ts';
import { call, startTestService } from '../support/service.ts';

/** A span as OTLP carries it in JSON. */
interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  links?: { traceId: string; spanId: string }[];
}

const spans: Span[] = [];
const metrics: string[] = [];
let collector: Collector;

beforeAll(async () => {
  collector = await startCollector((signal, body) => {
    if (signal === 'metrics') metrics.push(body);
    if (signal !== 'traces') return;
    const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
    spans.push(...resourceSpans.flatMap((each) => each.scopeSpans.flatMap((scope) => scope.spans)));
  });
  Object.assign(process.env, collector.environment);
});

afterAll(async () => {
  for (const name of Object.keys(collector.environment)) delete process.env[name];
  await collector.close();
});

const traced = (trace: string, flags = '01') => ({ traceparent: `00-${trace}-00f067aa0ba902b7-${flags}` });

test('a request is one trace, from the caller’s traceparent down to each Neo4j call, without anybody’s data', async () => {
  const service = await startTestService();
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const headers = traced(trace);
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
    const headers = traced(trace.repeat(32));
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

test('what a subscriber is sent is linked to the request that made it, over each way, and belongs to its trace', async () => {
  const service = await startTestService();
  const asked = 'subscription { statementChanged { op } }';
  const follower = await follow(service.url, { subscriptionQuery: asked });
  const url = `${service.url.replace('http', 'ws')}/graphql`;
  const socket = createClient({ url, webSocketImpl: WebSocket, retryAttempts: 0 });
  const results = socket.iterate({ query: 'subscription { statementChanged { statement { subject { id } } } }' });
  const first = results.next();
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const write = (id: string, headers = {}) =>
    call(service.url, 'knowledge/update', { mutations: [add(id, `${schemaOrg}name`, id)] }, headers);
  // Nobody knows when a socket's subscription stands but by what it is sent.
  let stands = false;
  void first.then(() => {
    stands = true;
  });
  let early = '';
  for (let n = 0; !stands; n++) {
    early = `urn:early:${n}`;
    await write(early);
  }
  // What is sent together is one span, in the trace of the first.
  await follower.until(({ events }) => events.some(({ statement }) => statement.subject.id === early));
  for (let told = await first; !JSON.stringify(told.value).includes(`"${early}"`); ) told = await results.next();
  await write('urn:linked', traced(trace));
  await follower.until(({ events }) => events.some(({ statement }) => statement.subject.id === 'urn:linked'));
  expect(JSON.stringify(follower.events)).not.toContain('spanId');
  for (let isThere = false; !isThere; ) isThere = JSON.stringify((await results.next()).value).includes('urn:linked');
  await socket.dispose();
  follower.close();
  await service.close();

  const own = spans.filter(({ traceId }) => traceId === trace);
  const request = own.find(({ name }) => name === 'a2a knowledge/update');
  const sent = own.filter(({ name }) => name === 'deliver changes');
  expect(sent).toHaveLength(2);
  for (const each of sent) {
    expect(each.parentSpanId).toBe(request?.spanId);
    expect(each.links).toEqual([expect.objectContaining({ traceId: trace, spanId: request?.spanId })]);
  }
  // Metrics are sent too, to the same place, and told what they are of.
  expect(metrics.at(-1)).toContain('"concord_requests"');
  expect(metrics.at(-1)).toContain('"stringValue":"concord"');
});

test('the standard variables say how much is sampled; what the caller samples, is', async () => {
  const sampling = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
  Object.assign(process.env, sampling);
  const service = await startTestService();
  const before = spans.length;
  const query = (headers = {}) => call(service.url, 'knowledge/query', { query: '{ __typename }' }, headers);
  await query();
  await query(traced('d'.repeat(32), '00'));
  await query(traced('e'.repeat(32), '01'));
  await service.close();
  for (const name of Object.keys(sampling)) delete process.env[name];
  expect(new Set(spans.slice(before).map(({ traceId }) => traceId))).toEqual(new Set(['e'.repeat(32)]));
});
