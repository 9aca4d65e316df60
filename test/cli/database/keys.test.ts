import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Command } from 'commander';
import { connectDatabase } from '../../../src/cli/database/database.ts';
import { addKeysCommand } from '../../../src/cli/database/keys.ts';
import { readConfig } from '../../../src/config/config.ts';
import { ApiKeyStore } from '../../../src/security/apiKeyStore.ts';
import { apiKeyVerifier } from '../../../src/security/apiKeyVerifier.ts';
import { neo4jSettings, testDatabase } from '../../support/service.ts';

const database = testDatabase();
const tenant = `tenant-${randomUUID()}`;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'concord-keys-'));
});
afterAll(async () => {
  await database.run('WRITE', 'MATCH (k:ApiKey {tenant: $tenant}) DELETE k', { tenant });
  await database.close();
  await rm(directory, { recursive: true });
});

/** Runs `concord keys …` as a shell would. */
async function keys(...words: string[]) {
  const [printed, said]: [string[], string[]] = [[], []];
  const program = new Command('concord').exitOverride().configureOutput({
    writeOut: (text) => printed.push(text),
    writeErr: (text) => said.push(text),
  });
  addKeysCommand(program, {
    connect: () => connectDatabase(readConfig(neo4jSettings)),
    print: (line) => printed.push(line),
    say: (line) => said.push(line),
  });
  const error = await program.parseAsync(['keys', ...words], { from: 'user' }).then(
    () => undefined,
    (thrown: Error) => thrown.message,
  );
  return { printed, said, error };
}

const grant = ['--tenant', tenant, '--agent', 'scout', '--scope', 'knowledge:query', 'knowledge:update'];

test('a key that is made is printed alone, and is good', async () => {
  const { printed, said } = await keys('create', ...grant);
  expect(printed).toHaveLength(1);
  expect(said.join('\n')).toMatch(/not shown again/);
  const principal = await apiKeyVerifier(new ApiKeyStore(database))(printed[0] ?? '');
  expect(principal).toEqual({
    tenant,
    agentId: 'scout',
    keyId: expect.any(String),
    scopes: new Set(['knowledge:query', 'knowledge:update']),
  });
});

test('as JSON, it is listed and revoked, and neither secret nor hash is shown again', async () => {
  const made = await keys('create', ...grant, '--graph', 'default', 'urn:g:a', '--json');
  const { key, ...rest } = JSON.parse(made.printed[0] ?? '');
  expect(rest).toMatchObject({ tenant, agentId: 'scout', graphs: ['default', 'urn:g:a'] });
  const listed = await keys('list', '--tenant', tenant, '--json');
  expect(JSON.parse(listed.printed[0] ?? '')).toContainEqual(rest);
  const revoked = await keys('revoke', rest.id, '--json');
  expect(JSON.parse(revoked.printed[0] ?? '').revokedAt).toMatch(/^\d{4}-/);
  const table = (await keys('list', '--tenant', tenant)).printed;
  expect(table[0]).toMatch(/^ID +TENANT +AGENT +SCOPES +GRAPHS/);
  expect(table.find((line) => line.startsWith(rest.id))).toMatch(/query,update +default,urn:g:a/);
  const shown = [listed, revoked]
    .flatMap(({ printed }) => printed)
    .concat(table)
    .join('\n');
  expect(shown).not.toContain(key.slice(-43));
  expect(shown).not.toContain('hash');
});

test.each([
  [['create', '--tenant', 'a', '--agent', 'b', '--scope', 'everything'], /Allowed choices are knowledge:query/],
  [['create', '--tenant', 'a', '--scope', 'knowledge:query'], /--agent <id>' not specified/],
  [['create', '--tenant', 'a', '--agent', ' ', '--scope', 'knowledge:query'], /not empty/],
  [['revoke', 'ffffffffffffffff'], /There is no key ffffffffffffffff/],
  [['revoke'], /missing required argument 'id'/],
])('%j: %s', async (words, message) => {
  expect((await keys(...words)).error).toMatch(message);
});

test('no keys, and what to do then', async () => {
  const { printed, said } = await keys('list', '--tenant', `${tenant}-none`);
  expect(printed).toEqual([]);
  expect(said.join('')).toMatch(/concord keys create/);
});

test('the help shows by example', async () => {
  const { printed } = await keys('--help');
  expect(printed.join('')).toMatch(/concord keys create --tenant default/);
});

test('where nothing runs it says what to do', async () => {
  const connecting = connectDatabase(readConfig({ DATA_DIR: directory }));
  await expect(connecting).rejects.toThrow(/Start Concord there first .* NEO4J_URI/);
});
