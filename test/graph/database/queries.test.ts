import { afterEach, expect, test } from '@jest/globals';
import { tracing } from '@opentelemetry/sdk-node';
import { summaryOf, traced } from '../../../src/graph/database/queries.ts';
import type { Queryable } from '../../../src/graph/database/queryable.ts';
import { createInstruments } from '../../../src/telemetry/instruments.ts';
import { startTracing, type Tracing } from '../../../src/telemetry/tracing.ts';

let running: Tracing | undefined;
afterEach(() => running?.close());

const text = 'MATCH (l:Ledger {tenant: $tenant}) SET l.secretly = 1 RETURN l';

async function attributesOf(tellsQueryText: boolean) {
  const exporter = new tracing.InMemorySpanExporter();
  const processor = new tracing.SimpleSpanProcessor(exporter);
  running = startTracing({ spanProcessors: [processor] });
  const nothing = { run: async () => ({ records: [] }) } as unknown as Queryable;
  await traced(nothing, 'WRITE', createInstruments(undefined, { tellsQueryText })).run(text);
  await processor.forceFlush();
  return exporter.getFinishedSpans()[0]?.attributes;
}

test('a span tells what kind of a query it was, and its text only where that is set', async () => {
  const summary = { 'db.query.summary': 'MATCH Ledger SET RETURN' };
  expect(await attributesOf(false)).toEqual({ 'db.system.name': 'neo4j', 'db.operation.name': 'WRITE', ...summary });
  await running?.close();
  expect(await attributesOf(true)).toMatchObject({ ...summary, 'db.query.text': text });
});

test('a summary holds clauses and names of labels and types, and is short', () => {
  expect(summaryOf('CYPHER replan=skip UNWIND $in AS each\nOPTIONAL  MATCH (a:Agent)-[r:`any words`]->(:Update)')).toBe(
    'UNWIND OPTIONAL MATCH Agent Update',
  );
  expect(summaryOf("MATCH (n) WHERE n.name = 'password' DETACH DELETE n")).toBe('MATCH DETACH DELETE');
  expect(summaryOf('MATCH (n:Entity) '.repeat(10_000)).length).toBe(255);
});
