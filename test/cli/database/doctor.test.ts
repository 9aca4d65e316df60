import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readConfig } from '../../../src/config/config.ts';
import { isAccepted, retryUntil } from '../../../src/neo4jServer/bolt.ts';
import { jarDirectory } from '../../../src/neo4jServer/jars.ts';
import { launchNeo4j } from '../../../src/neo4jServer/launch.ts';
import { isRunning, type ProcessRecord, stopProcess } from '../../../src/neo4jServer/processes.ts';
import { type Neo4jServer, startNeo4j } from '../../../src/neo4jServer/server.ts';
import { ownDataDirectory } from '../../support/ownNeo4j.ts';
import { Command, concord } from '../command.ts';

let directory: string;
let server: Neo4jServer;
let loose: ProcessRecord | undefined;

const settings = () => ({
  DATA_DIR: directory,
  NEO4J_URI: '',
  NEO4J_USER: '',
  NEO4J_PASSWORD: '',
  NEO4J_SERVER: 'embedded',
  NEO4J_BOLT_PORT: '0',
  NEO4J_HTTP_PORT: '0',
  NEO4J_HEAP: '512m',
});
const asOther = () => ({ ...settings(), NEO4J_URI: server.uri, NEO4J_PASSWORD: server.password });

beforeAll(async () => {
  directory = ownDataDirectory();
  server = await startNeo4j(readConfig(settings()), () => {});
}, 120_000);
afterAll(async () => {
  if (loose) await stopProcess(loose, 30_000);
  await server.close();
  rmSync(directory, { recursive: true, force: true });
});

/** No Concord has been started on it yet. */
const notSeen = 'not seen: edits by hand: no trigger of Concord is installed; start Concord';

/** The same Neo4j again, as somebody else might have set it up. */
async function loosen(): Promise<ProcessRecord> {
  await server.close();
  const home = join(directory, 'neo4j');
  const file = join(home, 'conf', 'neo4j.conf');
  const kept = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => !/allow_csv|procedures|blocklist|transaction\.(timeout|max)/.test(line));
  writeFileSync(file, [...kept, 'dbms.security.procedures.unrestricted=apoc.*'].join('\n'));
  const launched = await launchNeo4j({
    java: 'java',
    jars: jarDirectory(home),
    home,
    heap: '512m',
    environment: process.env,
  });
  const answers = () => isAccepted(server.uri, server.user, server.password);
  await retryUntil(answers, 60_000, () => !isRunning(launched));
  return launched;
}

test("all is tight in Concord's own Neo4j, also for who comes by its address", async () => {
  for (const env of [settings(), asOther()]) {
    const { code, printed, said } = await concord(['doctor'], { env });
    expect([code, said]).toEqual([0, '']);
    const lines = printed.trim().split('\n');
    expect(lines).toHaveLength(8);
    expect(lines.filter((line) => !line.startsWith('tight: '))).toEqual([notSeen]);
  }
});

test('what is loose in another Neo4j is told with what to set, by the doctor and at the start', async () => {
  loose = await loosen();
  const expected = [
    'tight: dbms.security.auth_enabled is true',
    'loose: dbms.security.allow_csv_import_from_file_urls is true: LOAD CSV reads files of the server; ' +
      'set dbms.security.allow_csv_import_from_file_urls=false in neo4j.conf and restart Neo4j',
    expect.stringMatching(/^loose: dbms.security.procedures.allowlist is \*: .*; set .*=apoc.version,apoc/),
    expect.stringMatching(
      /^loose: dbms.security.procedures.unrestricted is apoc.\*: .*; set .*unrestricted=apoc.trigger.install,.* in/,
    ),
    expect.stringMatching(/^loose: internal.dbms.cypher_ip_blocklist: .*; set .*=0.0.0.0\/0,::\/0 in/),
    expect.stringMatching(/^loose: db.transaction.timeout is 0s: .*; set .*=10m in/),
    expect.stringMatching(/^loose: db.memory.transaction.max is 0B: .*; set .*=256m in/),
  ];
  const env = asOther();
  const told = await concord(['doctor'], { env });
  expect([told.code, told.printed.trim().split('\n')]).toEqual([1, [...expected, notSeen]]);

  const asJson = await concord(['doctor', '--json'], { env });
  expect(asJson.code).toBe(1);
  expect(JSON.parse(asJson.printed).settings).toContainEqual({
    setting: 'db.transaction.timeout',
    state: 'loose',
    value: '0s',
    wanted: '10m',
    risk: 'a query may run for ever',
  });

  const start = new Command(['start'], { env: { ...env, PORT: '0', LOG_LEVEL: 'info' } });
  const warnings: string[] = [];
  for await (const line of createInterface(start.child.stdout as NodeJS.ReadableStream)) {
    const { level, msg } = JSON.parse(line);
    if (level === 'warn') warnings.push(msg);
    if (/Concord is ready/.test(msg)) break;
  }
  start.child.kill('SIGTERM');
  await once(start.child, 'exit');
  expect(warnings).toEqual(expected.slice(1));
});

test('where no Neo4j answers it says so', async () => {
  const env = { ...settings(), NEO4J_URI: 'bolt://127.0.0.1:1' };
  const { code, said } = await concord(['doctor'], { env });
  expect([code, said]).toEqual([1, expect.stringContaining('No Neo4j answers at bolt://127.0.0.1:1')]);
});

test('its help tells how it looks, and what it ends with', async () => {
  const { code, printed } = await concord(['doctor', '--help']);
  expect([code, printed]).toEqual([0, expect.stringMatching(/SHOW SETTING[\s\S]*192\.0\.2\.1[\s\S]*ends with 1/)]);
});
