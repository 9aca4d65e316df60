import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { Command } from 'commander';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { addAuditCommand } from '../../src/cli/database/audit.ts';
import { connectDatabase } from '../../src/cli/database/database.ts';
import { readConfig } from '../../src/config/config.ts';
import { verifyTrail } from '../../src/graph/audit/trailCheck.ts';
import { bearerOf, identities } from '../support/identities.ts';
import { add, schemaOrg } from '../support/patches.ts';
import { call, neo4jSettings, startServiceOnGraph } from '../support/service.ts';
import { useDatabase, useFolder, useService } from '../support/setUp.ts';

const service = useService({ ...identities, AUDIT: 'all' });
const database = useDatabase();
const folder = useFolder();
const trace = '0af7651916cd43dd8448eb211c80319c';
const who = (tenant: string, sub: string, scope?: string) => ({
  ...bearerOf({ tenant, sub, ...(scope !== undefined && { scope }) }),
  traceparent: `00-${trace}-b7ad6b7169203331-01`,
});
const update = (id: string) => ({ mutations: [add(id, `${schemaOrg}name`, 'x', { type: `${schemaOrg}City` })] });
const query = { queryLanguage: 'graphql', query: '{ __typename }' };

let printed: string[] = [];
afterAll(() => {
  process.exitCode = 0;
});

async function audit(...words: string[]): Promise<string[]> {
  printed = [];
  const program = new Command('concord').exitOverride();
  addAuditCommand(program, {
    connect: () => connectDatabase(readConfig(neo4jSettings)),
    print: (line) => printed.push(line),
    say: () => {},
  });
  await program.parseAsync(['audit', ...words], { from: 'user' });
  return printed;
}

/** A trail writes four times a second; on a busy machine each look takes longer, too. */
const mostLooks = 200;

/** The entries of a tenant once there are so many, or those that there are after many looks; strangers' come later. */
async function entriesOf(tenant: string, count: number): Promise<Record<string, unknown>[]> {
  for (let looks = 1; ; looks++) {
    const rows = await database.run<{ entry: Record<string, unknown> }>(
      'READ',
      'MATCH (e:AuditEntry {tenant: $tenant}) RETURN e {.*} AS entry ORDER BY e.at, e.chain, e.sequence',
      { tenant },
    );
    if (rows.length >= count || looks === mostLooks) return rows.map(({ entry }) => entry);
    await sleep(50);
  }
}

const matches = (entry: Record<string, unknown>, expected: Record<string, unknown>) =>
  Object.entries(expected).every(([name, value]) => entry[name] === value);

test('who does what, from where, with which verdict and in which trace, reads and refusals too', async () => {
  const nora = who('north', 'nora');
  await call(service.url, 'knowledge/update', update('urn:audit:a'), nora);
  await call(service.url, 'knowledge/query', query, nora);
  await call(service.url, 'knowledge/update', update('urn:audit:b'), who('north', 'rita', 'knowledge:query'));
  await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...nora },
    body: JSON.stringify({ query: '{ __typename }' }),
  });
  const from = { tenant: 'north', address: '127.0.0.1', traceId: trace };
  const entries = await entriesOf('north', 5);
  expect(entries).toHaveLength(5);
  expect(entries).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ what: 'update', verdict: 'applied', agent: 'nora', traceId: trace, revision: 1 }),
      expect.objectContaining({ ...from, what: 'knowledge/update', verdict: 'ok', agent: 'nora' }),
      expect.objectContaining({ ...from, what: 'knowledge/query', verdict: 'ok', agent: 'nora' }),
      expect.objectContaining({ ...from, what: 'knowledge/update', reason: 'missing-scope', agent: 'rita' }),
      expect.objectContaining({ ...from, what: 'graphql', verdict: 'ok', agent: 'nora' }),
    ]),
  );
});

test('subscriptions of GraphQL too, over a socket and as an event stream, and those that are refused', async () => {
  const asked = { query: 'subscription { statementChanged { op } }' };
  const url = `${service.url.replace('http', 'ws')}/graphql`;
  const lent = { webSocketImpl: WebSocket, retryAttempts: 0 };
  const [wes, wim] = ['wes', 'wim'].map((sub) => who('west', sub, sub === 'wes' ? undefined : 'knowledge:query'));
  const sockets = [wes, wim].map((connectionParams) => createClient({ url, ...lent, connectionParams }));
  const [stands, refused] = sockets.map((socket) =>
    socket
      .iterate(asked)
      .next()
      .catch((error) => error),
  );
  expect(await refused).toMatchObject([{ extensions: { reason: 'missing-scope' } }]);
  for (const headers of [wes, wim]) {
    const sent = { 'content-type': 'application/json', accept: 'text/event-stream', ...headers };
    const stream = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: sent,
      body: JSON.stringify(asked),
    });
    await stream.body?.cancel();
  }
  const entries = await entriesOf('west', 4);
  await Promise.all(sockets.map((socket) => socket.dispose()));
  await stands;
  const told = { what: 'graphql subscription', address: '127.0.0.1' };
  const count = (further: object) => entries.filter((entry) => matches(entry, { ...told, ...further })).length;
  expect(count({ verdict: 'ok', agent: 'wes' })).toBe(2);
  expect(count({ reason: 'missing-scope', agent: 'wim' })).toBe(2);
});

test('tenants are apart: each has chains of its own, and no query reaches an entry', async () => {
  await call(service.url, 'knowledge/update', update('urn:audit:c'), who('south', 'sam'));
  const chains = new Set((await entriesOf('south', 2)).map(({ chain }) => chain));
  const others = (await entriesOf('north', 5)).map(({ chain }) => chain);
  expect(others.filter((chain) => chains.has(chain))).toEqual([]);
  const cypher = { ...query, queryLanguage: 'cypher' };
  const local = await startServiceOnGraph({ CYPHER: 'true', ...identities });
  try {
    const labels = ['AuditEntry', 'AuditChain', 'Entity'];
    for (const [index, label] of labels.entries()) {
      const asked = { ...cypher, query: `MATCH (n:${label}) RETURN count(n) AS n` };
      const { result } = await call(local.url, 'knowledge/query', asked, who('south', 'sam'));
      // Of what is no entity there is nothing.
      expect(JSON.stringify(result.data)).toContain(`"n":${index === 2 ? 1 : 0}`);
    }
  } finally {
    await local.close();
  }
});

test('strangers become one entry for each reason and address, however many they are', async () => {
  const other = await startServiceOnGraph({ ...identities, AUDIT: 'writes' });
  for (let times = 0; times < 30; times++) await call(other.url, 'knowledge/query', query);
  await call(other.url, 'knowledge/query', query, who('east', 'eva'));
  // A replica that is stopped writes what it has.
  await other.close();
  const [entry, ...more] = await entriesOf('', 1);
  expect(entry).toMatchObject({ what: 'unknown', reason: 'missing', address: '127.0.0.1', count: 30 });
  expect(entry).not.toHaveProperty('agent');
  expect(more).toEqual([]);
  // Reads are not in this one's trail.
  const east = await database.run('READ', "MATCH (e:AuditEntry {tenant: 'east'}) RETURN e");
  expect(east).toEqual([]);
});

test('the trail is verified and exported by the command, and the next chain is begun behind the ones there are', async () => {
  expect(await audit('verify', '--heads', join(folder, 'heads.json'))).toEqual([
    expect.stringMatching(/^\d+ entries in \d+ chains, all as they were written$/),
  ]);
  expect(process.exitCode).toBe(0);
  const lines = (await audit('export', '--tenant', 'north')).map((line) => JSON.parse(line));
  expect(lines).toContainEqual(expect.objectContaining({ what: 'update', agent: 'nora', hash: expect.any(String) }));
  expect(lines.every(({ tenant, at }) => tenant === 'north' && !Number.isNaN(Date.parse(at)))).toBe(true);
  expect(await audit('export', '--since', '2999-01-01')).toEqual([]);
  await expect(audit('export', '--since', 'soon')).rejects.toThrow('--since soon is no time');
  const [event] = (await audit('export', '--format', 'ocsf', '--tenant', 'south')).map((line) => JSON.parse(line));
  expect(event).toMatchObject({
    class_uid: 6003,
    type_uid: 600303,
    status_id: 1,
    actor: { user: { uid: 'sam' } },
    metadata: { tenant_uid: 'south', product: { name: 'Concord' } },
  });
  await database.run('WRITE', "MATCH (e:AuditEntry {tenant: 'north', agent: 'rita'}) SET e.reason = 'none'");
  expect((await audit('verify')).join()).toMatch(/changed: chain .*, entry \d+/);
  expect(process.exitCode).toBe(1);
  expect((await verifyTrail(database)).faults).toHaveLength(1);
  writeFileSync(join(folder, 'faulty.json'), '{}');
  await expect(audit('verify', '--heads', join(folder, 'faulty.json'))).rejects.toThrow('holds no ends of chains');
});
