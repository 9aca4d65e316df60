import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { readConfig } from '../../src/config/config.ts';
import { retryUntil } from '../../src/neo4jServer/bolt.ts';
import { findTools } from '../../src/neo4jServer/embedded.ts';
import { createHome } from '../../src/neo4jServer/home.ts';
import { provideJars } from '../../src/neo4jServer/jars.ts';
import { launchNeo4j } from '../../src/neo4jServer/launch.ts';
import { keepPassword, logIn, user } from '../../src/neo4jServer/password.ts';
import { choosePorts } from '../../src/neo4jServer/ports.ts';
import { stopProcess } from '../../src/neo4jServer/processes.ts';
import { writeSettings } from '../../src/neo4jServer/settings.ts';
import { ownDataDirectory } from './ownNeo4j.ts';
import type { Neo4jSettings } from './service.ts';

/** What an operator's own Neo4j may have opened that the one of Concord keeps closed. */
const opened: Record<string, string> = {
  'dbms.security.allow_csv_import_from_file_urls': 'true',
  'dbms.security.procedures.allowlist': 'apoc.*',
  'dbms.security.procedures.unrestricted': 'apoc.*',
};

/**
 * Starts a Neo4j as an operator may run it, that reads files and lets everybody call all of APOC, on new data, and stops
 * it behind the tests of a file.
 * @returns where it is; filled before the tests begin
 */
export function useOpenNeo4j(): Neo4jSettings {
  const settings = {} as Neo4jSettings;
  const directory = ownDataDirectory();
  const home = createHome(readConfig({ DATA_DIR: directory }));
  let stop: () => Promise<unknown> = async () => {};
  beforeAll(async () => {
    const config = readConfig({ DATA_DIR: directory, NEO4J_BOLT_PORT: '0', NEO4J_HTTP_PORT: '0', NEO4J_HEAP: '512m' });
    const tools = await findTools(config, process.env);
    if (tools.missing !== undefined) throw new Error(tools.missing);
    const jars = await provideJars(home, tools, () => {});
    const ports = await choosePorts(config);
    await writeSettings(home, jars, ports, config.NEO4J_HEAP);
    open(join(home, 'conf', 'neo4j.conf'));
    const child = await launchNeo4j({ ...tools, jars, home, heap: config.NEO4J_HEAP, flags: [] });
    stop = () => stopProcess(child, 30_000);
    const uri = `bolt://127.0.0.1:${ports.bolt}`;
    const kept = keepPassword(home, undefined);
    const password = await retryUntil(
      () => logIn(home, uri, kept, undefined),
      120_000,
      () => false,
    );
    if (password === undefined) throw new Error('The open Neo4j did not start');
    Object.assign(settings, { NEO4J_URI: uri, NEO4J_USER: user, NEO4J_PASSWORD: password });
  });
  afterAll(async () => {
    await stop();
    rmSync(directory, { recursive: true, force: true });
  });
  return settings;
}

function open(file: string): void {
  const lines = readFileSync(file, 'utf8').split('\n');
  const isOpened = (line: string) => Object.keys(opened).some((name) => line.startsWith(`${name}=`));
  const kept = lines.filter((line) => !isOpened(line) && !line.includes('cypher_ip_blocklist'));
  writeFileSync(file, [...kept, ...Object.entries(opened).map(([name, value]) => `${name}=${value}`)].join('\n'));
}
