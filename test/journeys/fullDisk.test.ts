import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../src/config/config.ts';
import { Database } from '../../src/graph/database/database.ts';
import type { UpdateResult } from '../../src/knowledge/update/propose.ts';
import { type Neo4jServer, startNeo4j } from '../../src/neo4jServer/server.ts';
import { type Service, startService } from '../../src/service/startService.ts';
import { lastingSettings, ownDataDirectory } from '../support/ownNeo4j.ts';
import { add, schemaOrg } from '../support/patches.ts';
import { type Answer, call } from '../support/service.ts';
import { SmallDisk } from '../support/smallDisk.ts';

/* Where no disk can be mounted the test is skipped. */
const directory = ownDataDirectory();
const disk = SmallDisk.mount(directory);
if (!disk) process.stderr.write('SKIPPED. No disk is filled: a tmpfs cannot be mounted here\n');

const onFullDisk = disk ? describe : describe.skip;

onFullDisk('the disk of Neo4j is full', () => {
  let settings: Record<string, string>;
  let server: Neo4jServer;
  let service: Service;
  const startServer = () => startNeo4j(readConfig(settings), () => {});

  beforeAll(async () => {
    settings = await lastingSettings(directory);
    server = await startServer();
    service = await startService(
      readConfig({ PORT: '0', LOG_LEVEL: 'silent', NEO4J_URI: server.uri, NEO4J_PASSWORD: server.password }),
    );
  });
  afterAll(async () => {
    await service?.close();
    await server?.close();
  });

  const size = 2_000;
  const update = (key: string) =>
    call<UpdateResult>(service.url, 'knowledge/update', {
      mutations: Array.from({ length: size }, (_, n) =>
        add(`urn:full:${key}:${n}`, `${schemaOrg}name`, 'x'.repeat(4_000)),
      ),
      metadata: { idempotencyKey: key },
    });
  const query = () => call(service.url, 'knowledge/query', { query: '{ entities(limit: 1) { id } }' });
  const ready = async () => (await fetch(`${service.url}/readyz`)).status;

  test('the update that met it has an unknown outcome; all is well, and it is there once, when Neo4j is back', async () => {
    expect((await update('before')).result.success).toBe(true);
    disk?.fill();
    let met: Answer<UpdateResult> | undefined;
    let key = '';
    for (let sent = 0; met?.error === undefined; sent++) {
      key = `${sent}`;
      met = await update(key);
      expect(sent).toBeLessThan(40);
    }
    expect(met.error).toMatchObject({ code: -32011, data: { reason: 'outcome-unknown', retryable: true } });
    const unavailable = (code: number) => ({ code, data: { reason: 'database-unavailable', retryable: true } });
    expect((await update('after')).error).toMatchObject(unavailable(-32011));
    expect((await query()).error).toMatchObject(unavailable(-32010));
    expect([await ready(), (await fetch(`${service.url}/healthz`)).status]).toEqual([503, 200]);

    disk?.free();
    await server.close();
    server = await startServer();
    for (const until = Date.now() + 120_000; (await ready()) !== 200 && Date.now() < until; ) await sleep(100);
    expect(await ready()).toBe(200);
    expect((await update(key)).result).toMatchObject({ success: true, statementsAffected: size });
    const database = new Database({ ...server, database: 'neo4j' });
    const [stored] = await database.run('READ', 'MATCH (u:Update {idempotencyKey: $key}) RETURN count(u) AS updates', {
      key,
    });
    await database.close();
    expect(stored).toEqual({ updates: 1 });
    expect((await query()).error).toBeUndefined();
  });
});

afterAll(() => {
  disk?.unmount();
  rmSync(directory, { recursive: true, force: true });
});
