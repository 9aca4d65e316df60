import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readConfig, settingGroups } from '../../src/config/config.ts';
import { isSecretSetting } from '../../src/config/secretSetting.ts';
import { useFolder } from '../support/setUp.ts';

const folder = useFolder({ password: 'a password\n', empty: '\n', key: 'k'.repeat(32) });
const file = (name: string) => join(folder, name);

const settings = Object.values(settingGroups).flatMap((group) => Object.entries(group));
/** Addresses with their passwords, which have a form of their own (test/config/sources.test.ts, and below). */
const addresses = new Set(['RATE_LIMIT_STORE', 'SOURCES']);
const secrets = settings.flatMap(([name, schema]) => (isSecretSetting(schema) && !addresses.has(name) ? [name] : []));

test('every secret is taken out of its file, without the line break at its end', () => {
  writeFileSync(file('long'), `${'s'.repeat(40)}\r\n`);
  expect(secrets).toEqual(expect.arrayContaining(['NEO4J_PASSWORD', 'NEO4J_READER_PASSWORD', 'JWT_SECRET']));
  const config: Record<string, unknown> = readConfig(
    Object.fromEntries(secrets.map((name) => [`${name}_FILE`, file('long')])),
  );
  for (const name of secrets) expect([name, [config[name]].flat()]).toEqual([name, ['s'.repeat(40)]]);
  expect(readConfig({ NEO4J_PASSWORD_FILE: file('password') }).NEO4J_PASSWORD).toBe('a password');
});

test('the address of a store with its password is taken out of its file', () => {
  writeFileSync(file('store'), 'rediss://:a%20password@redis.example:6380\n');
  const { RATE_LIMIT_STORE: store } = readConfig({ RATE_LIMIT_STORE_FILE: file('store') });
  expect(store).toBe('rediss://:a%20password@redis.example:6380');
});

test('whatever is called a key, a secret or a password is a secret', () => {
  const called = settings.map(([name]) => name).filter((name) => /PASSWORD$|SECRET$|(?<!PUBLIC)_KEY$/.test(name));
  expect(called.sort()).toEqual([...secrets].sort());
});

test.each([
  ['both', { NEO4J_PASSWORD: 'a', NEO4J_PASSWORD_FILE: '' }, 'NEO4J_PASSWORD and NEO4J_PASSWORD_FILE are both set'],
  ['no such file', { MODEL_KEY_FILE: 'nowhere' }, 'MODEL_KEY_FILE: ENOENT'],
  ['an empty one', { JWT_SECRET_FILE: 'empty' }, 'is empty'],
  ['a bad secret', { SUPPRESSION_KEY_FILE: 'password' }, 'SUPPRESSION_KEY: has fewer than 32 characters'],
  ['what is no secret', { NEO4J_USER_FILE: 'password' }, 'NEO4J_USER_FILE: only secrets are read from a file'],
])('%s: the start says what is wrong, and never the secret', (_what, given, says) => {
  const paths = Object.entries(given).map(([name, value]) =>
    name.endsWith('_FILE') ? [name, file(value || 'password')] : [name, value],
  );
  const start = () => readConfig(Object.fromEntries(paths));
  expect(start).toThrow(says);
  expect(start).not.toThrow('a password');
});

test('an empty variable counts as absent, of a file too', () => {
  expect(readConfig({ NEO4J_PASSWORD: 'a', NEO4J_PASSWORD_FILE: '' }).NEO4J_PASSWORD).toBe('a');
});

test('a delay that no timer takes is refused: it would be none', () => {
  expect(readConfig({ DRAIN_DELAY_MS: '2147483647' }).DRAIN_DELAY_MS).toBe(2_147_483_647);
  for (const name of ['DRAIN_DELAY_MS', 'HEARTBEAT_MS', 'SHUTDOWN_MS', 'TASK_WATCH_MS'])
    expect(() => readConfig({ [name]: '2147483648' })).toThrow(name);
});
