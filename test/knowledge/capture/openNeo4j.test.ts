import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Service } from '../../../src/service/startService.ts';
import { useEditor } from '../../support/editor.ts';
import { type Follower, follow } from '../../support/events.ts';
import { useOpenNeo4j } from '../../support/openNeo4j.ts';
import { world } from '../../support/patches.ts';
import { startServiceOnGraph } from '../../support/service.ts';
import { useFolder } from '../../support/setUp.ts';

// EDITS=10000 for a load as it is in life.
const rows = Number(process.env.EDITS ?? 400);
const numbers = Array.from({ length: rows }, (_, row) => row + 1);
const settings = useOpenNeo4j();
const folder = useFolder();
const { edit, taken } = useEditor(settings);

let service: Service;
let follower: Follower;

beforeAll(async () => {
  service = await startServiceOnGraph({ ...settings, CAPTURE: 'report' });
  follower = await follow(service.url, { subscriptionQuery: 'subscription { statementChanged { op } }' });
});
afterAll(async () => {
  follower?.close();
  await service?.close();
});

/** What subscribers were told since, each once: subject, predicate, object and who said it. */
async function toldAfter(seen: number, count: number) {
  await taken();
  await follower.until(seen + count);
  const told = follower.events.slice(seen).map(({ op, statement, changeMetadata }) => {
    const object = 'value' in statement.object ? statement.object.value : statement.object.id;
    return [op, statement.subject.id, statement.predicate.id, object, changeMetadata.sourceAgentId].join(' ');
  });
  return told.sort();
}

test('a LOAD CSV becomes statements of who ran it, each row once', async () => {
  const file = join(folder, 'cities.csv');
  writeFileSync(file, ['id,country', ...numbers.map((n) => `urn:city:${n},urn:country:${n % 50}`)].join('\n'));
  await edit(
    `LOAD CSV WITH HEADERS FROM $file AS row
     MERGE (c:City {id: row.id}) MERGE (d:Country {id: row.country}) CREATE (d)-[:CAPITAL]->(c)`,
    { file: pathToFileURL(file).href },
  );
  expect(await toldAfter(0, rows)).toEqual(
    numbers.map((n) => `add urn:country:${n % 50} ${world}capital urn:city:${n} direct:neo4j`).sort(),
  );
}, 240_000);

test('apoc.periodic.iterate becomes statements, batch by batch, each row once', async () => {
  const seen = follower.events.length;
  const [answer] = await edit<Record<string, unknown>>(
    `CALL apoc.periodic.iterate('MATCH (d)-[:CAPITAL]->(c) RETURN c, d', 'CREATE (c)-[:BORDERS]->(d)',
      {batchSize: 100, parallel: false}) YIELD batches, failedBatches RETURN batches, failedBatches`,
  );
  expect(answer).toEqual({ batches: Math.ceil(rows / 100), failedBatches: 0 });
  expect(await toldAfter(seen, rows)).toEqual(
    numbers.map((n) => `add urn:city:${n} ${world}borders urn:country:${n % 50} direct:neo4j`).sort(),
  );
}, 240_000);
