import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { StartupError } from '../../src/base/errors.ts';
import { Policy } from '../../src/security/policy.ts';
import { PolicyFile } from '../../src/security/policyFile.ts';
import { localPrincipal, type Principal } from '../../src/security/principal.ts';
import { createLogger } from '../../src/telemetry/logger.ts';

const salary = 'https://example.org/salary';
const person = 'https://example.org/Person';

const principal = (tenant: string, agentId?: string): Principal => ({
  tenant,
  ...(agentId !== undefined && { agentId }),
  scopes: new Set(),
});

const policyOf = (closing: object) => JSON.stringify({ closed: [{ rule: 'pay', predicates: [salary], ...closing }] });

/** Whether the predicate is closed to a principal. */
const isClosed = (closing: object, to: Principal) =>
  Policy.parse(policyOf(closing)).closedTo(to)?.predicates.has(salary) ?? false;

describe('a policy', () => {
  test('closes classes and predicates to everyone, and tells by which rule', () => {
    const policy = Policy.parse(
      JSON.stringify({
        closed: [
          { rule: 'pay', predicates: [salary] },
          { rule: 'people', classes: [person], predicates: [salary] },
        ],
      }),
    );
    expect(policy.closedTo(principal('north', 'ann'))).toEqual({
      predicates: new Map([[salary, 'pay']]),
      classes: new Map([[person, 'people']]),
    });
  });

  test('closes nothing where it says nothing', () => {
    expect(Policy.parse('{"closed": []}').closedTo(localPrincipal)).toBeUndefined();
  });

  test.each<[string, object, Principal, boolean]>([
    ['a tenant in to', { to: { tenants: ['north'] } }, principal('north', 'ann'), true],
    ['a tenant not in to', { to: { tenants: ['north'] } }, principal('south', 'ann'), false],
    ['an agent in to', { to: { agents: ['ann'] } }, principal('south', 'ann'), true],
    ['an agent not in to', { to: { agents: ['ann'] } }, principal('south', 'bob'), false],
    ['to with both', { to: { tenants: ['north'], agents: ['ann'] } }, principal('south', 'ann'), false],
    ['a tenant in except', { except: { tenants: ['north'] } }, principal('north', 'ann'), false],
    ['an agent in except', { except: { agents: ['ann'] } }, principal('north', 'ann'), false],
    ['an agent not in except', { except: { agents: ['ann'] } }, principal('north', 'bob'), true],
    ['except with both', { except: { tenants: ['north'], agents: ['ann'] } }, principal('south', 'ann'), true],
    ['to and except', { to: { tenants: ['north'] }, except: { agents: ['ann'] } }, principal('north', 'ann'), false],
    ['the local principal, that may speak for an agent in to', { to: { agents: ['ann'] } }, localPrincipal, true],
    ['the local principal, that is no agent in except', { except: { agents: ['ann'] } }, localPrincipal, true],
  ])('knows %s', (_, closing, to, expected) => {
    expect(isClosed(closing, to)).toBe(expected);
  });

  test('what is open to somebody by one rule is closed by another', () => {
    const policy = Policy.parse(
      JSON.stringify({
        closed: [
          { rule: 'pay', predicates: [salary], except: { agents: ['ann'] } },
          { rule: 'north', predicates: [salary], to: { tenants: ['north'] } },
        ],
      }),
    );
    expect(policy.closedTo(principal('north', 'ann'))?.predicates.get(salary)).toBe('north');
    expect(policy.closedTo(principal('south', 'ann'))).toBeUndefined();
  });

  test.each<[string, string, RegExp]>([
    ['no JSON', '{"closed": [', /JSON/],
    ['nothing', '', /JSON/],
    ['a list', '[]', /expected object/],
    ['no list', '{}', /^closed: .*expected array/],
    ['another member', '{"closed": [], "open": []}', /Unrecognized key: "open"/],
    ['no rule', `{"closed": [{"predicates": ["${salary}"]}]}`, /^closed\[0\]\.rule: /],
    ['nothing to close', '{"closed": [{"rule": "pay"}]}', /^closed\[0\]: names neither classes nor predicates/],
    ['an empty list', policyOf({ predicates: [] }), /^closed\[0\]\.predicates: is empty/],
    ['a space', policyOf({ predicates: [`${salary} `] }), /^closed\[0\]\.predicates\[0\]: is empty or begins or ends/],
    ['a number', policyOf({ classes: [1] }), /^closed\[0\]\.classes\[0\]: .*expected string/],
    ['nobody', policyOf({ to: {} }), /^closed\[0\]\.to: names neither tenants nor agents/],
    ['an unknown kind of whom', policyOf({ to: { users: ['ann'] } }), /^closed\[0\]\.to: Unrecognized key: "users"/],
    ['no except at all', policyOf({ except: null }), /^closed\[0\]\.except: /],
  ])('with %s is faulty, and says where', (_, text, message) => {
    expect(() => Policy.parse(text)).toThrow(message);
  });
});

describe('a policy file', () => {
  let folder: string;
  let file: string;
  let policy: PolicyFile | undefined;
  let lines: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'concord-policy-'));
    file = join(folder, 'policy.json');
    lines = [];
  });
  afterEach(async () => {
    await policy?.close();
    policy = undefined;
    await rm(folder, { recursive: true });
  });

  const openFile = async () => {
    policy = await PolicyFile.open(file, createLogger('info', { write: (line) => void lines.push(line) }));
    return policy;
  };
  const closesTo = (agent: string) => policy?.closedTo(principal('north', agent)) !== undefined;

  async function until(condition: () => boolean): Promise<void> {
    for (const end = Date.now() + 20_000; !condition(); ) {
      if (Date.now() > end) throw new Error(`Not within 20 s. Log: ${lines.join('')}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  test('that is missing or faulty stops the start, by name, with the reason', async () => {
    const missing = openFile();
    await expect(missing).rejects.toThrow(StartupError);
    await expect(missing).rejects.toThrow(/^POLICY: .*policy\.json: ENOENT/);
    await writeFile(file, policyOf({ to: {} }));
    await expect(openFile()).rejects.toThrow(/^POLICY: .*policy\.json: closed\[0\]\.to: names neither/);
  });

  test('holds as soon as it is rewritten', async () => {
    await writeFile(file, policyOf({ to: { agents: ['ann'] } }));
    await openFile();
    expect([closesTo('ann'), closesTo('bob')]).toEqual([true, false]);
    await writeFile(file, policyOf({ to: { agents: ['bob'] } }));
    await until(() => closesTo('bob'));
    expect(closesTo('ann')).toBe(false);
  });

  test('may be swapped as Kubernetes swaps a ConfigMap, by renaming a symbolic link to its folder', async () => {
    for (const [version, agent] of Object.entries({ '..one': 'ann', '..two': 'bob' })) {
      await mkdir(join(folder, version));
      await writeFile(join(folder, version, 'policy.json'), policyOf({ to: { agents: [agent] } }));
    }
    await symlink('..one', join(folder, '..data'));
    await symlink('..data/policy.json', file);
    await openFile();
    expect(closesTo('bob')).toBe(false);
    await symlink('..two', join(folder, '..data_tmp'));
    await rename(join(folder, '..data_tmp'), join(folder, '..data'));
    await until(() => closesTo('bob'));
    expect(closesTo('ann')).toBe(false);
  });

  test('that becomes faulty or goes away leaves the policy of before, and is logged once with its reason', async () => {
    await writeFile(file, policyOf({}));
    await openFile();
    await writeFile(file, '{"closed": [{}]}');
    await until(() => lines.length === 1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'error',
      file,
      reason: expect.stringContaining('closed[0].rule: '),
      msg: 'the policy file is faulty; the policy of before still holds',
    });
    // Two more looks say nothing new.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(lines).toHaveLength(1);
    expect(closesTo('ann')).toBe(true);
    await rm(file);
    await until(() => lines.length === 2);
    expect(lines[1]).toContain('ENOENT');
    expect(closesTo('ann')).toBe(true);
    await writeFile(file, '{"closed": []}');
    await until(() => !closesTo('ann'));
    expect(lines[2]).toContain('the policy has changed');
  });
});
