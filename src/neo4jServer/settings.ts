import { readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apocHardenings, hardenings } from './hardening.ts';
import type { Ports } from './ports.ts';

/** Writes Neo4j's and APOC's configuration files anew and puts APOC among the plugins. */
export async function writeSettings(home: string, jars: string, ports: Ports, heap: string): Promise<void> {
  await mkdir(join(home, 'conf'), { recursive: true });
  await writeFile(join(home, 'conf', 'neo4j.conf'), neo4jSettings(ports, heap));
  await writeFile(join(home, 'conf', 'apoc.conf'), lines(Object.entries(apocHardenings)));
  await installApoc(home, jars);
}

/** Whether a Neo4j was started with the settings that it would be given now: an older Concord may have had others. */
export function hasSettings(home: string, ports: Ports, heap: string): boolean {
  return readFileSync(join(home, 'conf', 'neo4j.conf'), 'utf8') === neo4jSettings(ports, heap);
}

function neo4jSettings({ bolt, http }: Ports, heap: string): string {
  return `# Written by Concord at each start; changes made here are lost.
server.bolt.listen_address=127.0.0.1:${bolt}
server.bolt.advertised_address=127.0.0.1:${bolt}
server.http.listen_address=127.0.0.1:${http}
server.http.advertised_address=127.0.0.1:${http}
server.https.enabled=false
# Neo4j spends this time twice when it stops, after the databases are closed.
internal.server.bolt.thread_pool_shutdown_wait_time=100ms
server.memory.pagecache.size=512m
dbms.usage_report.enabled=false
client.allow_telemetry=false
${lines(hardenings(heap).map(({ setting, value }) => [setting, value]))}`;
}

function lines(settings: [name: string, value: string][]): string {
  return settings.map(([name, value]) => `${name}=${value}\n`).join('');
}

/** Neo4j looks for procedures in its plugins; other plugins that an operator has put there stay. */
async function installApoc(home: string, jars: string): Promise<void> {
  const plugins = join(home, 'plugins');
  await mkdir(plugins, { recursive: true });
  const isApoc = (name: string) => name.startsWith('apoc-core-') && name.endsWith('.jar');
  for (const old of (await readdir(plugins)).filter(isApoc)) await rm(join(plugins, old));
  for (const jar of (await readdir(jars)).filter(isApoc)) await copyFile(join(jars, jar), join(plugins, jar));
}
