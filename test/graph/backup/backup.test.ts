import { execFile } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { holdingWrites } from '../../../src/graph/updates/hold.ts';
import { ApiKeyStore } from '../../../src/security/apiKeyStore.ts';
import { scopes } from '../../../src/security/principal.ts';
import type { Service } from '../../../src/service/startService.ts';
import { message } from '../../a2a/tasks.ts';
import { concord } from '../../cli/command.ts';
import { dropSchema } from '../../support/emptyGraph.ts';
import { follow } from '../../support/events.ts';
import { add, schemaOrg } from '../../support/patches.ts';
import {
  type Answer,
  call,
  emptyGraph,
  neo4jSettings,
  startServiceOnGraph,
  startTestService,
  testAddress,
} from '../../support/service.ts';
import { useDatabase, useFolder } from '../../support/setUp.ts';
import { type Contents, contentsOf } from './contents.ts';

const settings = { AGENT_TRUST: 'rumour=0.2', API_KEYS: 'true' };
const database = useDatabase();
const folder = useFolder();
const quiet = join(folder, 'quiet.gz');
const busy = join(folder, 'busy.gz');
let service: Service;
let headers: Record<string, string>;
/** What was there when `quiet` was taken. */
let before: Contents;
/** What was answered to the update that is sent again after the restore. */
let replaced: object;

const contents = () => contentsOf(database, testAddress());
const ask = <Result = Record<string, unknown>>(method: string, params: object): Promise<Answer<Result>> =>
  call<Result>(service.url, method, params, { 'A2A-Version': '1.0', ...headers });
const name = (id: string, value: string) => add(id, `${schemaOrg}name`, value);
const replace = () => write([{ ...name('urn:1', 'b'), op: 'replace' }], { metadata: { idempotencyKey: 'k' } });
const write = (mutations: object[], more = {}) => ask('knowledge/update', { mutations, ...more });

async function emptied(): Promise<void> {
  await emptyGraph();
  await dropSchema(database);
}

beforeAll(async () => {
  await emptied();
  service = await startTestService(settings);
  const keyOf = async (agentId: string) => {
    const { key } = await new ApiKeyStore(database).create({ tenant: 'default', agentId, scopes: [...scopes] });
    return { 'x-api-key': key };
  };
  headers = await keyOf('ada');
  await write([name('urn:1', 'a'), add('urn:1', 'urn:p:float', 1.5), add('urn:1', 'urn:p:int', 7)]);
  ({ result: replaced } = await replace());
  await write([name('urn:2', 'gone')]);
  const purged = await ask('knowledge/purge', { subject: 'urn:2' });
  const held = await call(
    service.url,
    'knowledge/update',
    { mutations: [name('urn:3', 'held')] },
    await keyOf('rumour'),
  );
  const task = await ask('SendMessage', message({ skill: 'query', query: '{ entities(limit: 1) { id } }' }));
  for (const { error } of [purged, held, task]) expect(error).toBeUndefined();
});
afterAll(async () => {
  await service?.close();
  await emptyGraph();
});

test('a backup holds all nodes and relationships, and no secret is for others to read', async () => {
  const { code, printed, said } = await concord(['backup', quiet, '--json'], { env: neo4jSettings });
  expect([code, said]).toEqual([0, '']);
  before = await contents();
  expect(JSON.parse(printed)).toMatchObject({ nodes: before.nodes.length, relationships: before.relationships.length });
  const labels = [
    'Entity',
    'Literal',
    'Change',
    'Update',
    'Ledger',
    'Task',
    'Message',
    'ApiKey',
    'Tombstone',
    'Migration',
  ];
  const isThere = (label: string) => before.nodes.some((text) => text.split(' ')[0]?.split(',').includes(label));
  expect(labels.filter((label) => !isThere(label))).toEqual([]);
  expect(before.relationships.some((text) => text.includes(' -PAST '))).toBe(true);
  expect(statSync(quiet).mode & 0o077).toBe(0);
});

test('one can be taken while agents write, who are told to come again or served', async () => {
  const taken = promisify(execFile)(process.execPath, ['dist/cli/main.js', 'backup', '-'], {
    env: { ...process.env, ...neo4jSettings },
    encoding: 'buffer',
    maxBuffer: 100_000_000,
  });
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  taken.then(over, over);
  for (let n = 0; !isOver; n++) {
    const { error } = await write([name(`urn:busy:${n}`, 'x')]);
    if (error) expect(error.data.reason).toBe('writes-held');
  }
  writeFileSync(busy, (await taken).stdout);
});

test('while writes are held each is refused and told when to come again, and reads are served; then it goes on', async () => {
  const answers = await holdingWrites(database, () =>
    Promise.all([
      write([name('urn:held', 'x')]),
      ask('knowledge/purge', { subject: 'urn:1' }),
      ask('knowledge/query', { query: '{ entities(limit: 1) { id } }' }),
    ]),
  );
  const held = { data: { reason: 'writes-held', retryable: true, retryAfterMs: 2_000 } };
  const [updated, purged, read] = answers;
  expect([updated.error, purged.error]).toMatchObject([held, held]);
  expect(read.error).toBeUndefined();
  expect((await write([name('urn:held', 'x')])).error).toBeUndefined();
});

test('a hold that was lost meanwhile is told', async () => {
  const lost = holdingWrites(database, () => database.run('WRITE', 'MATCH (l:Ledger) REMOVE l.heldUntil'));
  await expect(lost).rejects.toMatchObject({ name: 'StartupError' });
});

test('a database that is not empty is not restored into, and a damaged file changes nothing', async () => {
  const restore = (file: string) => concord(['restore', file], { env: neo4jSettings });
  const full = await restore(quiet);
  expect([full.code, full.said]).toEqual([1, expect.stringMatching(/^concord: The database has \d+ nodes/)]);
  await service.close();
  await emptied();
  const text = gunzipSync(readFileSync(quiet)).toString();
  const damaged = {
    cut: gzipSync(text.slice(0, text.lastIndexOf('{"nodes"'))),
    changed: gzipSync(text.replace('urn:1', 'urn:9')),
    foreign: gzipSync('{}\n{}\n'),
    torn: readFileSync(quiet).subarray(0, 500),
  };
  for (const [kind, bytes] of Object.entries(damaged)) {
    const file = join(folder, kind);
    writeFileSync(file, bytes);
    const { code, said } = await restore(file);
    expect([kind, code, said]).toEqual([kind, 1, expect.stringContaining(file)]);
  }
  expect((await contents()).nodes).toEqual([]);
});

test('restored, it is the same database, and a Concord goes on with it', async () => {
  const { code, said } = await concord(['restore', quiet], { env: neo4jSettings });
  expect([code, said]).toEqual([0, '']);
  expect(await contents()).toEqual(before);
  service = await startServiceOnGraph(settings);
  expect((await replace()).result).toEqual(replaced);
  const pending = await ask<{ proposals: object[] }>('knowledge/review', { action: 'list' });
  expect(JSON.stringify(pending.result)).toContain('urn:3');
  const subscriptionQuery = 'subscription { statementChanged { op } }';
  const ahead = await follow(service.url, { subscriptionQuery, metadata: { afterSequence: 1_000 } }, headers);
  expect(ahead.error).toMatchObject({ data: { reason: 'cursor-ahead' } });
  const known = await follow(service.url, { subscriptionQuery, metadata: { afterSequence: 0 } }, headers);
  await known.until(2);
  known.close();
  await service.close();
});

test('one that was taken while agents wrote is of one moment', async () => {
  await emptied();
  expect((await concord(['restore', busy], { env: neo4jSettings })).code).toBe(0);
  const [row] = await database.run(
    'READ',
    `MATCH (l:Ledger) RETURN l.sequence - COUNT { MATCH (:Update)-[:CONTAINS]->(:Change) } AS changes,
       l.revision - COUNT { MATCH (u:Update {status: 'applied'}) } - COUNT { MATCH (t:Tombstone) } AS updates,
       COUNT { MATCH (e:Entity) WHERE e.id STARTS WITH 'urn:busy:' }
         - COUNT { MATCH (c:Change) WHERE c.statement CONTAINS 'urn:busy:' } AS entities, l.heldUntil AS held`,
  );
  expect(row).toEqual({ changes: 0, updates: 0, entities: 0, held: null });
});
