import { createHmac } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { Command } from 'commander';
import { addPurgeCommand } from '../../../src/cli/purge.ts';
import type { Database } from '../../../src/graph/database/database.ts';
import { Eraser } from '../../../src/graph/erasing/eraser.ts';
import { newReceipt, nothing, tombstoneOf } from '../../../src/graph/erasing/tombstone.ts';
import { Dictionary } from '../../../src/graph/names/dictionary.ts';
import type { PurgeResult } from '../../../src/knowledge/purge/purge.ts';
import { PurgeRun } from '../../../src/knowledge/purge/purgeRun.ts';
import type { QueryResult } from '../../../src/knowledge/query/query.ts';
import type { UpdateResult } from '../../../src/knowledge/update/propose.ts';
import { follow } from '../../support/events.ts';
import { holdLock, untilBlocked } from '../../support/heldLock.ts';
import { bearerOf, identities, tokenOf } from '../../support/identities.ts';
import { add, remove, replace, schemaOrg, world } from '../../support/patches.ts';
import { call } from '../../support/service.ts';
import { useDatabase, useService } from '../../support/setUp.ts';

const name = `${schemaOrg}name`;
const knows = `${schemaOrg}knows`;
const email = 'urn:p:email';
const alice = 'urn:person:alice';
const bob = 'urn:person:bob';
/** Its id begins as Alice's does. */
const alicia = 'urn:person:alice2';

const database = useDatabase();
let tenant: string;
let tenants = 0;

const service = useService({
  ...identities,
  AGENT_TRUST: 'newcomer=0.1',
  TENANTS: Array.from({ length: 30 }, (_, index) => `t${index}`).join(','),
});
beforeEach(() => {
  tenants += 1;
  tenant = `t${tenants}`;
});

const bearer = (agent = 'atlas', claims: object = {}) => bearerOf({ tenant, sub: agent, ...claims });
const update = async (mutations: object[], rest: object = {}, agent = 'atlas') => {
  const { result, error } = await call<UpdateResult>(
    service.url,
    'knowledge/update',
    { mutations, ...rest },
    bearer(agent),
  );
  if (error) throw new Error(error.message);
  return result;
};
const purge = async (params: object, headers = bearer()) => {
  const { result, error } = await call<PurgeResult>(service.url, 'knowledge/purge', params, headers);
  if (error) throw Object.assign(new Error(error.message), error);
  return result;
};
const query = async (text: string) => {
  const { result, error } = await call<QueryResult>(service.url, 'knowledge/query', { query: text }, bearer());
  if (error) throw new Error(error.message);
  return result.data;
};

/** Every property of every node and relationship of the tenant, as one text. */
async function dump(of = tenant): Promise<string> {
  const rows = await database.run<{ all: unknown }>(
    'READ',
    `MATCH (n) WHERE n.tenant = $of RETURN [labels(n), properties(n)] AS all
     UNION ALL MATCH (n)-[r]->() WHERE n.tenant = $of RETURN [type(r), properties(r)] AS all`,
    { of },
  );
  return rows.map(({ all }) => JSON.stringify(all)).join('\n');
}

/** Something of every kind that can hold what is known of Alice. */
async function tellOfAlice(): Promise<void> {
  await update(
    [
      add(alice, name, 'Alice Liddell', {
        type: `${schemaOrg}Country`,
        provenance: { source: 'wonderland' },
      }),
      add(alice, email, 'alice@old.example'),
      add(alice, knows, { id: bob }),
      add(bob, name, 'Bob Smith', { certainty: 0.4, type: `${schemaOrg}Country` }),
    ],
    { justification: 'Alice Liddell told so', metadata: { idempotencyKey: 'import-of-alice' } },
  );
  await update([replace(alice, email, 'alice@new.example')], { justification: 'she moved' });
  await update([add(bob, knows, { id: alice })]);
  await update([remove(bob, knows, { id: alice })], { justification: 'they fell out' });
  await update([add(bob, `${schemaOrg}spouse`, { id: alice })]);
  await update([replace(bob, `${schemaOrg}spouse`, { id: alicia })]);
  await update([add(bob, email, 'bob@example', { provenance: { heardFrom: alice } })], {
    justification: 'an unrelated update',
  });
  await update([add(alicia, name, 'Alicia Keys')], { justification: `not (${alice}), but another` });
  await update([add(alicia, email, 'alicia@example')], { justification: `${alicia} herself` });
  await update([add(alice, email, 'alice@pending.example')], { justification: 'a newcomer on Liddell' }, 'newcomer');
  await update([add(alice, `${world}population`, 'not a number')], {
    justification: 'Liddell is no country',
  });
}
const secrets = [/urn:person:alice(?!2)/, /Liddell/, /alice@/, /wonderland/, /import-of-alice/];

test('erases an entity, its history and what the log, updates and proposals hold of it', async () => {
  await tellOfAlice();
  const before = await dump();
  for (const each of secrets) expect(before).toMatch(each);
  const looked = await purge({ subject: alice, dryRun: true });
  expect(await dump()).toBe(before);
  const result = await purge({ subject: alice });
  const after = await dump();
  for (const each of secrets) expect(after).not.toMatch(each);
  const { receipt, ...told } = result;
  expect(receipt).toMatch(/^[\w-]{43}$/);
  // Looking doesn't tell which updates have nothing to lose.
  const updates = looked.erased.updates;
  expect(updates).toBeGreaterThanOrEqual(result.erased.updates);
  expect(looked).toEqual({ ...told, dryRun: true, erased: { ...told.erased, updates } });
  expect(result).toMatchObject({
    dryRun: false,
    erased: {
      entities: 1,
      // Name, new address, whom she knows; and the old address, and as whom others named her.
      statements: 3,
      pastStatements: 3,
      literals: 3,
      changes: 9,
      proposals: 1,
      provenances: 1,
    },
    stillNaming: { count: 0, statements: [] },
  });
  expect(after).toContain('Bob Smith');
  expect(after).toContain('alicia@example');
  expect(after).toContain(`${alicia} herself`);
  expect(after).toContain('an unrelated update');
  expect(await purge({ subject: alice })).toMatchObject({ erased: nothing });
});

test('what was near knows its certainty anew, and projections and history are those of what is left', async () => {
  await tellOfAlice();
  await purge({ subject: alice });
  const told = await database.run<{ id: string; highest: number | null; name: string | null }>(
    'READ',
    `MATCH (e:Entity {tenant: $tenant}) RETURN e.id AS id, e.highest__certainty AS highest, e.name AS name ORDER BY id`,
    { tenant },
  );
  expect(told).toEqual([
    { id: alicia, highest: null, name: 'Alicia Keys' },
    { id: bob, highest: null, name: 'Bob Smith' },
  ]);
  expect(await query(`{ history(subject: "${bob}") { predicate object { id value } retractedBy } }`)).toEqual({
    history: [
      { predicate: email, object: { id: null, value: 'bob@example' }, retractedBy: null },
      { predicate: `${schemaOrg}spouse`, object: { id: alicia, value: null }, retractedBy: null },
      { predicate: name, object: { id: null, value: 'Bob Smith' }, retractedBy: null },
    ],
  });
  expect(await query(`{ history(subject: "${alice}") { id } }`)).toEqual({ history: [] });
});

test('an uncertain neighbour is no more certain than what is left of it', async () => {
  await update([add(bob, name, 'Bob', { certainty: 0.4 }), add(alice, knows, { id: bob })]);
  await purge({ subject: alice });
  const [row] = await database.run<{ highest: number }>(
    'READ',
    'MATCH (e:Entity {tenant: $tenant, id: $bob}) RETURN e.highest__certainty AS highest',
    { tenant, bob },
  );
  expect(row?.highest).toBe(0.4);
});

test('erases only what was said with a predicate', async () => {
  await tellOfAlice();
  const result = await purge({ subject: alice, predicate: email });
  expect(result.erased).toMatchObject({
    entities: 0,
    statements: 1,
    pastStatements: 1,
    changes: 2,
    proposals: 1,
  });
  const after = await dump();
  for (const gone of [/alice@/, /she moved/, /Alice Liddell told so/]) expect(after).not.toMatch(gone);
  expect(await query('{ countries(sort: {name: ASC}) { id name } }')).toEqual({
    countries: [
      { id: alice, name: 'Alice Liddell' },
      { id: bob, name: 'Bob Smith' },
    ],
  });
  await purge({ subject: alice, predicate: name });
  expect(await dump()).not.toContain('Alice Liddell');
  expect(await query(`{ countries(where: {id: {eq: "${alice}"}}) { name } }`)).toEqual({
    countries: [{ name: null }],
  });
});

test('tells which statements about others name the entity in their value, and leaves them', async () => {
  await update([add(alice, name, 'Alice'), add(bob, 'urn:p:note', `asks about ${alice}.`)]);
  expect((await purge({ subject: alice })).stillNaming).toEqual({
    count: 1,
    statements: [{ subject: bob, predicate: 'urn:p:note' }],
  });
});

test("leaves the same id of another tenant alone, and nobody's tombstone tells what it stands for", async () => {
  const other = tenant;
  await tellOfAlice();
  const before = await dump(other);
  tenants += 1;
  tenant = `t${tenants}`;
  await tellOfAlice();
  const { receipt = '', erased } = await purge({ subject: alice });
  expect(await dump(other)).toBe(before);
  const stones = await database.run<{ stone: Record<string, unknown> }>(
    'READ',
    'MATCH (t:Tombstone {tenant: $tenant}) RETURN t {.*} AS stone',
    { tenant },
  );
  expect(stones).toHaveLength(1);
  const id = createHmac('sha256', receipt)
    .update(JSON.stringify([tenant, alice, null]))
    .digest('base64url');
  expect(stones[0]?.stone).toMatchObject({ id, tenant, erasedBy: 'atlas', ...erased });
});

test('subscribers get the change log without what is erased, and a cursor within it stands', async () => {
  await update([add(alice, name, 'Alice')]);
  await update([add(bob, name, 'Bob')]);
  await update([add(alice, email, 'alice@x')]);
  await update([add(bob, email, 'bob@x')]);
  await purge({ subject: alice });
  const subscriptionQuery = 'subscription { statementChanged { op } }';
  for (const [afterSequence, expected] of [
    [0, ['2', '4']],
    [1, ['2', '4']],
    [2, ['4']],
    [3, ['4']],
  ] as const) {
    const follower = await follow(service.url, { subscriptionQuery, metadata: { afterSequence } }, bearer());
    const events = await follower.until(expected.length);
    expect(events.map(({ changeMetadata }) => String(changeMetadata.sequence))).toEqual(expected);
    await update([add(bob, 'urn:p:seen', afterSequence)]);
    await follower.until(expected.length + 1);
    expect(follower.error).toBeUndefined();
    expect(follower.events.every(({ statement }) => statement.subject.id === bob)).toBe(true);
    follower.close();
    await update([remove(bob, 'urn:p:seen', afterSequence)]);
    await purge({ subject: bob, predicate: 'urn:p:seen' });
  }
});

/** A hub of more than one transaction's worth. */
async function tellOfHub(edges: number): Promise<void> {
  await update([
    add(alice, name, 'Alice Liddell'),
    ...Array.from({ length: edges }, (_, index) => add(alice, knows, { id: `urn:n:${index}` })),
  ]);
}

test('an entity with more past statements than a transaction takes is erased', async () => {
  const links = Array.from({ length: 700 }, (_, index) => [alice, knows, { id: `urn:n:${index}` }] as const);
  await update(links.map((link) => add(...link)));
  await update(links.map((link) => remove(...link)));
  expect((await purge({ subject: alice })).erased).toMatchObject({
    entities: 1,
    statements: 0,
    pastStatements: 700,
  });
  expect(await dump()).not.toMatch(/urn:person:alice/);
});

test('a purge that is cut short is gone on with, and its receipt stands for the whole', async () => {
  await tellOfHub(1_700);
  const dictionary = await Dictionary.load(database);
  const receipt = newReceipt();
  const stone = tombstoneOf(receipt, { tenant, subject: alice, erasedBy: 'atlas' });
  const crash = new Error('the service was killed');
  let writes = 0;
  const failing = Object.create(database, {
    write: {
      value: async (...args: Parameters<Database['write']>) => {
        writes += 1;
        if (writes === 6) throw crash;
        return database.write(...args);
      },
    },
  }) as Database;
  const endReviewed = async () => () => {};
  const parts = { database: failing, dictionary, timeoutMs: 60_000, now: Date.now, endReviewed };
  await expect(new PurgeRun(parts, { subject: alice }, stone).erase(new AbortController().signal)).rejects.toBe(crash);
  const [left] = await database.run<{ edges: number }>(
    'READ',
    'MATCH (:Entity {tenant: $tenant, id: $alice})-[r]->() RETURN count(r) AS edges',
    { tenant, alice },
  );
  expect(left?.edges).toBeGreaterThan(0);
  expect(left?.edges).toBeLessThan(1_701);
  const { erased } = await purge({ subject: alice, receipt });
  expect(erased).toMatchObject({ entities: 1, statements: 1_701, literals: 1, changes: 1_701 });
  expect(await dump()).not.toMatch(/urn:person:alice|Liddell/);
  // Asked again, it says the same.
  expect(await purge({ subject: alice, receipt })).toMatchObject({ erased, receipt });
});

/** A purge of all of Alice, over a database that does something before each transaction that writes. */
async function purging(before: (writes: number) => Promise<unknown>): Promise<void> {
  let writes = 0;
  const disturbed: Database = Object.create(database, {
    write: {
      value: async (...args: Parameters<Database['write']>) => {
        writes += 1;
        await before(writes);
        return database.write(...args);
      },
    },
  });
  const parts = {
    database: disturbed,
    dictionary: await Dictionary.load(database),
    timeoutMs: 60_000,
    now: Date.now,
    endReviewed: async () => () => {},
  };
  const stone = tombstoneOf(newReceipt(), { tenant, subject: alice, erasedBy: 'atlas' });
  await new PurgeRun(parts, { subject: alice }, stone).erase(new AbortController().signal);
}

test('what is said of it before any of its transactions is erased by the last', async () => {
  await tellOfAlice();
  await purging(async (writes) => {
    await update([add(alice, email, `alice@${writes}.example`)]);
    await update([add(bob, 'urn:p:seen', writes)], { justification: `as ${alice} says` });
    await update([add(bob, knows, { id: alice })], { justification: 'Liddell' }, 'newcomer');
  });
  const after = await dump();
  for (const each of secrets) expect(after).not.toMatch(each);
  expect(after).toContain('urn:p:seen');
});

test('what was said of it long ago in updates about others is erased too', async () => {
  await tellOfAlice();
  await database.run('WRITE', "MATCH (u:Update {tenant: $tenant}) SET u.proposedAt = datetime('2020-01-01')", {
    tenant,
  });
  await purge({ subject: alice });
  const after = await dump();
  for (const each of secrets) expect(after).not.toMatch(each);
});

test('what names it only in a verdict, a key or an earlier version is erased', async () => {
  await update([add(alice, name, 'Alice')]);
  const { updateId } = await update([add(bob, email, 'bob@held')], {}, 'newcomer');
  const reason = `${alice} says no`;
  await call(service.url, 'knowledge/review', { action: 'reject', updateId, reason }, bearer());
  await update([add(bob, name, 'Bob')], { metadata: { idempotencyKey: `heard of ${alice}` } });
  await update([add(bob, email, 'bob@example', { provenance: { heardFrom: alice } })]);
  await update([add(bob, email, 'bob@example', { provenance: { heardFrom: 'himself' } })]);
  const { erased } = await purge({ subject: alice });
  expect(erased).toMatchObject({ provenances: 1, proposals: 0 });
  expect(await dump()).not.toMatch(/urn:person:alice/);
});

test('an entity that is anySignal to itself is erased, and the link is counted once', async () => {
  await update([add(alice, knows, { id: alice })]);
  const { erased } = await purge({ subject: alice, dryRun: true });
  expect(erased).toMatchObject({ entities: 1, statements: 1, pastStatements: 0 });
  expect((await purge({ subject: alice })).erased).toMatchObject(erased);
});

test('a literal goes with the last of its versions, when those are erased in several transactions', async () => {
  for (const certainty of [0.5, 0.6, 0.7]) await update([add(alice, name, 'Alice', { certainty })]);
  const dictionary = await Dictionary.load(database);
  const literals: number[] = [];
  for (let version = 0; version < 3; version++) {
    const erased = await database.write(
      (tx) => new Eraser(tx, tenant, dictionary).eraseEdges({ subject: alice }, 1),
      10_000,
    );
    literals.push(erased.literals);
  }
  expect(literals).toEqual([0, 0, 1]);
});

test('an id that JSON text writes otherwise is found in the log', async () => {
  const odd = 'urn:person:"a\\b"';
  await update([add(odd, name, 'Odd'), add(bob, name, 'Bob')]);
  expect((await purge({ subject: odd })).erased).toMatchObject({ entities: 1, statements: 1, changes: 1 });
  expect(await dump()).not.toMatch(/Odd|a\\b/);
});

test('each purge makes one revision, however often it is gone on with', async () => {
  await update([add(alice, name, 'Alice')]);
  const { receipt } = await purge({ subject: alice });
  await purge({ subject: alice, receipt });
  await purge({ subject: alice, receipt });
  expect((await update([add(bob, name, 'Bob')])).revision).toBe(3);
});

test('a purge waits for the update that has the ledger', async () => {
  await update([add(alice, name, 'Alice')]);
  const before = await dump();
  const lock = await holdLock(database, 'MATCH (l:Ledger {tenant: $tenant}) SET l.lockedAt = datetime()', {
    tenant,
  });
  const purged = purge({ subject: alice });
  await untilBlocked(database);
  // None of its transactions has gone before.
  expect(await dump()).toBe(before);
  await lock.letGo();
  expect((await purged).erased).toMatchObject({ entities: 1, statements: 1 });
});

test('a purge ends with its caller, and what it has not looked at stays', async () => {
  await tellOfAlice();
  const before = await dump();
  const parts = {
    database,
    dictionary: await Dictionary.load(database),
    timeoutMs: 60_000,
    now: Date.now,
    endReviewed: async () => () => {},
  };
  const stone = tombstoneOf(newReceipt(), { tenant, subject: alice, erasedBy: 'atlas' });
  const gone = new Error('gone');
  await expect(new PurgeRun(parts, { subject: alice }, stone).erase(AbortSignal.abort(gone))).rejects.toBe(gone);
  expect(await dump()).toBe(before);
});

test('nothing of what agents state meanwhile is left by halves', async () => {
  await tellOfHub(1_200);
  let stop = false;
  const writers = ['one', 'two', 'three'].map(async (agent) => {
    for (let turn = 0; !stop; turn++) {
      await update([add(alice, email, `${agent}${turn}@x`), add(bob, email, `${agent}${turn}@bob`)], {}, agent);
    }
  });
  await purge({ subject: alice });
  stop = true;
  await Promise.all(writers);
  await purge({ subject: alice });
  expect(await dump()).not.toMatch(/urn:person:alice|@x/);
  const [log] = await database.run<{ last: number; changes: number; lowest: number; highest: number }>(
    'READ',
    `MATCH (l:Ledger {tenant: $tenant}) MATCH (c:Change {tenant: $tenant})
     RETURN l.sequence AS last, count(c) AS changes, min(c.sequence) AS lowest, max(c.sequence) AS highest`,
    { tenant },
  );
  expect(log).toMatchObject({ changes: log?.last, lowest: 1, highest: log?.last });
  const [bobs] = await database.run<{ ids: number; edges: number }>(
    'READ',
    `MATCH (:Entity {tenant: $tenant, id: $bob})-[r]->(l) RETURN count(DISTINCT r.statementId) AS ids, count(r) AS edges`,
    { tenant, bob },
  );
  expect(bobs?.edges).toBeGreaterThan(0);
  expect(bobs?.ids).toBe(bobs?.edges);
});

test('a proposal that named it can be approved no more, and what is said afterwards is new', async () => {
  await update([add(alice, name, 'Alice')]);
  const { updateId } = await update([add(alice, email, 'a@x')], {}, 'newcomer');
  await purge({ subject: alice });
  const { error } = await call(service.url, 'knowledge/review', { action: 'approve', updateId }, bearer());
  expect(error?.data).toMatchObject({ reason: 'not-pending' });
  const { revision, statementsAffected } = await update([add(alice, name, 'Alice II')]);
  expect({ revision, statementsAffected }).toEqual({ revision: 3, statementsAffected: 1 });
});

test('is for administrators who see everything', async () => {
  const refused = async (claims: object, params: object = { subject: alice }) => {
    const { error } = await call(service.url, 'knowledge/purge', params, bearer('atlas', claims));
    return error?.data.reason;
  };
  expect(await refused({ scope: 'knowledge:update knowledge:review' })).toBe('missing-scope');
  expect(await refused({ graphs: 'default' })).toBe('limited-graphs');
  expect(await refused({}, { subject: '' })).toBe('invalid-params');
  expect(await refused({}, { subject: alice, receipt: 'short' })).toBe('invalid-params');
});

test('the command looks, asks, erases and shows the receipt', async () => {
  const concord = async (words: string[], answer?: string) => {
    const [printed, said]: [string[], string[]] = [[], []];
    const program = new Command('concord').exitOverride();
    addPurgeCommand(program, {
      print: (line) => printed.push(line),
      say: (line) => said.push(line),
      ...(answer !== undefined && { ask: async () => answer }),
    });
    const given = ['purge', ...words, '--url', service.url, '--token', tokenOf({ tenant, sub: 'atlas' })];
    const error = await program.parseAsync(given, { from: 'user' }).then(
      () => undefined,
      (thrown: Error) => thrown.message,
    );
    return { printed, said, error };
  };
  await update([add(alice, name, 'Alice')]);
  expect(await concord([alice])).toMatchObject({ printed: [], error: expect.stringMatching(/--yes/) });
  expect(await concord([alice], 'n')).toMatchObject({ printed: [], error: 'Nothing was erased.' });
  const looked = await concord([alice, '--dry-run', '--json']);
  expect(JSON.parse(looked.printed.join('\n'))).toMatchObject({ dryRun: true, erased: { statements: 1 } });
  const { printed, said, error } = await concord([alice], 'yes');
  expect(error).toBeUndefined();
  expect(said[0]).toBe('There is to erase:');
  expect(printed).toEqual([
    'Erased for good:',
    '  1 entity',
    '  1 statement',
    '  1 literal',
    '  1 change in the log',
    '  1 update, what was said of it',
    'Nothing keeps it from coming back: the service has no SUPPRESSION_KEY.',
    expect.stringMatching(/^Receipt: [\w-]{43}$/),
  ]);
  expect((await concord([alice, '--yes'])).printed).toEqual(['There is nothing to erase.']);
});
