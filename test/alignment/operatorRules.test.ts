import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { StartupError } from '../../src/base/errors.ts';
import type { UpdateResult } from '../../src/knowledge/update/propose.ts';
import type { Service } from '../../src/service/startService.ts';
import { add, schemaOrg, world } from '../support/patches.ts';
import { call, emptyGraph, startServiceOnGraph } from '../support/service.ts';
import { useFolder } from '../support/setUp.ts';

const directory = useFolder();
let folder: string;
let service: Service | undefined;
let count = 0;

beforeAll(async () => {
  await emptyGraph();
});
beforeEach(() => {
  count += 1;
  folder = join(directory, String(count));
  mkdirSync(folder);
});
afterEach(async () => {
  await service?.close();
  service = undefined;
});

const header = (name: string, severity: string) =>
  `// rule: ${name}\n// severity: ${severity}\n// message: the message of the rule\n// on: update\n`;

const write = (file: string, text: string) => writeFileSync(join(folder, file), text);

/** Every statement of one predicate. */
const forbidden = (predicate: string) =>
  `UNWIND $patches AS patch WITH patch WHERE patch.op = 'add' AND patch.predicate = '${predicate}'
   RETURN patch.subject AS subject, patch.predicate AS predicate, patch.value AS object, null AS message;\n`;

const start = async () => {
  service = await startServiceOnGraph({ RULES: folder });
  return service.url;
};
const update = (url: string, mutations: object[]) =>
  call<UpdateResult>(url, 'knowledge/update', { mutations, sourceAgentId: 'atlas' });

test('what a rule forbids it forbids once more under the same idempotency key, and another update may have the key', async () => {
  write('secret.cypher', header('no-secrets', 'forbid') + forbidden('urn:p:secret'));
  const url = await start();
  const say = (predicate: string) =>
    call<UpdateResult>(url, 'knowledge/update', {
      mutations: [add('urn:k', predicate, 'b')],
      sourceAgentId: 'atlas',
      metadata: { idempotencyKey: 'forbidden-key' },
    });
  for (let time = 0; time < 2; time++)
    expect((await say('urn:p:secret')).error).toMatchObject({ code: -32013, data: { rule: 'no-secrets' } });
  expect((await say('urn:p:open')).result).toMatchObject({ success: true, statementsAffected: 1 });
});

test('a rule of severity forbid answers -32013 with its name, and nothing stays', async () => {
  write('secret.cypher', header('no-secrets', 'forbid') + forbidden('urn:p:secret'));
  const url = await start();
  const { error } = await update(url, [add('urn:f', 'urn:p:open', 'a'), add('urn:f', 'urn:p:secret', 'b')]);
  expect(error).toMatchObject({
    code: -32013,
    message: 'no-secrets: urn:f urn:p:secret b: the message of the rule',
    data: {
      reason: 'forbidden',
      rule: 'no-secrets',
      violations: [
        { rule: 'no-secrets', severity: 'forbid', subject: 'urn:f', predicate: 'urn:p:secret', object: 'b' },
      ],
    },
  });
  const { result } = await call<{ data: object }>(url, 'knowledge/query', {
    query: '{ entities(where: {id: {eq: "urn:f"}}) { id } }',
  });
  expect(result.data).toEqual({ entities: [] });
});

test('a rule of severity warn lets the update through and is told', async () => {
  write('warn.cypher', header('odd', 'warn') + forbidden('urn:p:odd'));
  const url = await start();
  const { result } = await update(url, [add('urn:w', 'urn:p:odd', 'a')]);
  expect(result).toMatchObject({
    success: true,
    statementsAffected: 1,
    verificationStatus: 'Verified',
    violations: [{ rule: 'odd', severity: 'warn', message: 'the message of the rule' }],
  });
});

test('what a rule returns as object may be a value of any type', async () => {
  write('warn.cypher', header('odd', 'warn') + forbidden('urn:p:odd'));
  const url = await start();
  const { result } = await update(url, [add('urn:w', 'urn:p:odd', 42)]);
  expect(result).toMatchObject({ success: true, statementsAffected: 1 });
});

test("an operator's rule takes the place of Concord's own of the same name", async () => {
  write('mine.cypher', header('functional-predicate', 'warn') + forbidden('urn:p:none'));
  const url = await start();
  const { result } = await update(url, [add('urn:o', `${world}code`, 'a'), add('urn:o', `${world}code`, 'b')]);
  expect(result).toMatchObject({ success: true, statementsAffected: 2 });
});

test('other files of the folder are left alone, and an empty folder is fine', async () => {
  write('README.md', 'not a rule');
  const url = await start();
  const { result } = await update(url, [add('urn:e', `${schemaOrg}name`, 'a')]);
  expect(result.success).toBe(true);
});

describe('the service does not start, and says in one line why, where a rule', () => {
  const columns = 'null AS subject, null AS predicate, null AS object, null AS message';
  test.each<[string, string, RegExp]>([
    ['writes', `${header('writes', 'warn')}CREATE (n:Bad) RETURN ${columns}`, /Rule writes: it writes/],
    [
      'writes in a procedure',
      `${header('writes', 'warn')}CALL db.createLabel('Bad') RETURN ${columns}`,
      /Rule writes: it writes/,
    ],
    ['is not Cypher', `${header('broken', 'warn')}SELECT * FROM rules`, /Rule broken: .*SELECT/],
    [
      'misses a column',
      `${header('short', 'warn')}RETURN null AS subject, null AS predicate, null AS object`,
      /Rule short: .*message/,
    ],
    ['is empty', header('empty', 'warn'), /Rule empty: /],
    ['names no severity', '// rule: a\n// message: m\n// on: update\nRETURN 1', /a\.cypher.*severity/],
    ['names an unknown severity', `${header('a', 'fatal')}RETURN 1`, /a\.cypher.*severity/],
    ['has a name with spaces', `${header('A rule', 'warn')}RETURN 1`, /a\.cypher.*hyphens/],
    ['is for another method', header('a', 'warn').replace('update', 'query'), /a\.cypher.*on/],
    ['has no header', `RETURN ${columns}`, /a\.cypher.*header/],
    [
      'ends its sub-query early',
      `${header('breakout', 'warn')}RETURN ${columns} } MATCH (n) DETACH DELETE n WITH 1 AS one CALL () { RETURN ${columns}`,
      /Rule breakout: /,
    ],
  ])('%s', async (_what, text, message) => {
    write('a.cypher', text);
    const failing = start();
    await expect(failing).rejects.toBeInstanceOf(StartupError);
    await expect(failing).rejects.toThrow(message);
    await failing.catch(({ message: line }: Error) => expect(line).not.toContain('\n'));
  });

  test('folder cannot be read', async () => {
    folder = join(folder, 'nowhere');
    await expect(start()).rejects.toThrow(/^RULES: .*nowhere.* cannot be read/);
  });
});
