import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { readConfig } from '../../src/config/config.ts';
import { startNeo4j } from '../../src/neo4jServer/server.ts';
import { lastingPort } from '../support/ports.ts';
import { neo4jSettings } from '../support/service.ts';

let door: Server | undefined;
afterEach(() => void door?.close());

/** Opens a port behind which the tests' Neo4j is. */
function openDoor(port: number): void {
  const { hostname, port: target } = new URL(neo4jSettings.NEO4J_URI);
  const join = (from: Socket) => {
    const to = connect(Number(target), hostname);
    from.pipe(to).pipe(from);
    for (const end of [from, to]) end.on('error', () => {});
  };
  door = createServer(join).listen(port, '127.0.0.1');
}

test('a Neo4j that is away at the start is waited for, with a line every five seconds', async () => {
  const port = await lastingPort();
  const said: string[] = [];
  const uri = `bolt://127.0.0.1:${port}`;
  const starting = startNeo4j(readConfig({ ...neo4jSettings, NEO4J_URI: uri }), (line) => said.push(line));
  await sleep(6_500);
  openDoor(port);
  const server = await starting;
  await server.close();
  expect(said).toHaveLength(2);
  expect(said[0]).toContain(`No Neo4j answers at ${uri}: `);
  expect(said[1]).toMatch(/Waiting for it, 5\d s at most \(NEO4J_WAIT_MS\)$/);
});

test('it is given up after NEO4J_WAIT_MS, and a wrong password at once', async () => {
  const started = Date.now();
  const away = readConfig({ NEO4J_URI: 'bolt://127.0.0.1:1', NEO4J_WAIT_MS: '1500' });
  await expect(startNeo4j(away, () => {})).rejects.toThrow('No Neo4j answers at bolt://127.0.0.1:1');
  expect(Date.now() - started).toBeGreaterThanOrEqual(1_500);
  const said: string[] = [];
  const wrong = readConfig({ ...neo4jSettings, NEO4J_PASSWORD: 'not the password' });
  await expect(startNeo4j(wrong, (line) => said.push(line))).rejects.toThrow('refuses user');
  expect(said).toEqual([]);
});

test('SIGTERM ends a start that waits at once, with a line and without a fault', async () => {
  const child = spawn(process.execPath, ['dist/main.js'], {
    env: { ...process.env, ...neo4jSettings, PORT: '0', NEO4J_URI: 'bolt://127.0.0.1:1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  const waits = new Promise<void>((resolve) => {
    child.stderr.on('data', (data) => {
      said += data;
      if (said.includes('Waiting for it')) resolve();
    });
  });
  await waits;
  const asked = Date.now();
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
  expect(Date.now() - asked).toBeLessThan(3_000);
  expect(said).toContain('concord: stopped by SIGTERM while it started');
  expect(said).not.toMatch(/\n +at /);
});
