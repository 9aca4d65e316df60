import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import neo4j from 'neo4j-driver';
import { readConfig } from '../../src/config/config.ts';
import { withDriver } from '../../src/neo4jServer/bolt.ts';
import { recall } from '../../src/neo4jServer/running.ts';
import { type Neo4jServer, startNeo4j } from '../../src/neo4jServer/server.ts';

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
    const phases = lines.filter((line) => /^Starting Neo4j: .* \(\d+\.\d s\)$/.test(line));
    // It may be quicker than it is looked at.
    expect(phases.length).toBeGreaterThanOrEqual(3);
    expect(phases.at(-1)).toContain('all of it has started');
    expect(lines.at(-1)).toMatch(/^Neo4j is ready at bolt:.*, after \d+\.\d s$/);
    expect(
      await query(
        "RETURN apoc.version() AS version, apoc.date.convertFormat('2020-01-01', 'date', 'basic_date') AS date",
      ),
    ).toEqual([{ version: '5.26.19', date: '20200101' }]);
    const browser = await fetch(server.browserUrl ?? '');
    expect(browser.status).toBe(200);
    await query("CREATE (:Entity {id: 'kept'})");
  });

  it.each([
    ["LOAD CSV FROM 'file:///etc/hostname' AS line RETURN line", /allow_csv_import_from_file_urls' is false/],
    ["LOAD CSV FROM 'http://127.0.0.1:1/' AS line RETURN line", /blocked via .*cypher_ip_blocklist/],
    ["LOAD CSV FROM 'https://192.0.2.1/' AS line RETURN line", /blocked via .*cypher_ip_blocklist/],
    ["LOAD CSV FROM 'ftp://localhost:1/' AS line RETURN line", /blocked via .*cypher_ip_blocklist/],
    ["LOAD CSV FROM 'http://[::1]:1/' AS line RETURN line", /blocked via .*cypher_ip_blocklist/],
    ["LOAD CSV FROM 'http://[2001:db8::1]/' AS line RETURN line", /blocked via .*cypher_ip_blocklist/],
    ["CALL apoc.load.json('http://127.0.0.1:1/')", /no procedure/],
    ["CALL apoc.load.json('file:///etc/hostname')", /no procedure/],
    ["CALL apoc.cypher.run('RETURN 1 AS one', {})", /no procedure/],
    ["CALL apoc.export.csv.all('all.csv', {})", /no procedure/],
    ['CALL apoc.util.sleep(1)', /no procedure/],
    ["RETURN apoc.cypher.runFirstColumnSingle('RETURN 1', {}) AS one", /Unknown function/],
  ])('keeps its own user from files, addresses and text that runs text: %s', async (cypher, message) => {
    await expect(query(cypher)).rejects.toThrow(message);
  });

  it("has of plugins what Concord calls, and nothing else; Neo4j's own procedures cannot be taken away", async () => {
    const functions = 'SHOW FUNCTIONS YIELD name, isBuiltIn WHERE NOT isBuiltIn RETURN name ORDER BY name';
    expect(await query(functions)).toEqual([{ name: 'apoc.date.convertFormat' }, { name: 'apoc.version' }]);
    const procedures = "SHOW PROCEDURES YIELD name RETURN DISTINCT split(name, '.')[0] AS space ORDER BY space";
    expect(await query(procedures)).toEqual([{ space: 'apoc' }, { space: 'db' }, { space: 'dbms' }, { space: 'tx' }]);
    const ofPlugins = "SHOW PROCEDURES YIELD name WHERE name STARTS WITH 'apoc.' RETURN name ORDER BY name";
    expect(await query(ofPlugins)).toEqual([
      { name: 'apoc.trigger.drop' },
      { name: 'apoc.trigger.install' },
      { name: 'apoc.trigger.list' },
      { name: 'apoc.trigger.show' },
      { name: 'apoc.util.validate' },
    ]);
  });

  it('ends a query that brings no limit of its own, and one that takes too much memory', async () => {
    const settings = await query(
      "SHOW SETTINGS 'db.transaction.timeout', 'db.memory.transaction.max' YIELD name, value RETURN value ORDER BY name",
    );
    expect(settings).toEqual([{ value: '256.00MiB' }, { value: '10m' }]);
    const large = 'UNWIND range(1, 100000000) AS n RETURN size(collect([n, toString(n)])) AS size';
    await expect(query(large)).rejects.toThrow('db.memory.transaction.max');
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

  it('is not taken over, but started anew, when it runs with other settings than it would be given', async () => {
    const owner = await ownerInAnotherProcess();
    const before = recall(home);
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    appendFileSync(join(home, 'conf', 'neo4j.conf'), 'dbms.security.procedures.unrestricted=apoc.*\n');
    lines.length = 0;
    server = await start();
    expect(lines[0]).toBe(
      `Stopping Neo4j, process ${before?.process.pid}, which an earlier Concord has left running, to start it anew`,
    );
    expect(await query("SHOW SETTINGS 'dbms.security.procedures.unrestricted' YIELD value")).toEqual([
      { value: 'apoc.trigger.install,apoc.trigger.drop,apoc.trigger.show,apoc.trigger.list' },
    ]);
    await server.close();
  });

  it('tells why it ended when it ends while it starts', async () => {
    await expect(start({ NEO4J_HEAP: '1m' })).rejects.toThrow(
      `Neo4j ended while it started: Too small maximum heap (all of it: ${join(home, 'logs', 'console.log')})`,
    );
    expect(existsSync(join(home, 'running.json'))).toBe(false);
  });

  it('takes no password that Neo4j would not take', async () => {
    const another = join(directory, 'another');
    await expect(start({ DATA_DIR: another, NEO4J_PASSWORD: 'short' })).rejects.toThrow('NEO4J_PASSWORD is too short');
  });
});

/** A process that has started the embedded Neo4j and waits. */
async function ownerInAnotherProcess() {
  const url = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
  const script = `
    const { readConfig } = await import(${url('config/config.ts')});
    const { startNeo4j } = await import(${url('neo4jServer/server.ts')});
    await startNeo4j(readConfig(${JSON.stringify(settings())}), () => {});
    console.log('ready');
    setInterval(() => {}, 1000);`;
  const options = ['--import', 'tsx', '--input-type=module', '-e', script];
  const owner = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'], env: process.env });
  await Promise.race([once(owner.stdout, 'data'), once(owner, 'exit')]);
  return owner;
}
