import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import neo4j from 'neo4j-driver';
import { readConfig } from '../../../src/config/config.ts';
import { withDriver } from '../../../src/graph/server/bolt.ts';
import { recall } from '../../../src/graph/server/running.ts';
import { type Neo4jServer, startNeo4j } from '../../../src/graph/server/server.ts';

// One data directory for all, with a space in its name; the tests follow one another on it.
let directory: string;
let home: string;
let server: Neo4jServer | undefined;
const lines: string[] = [];

beforeAll(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'concord-embedded-')), 'a b');
  home = join(directory, 'neo4j');
});
afterAll(async () => {
  await server?.close();
  rmSync(join(directory, '..'), { recursive: true, force: true });
});

const settings = () => ({
  DATA_DIR: directory,
  NEO4J_SERVER: 'embedded',
  NEO4J_BOLT_PORT: '0',
  NEO4J_HTTP_PORT: '0',
  NEO4J_HEAP: '512m',
});

function start(more: Record<string, string> = {}): Promise<Neo4jServer> {
  return startNeo4j(readConfig({ ...settings(), ...more }), (line) => lines.push(line));
}

async function query(cypher: string, { uri, user, password } = server as Neo4jServer): Promise<unknown[]> {
  const auth = neo4j.auth.basic(user, password);
  const { records } = await withDriver(uri, auth, (driver) => driver.executeQuery(cypher));
  return records.map((record) => record.toObject());
}

describe('the embedded Neo4j', () => {
  it('starts on a new data directory, with APOC and Neo4j Browser', async () => {
    server = await start();
    expect(server).toMatchObject({ kind: 'embedded', user: 'neo4j' });
    expect(server.uri).toMatch(/^bolt:\/\/127\.0\.0\.1:\d+$/);
    expect(lines).toContain('Starting Neo4j');
    expect(
      await query(
        "RETURN apoc.version() AS version, apoc.date.convertFormat('2020-01-01', 'date', 'basic_date') AS date",
      ),
    ).toEqual([{ version: '5.26.19', date: '20200101' }]);
    const browser = await fetch(server.browserUrl ?? '');
    expect(browser.status).toBe(200);
    await query("CREATE (:Entity {id: 'kept'})");
  });

  it('runs triggers of APOC', async () => {
    const { uri, user, password } = server as Neo4jServer;
    const trigger = 'UNWIND $createdNodes AS node SET node.by = $metaData.app';
    await withDriver(uri, neo4j.auth.basic(user, password), async (driver) => {
      const install = "CALL apoc.trigger.install('neo4j', 'mark', $trigger, {phase: 'before'})";
      await driver.executeQuery(install, { trigger }, { database: 'system' });
      const session = driver.session();
      const create = () =>
        session.executeWrite((tx) => tx.run('CREATE (n:Marked)'), { metadata: { app: 'test' } });
      for (let marked = 0; marked === 0; ) {
        await create();
        const { records } = await session.run("MATCH (n:Marked {by: 'test'}) RETURN toFloat(count(n)) AS n");
        marked = records[0]?.get('n') ?? 0;
      }
      await session.close();
      await driver.executeQuery("CALL apoc.trigger.drop('neo4j', 'mark')", {}, { database: 'system' });
    });
  });

  it('lets nobody in without the password, which only its owner can read', async () => {
    const { uri, password } = server as Neo4jServer;
    expect(readFileSync(join(home, 'password'), 'utf8').trim()).toBe(password);
    expect(statSync(join(home, 'password')).mode & 0o777).toBe(0o600);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    for (const guess of ['neo4j', '']) {
      const visitor = { uri, user: 'neo4j', password: guess } as Neo4jServer;
      await expect(query('RETURN 1', visitor)).rejects.toThrow('unauthorized');
    }
  });

  it('is not started twice on the same data', async () => {
    await expect(start()).rejects.toThrow(`is in use by the Concord process ${process.pid}. Set DATA_DIR`);
    expect(await query('RETURN 1 AS one')).toHaveLength(1);
  });

  it('stops when it is closed, and keeps data and password for the next start', async () => {
    const first = server as Neo4jServer;
    await Promise.all([first.close(), first.close()]);
    await expect(query('RETURN 1', first)).rejects.toThrow('ECONNREFUSED');
    expect(existsSync(join(home, 'running.json'))).toBe(false);
    lines.length = 0;
    server = await start({ NEO4J_PASSWORD: 'of no use by now' });
    expect(lines.filter((line) => line.includes('Maven'))).toEqual([]);
    expect(server.password).toBe(first.password);
    expect(lines.at(-1)).toContain('NEO4J_PASSWORD is not used');
    expect(await query("MATCH (e:Entity {id: 'kept'}) RETURN e.id AS id")).toEqual([{ id: 'kept' }]);
  });

  it('accepts by NEO4J_PASSWORD a password that was changed in Neo4j', async () => {
    const { uri, user, password } = server as Neo4jServer;
    await withDriver(uri, neo4j.auth.basic(user, password), (driver) =>
      driver.executeQuery(
        'ALTER CURRENT USER SET PASSWORD FROM $password TO $changed',
        { password, changed: 'changed by an analyst' },
        { database: 'system' },
      ),
    );
    await server?.close();
    await expect(start()).rejects.toThrow(`Neo4j refuses the password in ${join(home, 'password')}.`);
    server = await start({ NEO4J_PASSWORD: 'changed by an analyst' });
    expect(await query('RETURN 1 AS one')).toHaveLength(1);
    await server.close();
  });

  it('is taken over when its Concord was killed', async () => {
    const owner = await ownerInAnotherProcess();
    const before = recall(home);
    await expect(start()).rejects.toThrow(`is in use by the Concord process ${owner.pid}.`);
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    lines.length = 0;
    server = await start();
    expect(lines).toEqual([
      `Taking over Neo4j, process ${before?.process.pid}, which an earlier Concord has left running`,
    ]);
    expect(server.uri).toBe(`bolt://127.0.0.1:${before?.ports.bolt}`);
    expect(await query("MATCH (e:Entity {id: 'kept'}) RETURN e.id AS id")).toEqual([{ id: 'kept' }]);
    await server.close();
    await expect(query('RETURN 1')).rejects.toThrow('ECONNREFUSED');
  });

  it('tells why it ended when it ends while it starts', async () => {
    await expect(start({ NEO4J_HEAP: '1m' })).rejects.toThrow(
      `Neo4j ended while it started: Too small maximum heap (all of it: ${join(home, 'logs', 'console.log')})`,
    );
    expect(existsSync(join(home, 'running.json'))).toBe(false);
  });

  it('takes no password that Neo4j would not take', async () => {
    const another = join(directory, 'another');
    await expect(start({ DATA_DIR: another, NEO4J_PASSWORD: 'short' })).rejects.toThrow(
      'NEO4J_PASSWORD is too short',
    );
  });
});

/** A process that has started the embedded Neo4j and waits. */
async function ownerInAnotherProcess() {
  const url = (path: string) => JSON.stringify(new URL(`../../../src/${path}`, import.meta.url).href);
  const script = `
    const { readConfig } = await import(${url('config/config.ts')});
    const { startNeo4j } = await import(${url('graph/server/server.ts')});
    await startNeo4j(readConfig(${JSON.stringify(settings())}), () => {});
    console.log('ready');
    setInterval(() => {}, 1000);`;
  const options = ['--import', 'tsx', '--input-type=module', '-e', script];
  const owner = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'], env: process.env });
  await Promise.race([once(owner.stdout, 'data'), once(owner, 'exit')]);
  return owner;
}
