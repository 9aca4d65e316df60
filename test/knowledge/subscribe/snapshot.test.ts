import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { ChangeEvent } from '../../../src/wire/types.ts';
import { type Follower, follow } from '../../support/events.ts';
import { bearerOf, identities } from '../../support/identities.ts';
import { add, remove, replace, schemaOrg } from '../../support/patches.ts';
import { call } from '../../support/service.ts';
import { useFolder, useService } from '../../support/setUp.ts';

const population = 'https://example.org/world#population';
const name = `${schemaOrg}name`;
const folder = useFolder({
  'policy.json': JSON.stringify({
    closed: [{ rule: 'no-populations', predicates: [population], to: { agents: ['guest'] } }],
  }),
});
const service = useService(() => ({ ...identities, POLICY: join(folder, 'policy.json') }));
const followers: Follower[] = [];
afterEach(() => {
  for (const follower of followers.splice(0)) follower.close();
});

/** An agent of a tenant with nothing in it. */
let count = 0;
const newcomer = () => {
  count += 1;
  return { tenant: `t${count}`, sub: 'atlas' };
};

const update = async (who: object, mutations: object[]) => {
  const { error, result } = await call<{ revision: number }>(
    service.url,
    'knowledge/update',
    { mutations },
    bearerOf(who),
  );
  if (error) throw new Error(error.message);
  return result;
};

const snapshot = async (who: object, where = '', metadata: object = {}, headers: Record<string, string> = {}) => {
  const subscriptionQuery = `subscription { statementChanged${where && `(where: ${where})`} { op } }`;
  const params = { subscriptionQuery, metadata: { snapshot: true, ...metadata } };
  const follower = await follow(service.url, params, { ...bearerOf(who), ...headers });
  followers.push(follower);
  return follower;
};

const isWhole = ({ snapshotEnd, error }: Follower) => snapshotEnd !== undefined || error !== undefined;
const textOf = ({ op, statement: { object } }: ChangeEvent) =>
  `${op} ${'id' in object ? object.id : String(object.value)}`;
const told = ({ events }: Follower) => events.map(textOf);
const numbers = (subject: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => add(subject, 'urn:p', from + index));

test('the statements that there are come first, then what says so, then the changes', async () => {
  const who = newcomer();
  const provenance = { source: 'atlas', timestamp: '2026-01-01T00:00:00Z' };
  await update(who, [add('urn:a', name, 'Atlantis', { type: `${schemaOrg}Country`, certainty: 0.9, provenance })]);
  const { revision } = await update(who, [add('urn:a', 'urn:likes', { id: 'urn:b' }, { graph: 'urn:g' })]);
  const follower = await snapshot(who);
  await follower.until(isWhole);
  await update(who, [remove('urn:a', 'urn:likes', { id: 'urn:b' }, { graph: 'urn:g' })]);
  await follower.until(3);
  const first = follower.events.find(({ statement }) => statement.graph === undefined);
  expect(first).toEqual({
    op: 'add',
    statement: {
      subject: { id: 'urn:a', type: `${schemaOrg}Country` },
      predicate: { id: name },
      object: { value: 'Atlantis', type: 'http://www.w3.org/2001/XMLSchema#string' },
      certainty: 0.9,
      provenance,
    },
    changeId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    timestamp: expect.stringMatching(/Z$/),
    changeMetadata: {
      sequence: 2,
      snapshot: true,
      revision: 1,
      updateId: expect.any(String),
      sourceAgentId: 'atlas',
    },
    cursor: expect.stringMatching(/^2\.2\.[\w-]+$/),
  });
  expect(follower.snapshotEnd).toEqual({ snapshot: 'complete', sequence: 2, revision });
  expect(told(follower).slice(0, 2).sort()).toEqual(['add Atlantis', 'add urn:b']);
  expect(told(follower)[2]).toBe('remove urn:b');
  expect(follower.events[2]).toMatchObject({ cursor: '3', changeMetadata: { sequence: 3 } });
  expect(follower.events[2]?.changeMetadata).not.toHaveProperty('snapshot');
});

test('of an empty graph there is nothing but its end', async () => {
  const follower = await snapshot(newcomer());
  await follower.until(isWhole);
  expect(follower.events).toEqual([]);
  expect(follower.snapshotEnd).toEqual({ snapshot: 'complete', sequence: 0, revision: 0 });
});

test('a subject of more statements than a page comes whole, and who breaks off goes on in the middle of it', async () => {
  const who = newcomer();
  await update(who, [...numbers('urn:a', 0, 3), ...numbers('urn:hub', 0, 600), ...numbers('urn:z', 0, 3)]);
  const whole = await snapshot(who);
  await whole.until(isWhole);
  expect(new Set(told(whole)).size).toBe(600);
  expect(whole.events).toHaveLength(606);
  for (const place of [2, 300, 603]) {
    const cursor = whole.events[place]?.cursor ?? '';
    const rest = await snapshot(who, '', {}, { 'Last-Event-ID': cursor });
    await rest.until(isWhole);
    expect(rest.events.map((each) => each.changeId)).toEqual(
      whole.events.slice(place + 1).map((each) => each.changeId),
    );
  }
});

test('subjects come once in an order of their own, whatever characters their ids have', async () => {
  const who = newcomer();
  // Of these two Neo4j has one first in an index, and the other among parameters.
  const subjects = Array.from({ length: 60 }, (_, n) => `urn:${n % 2 ? '\u{1f600}' : '\uff5e'}${n}`);
  await update(
    who,
    subjects.flatMap((subject) => numbers(subject, 0, 10)),
  );
  for (const where of ['', `{subject: {in: ${JSON.stringify(subjects)}}}`]) {
    const all = await snapshot(who, where);
    await all.until(isWhole);
    expect(all.events).toHaveLength(600);
    expect(new Set(all.events.map(({ changeId }) => changeId)).size).toBe(600);
    const rest = await snapshot(who, where, {}, { 'Last-Event-ID': all.events[245]?.cursor ?? '' });
    await rest.until(isWhole);
    expect(rest.events.map(({ changeId }) => changeId)).toEqual(all.events.slice(246).map(({ changeId }) => changeId));
  }
});

test('who comes back to a snapshot gets the rest of it as it was, then what has changed since', async () => {
  const who = newcomer();
  await update(
    who,
    ['a', 'b', 'c', 'd'].map((each) => add(`urn:${each}`, name, `old ${each}`)),
  );
  const first = await snapshot(who);
  await first.until(isWhole);
  const cursor = first.events[1]?.cursor ?? '';
  await update(
    who,
    ['b', 'd'].map((each) => replace(`urn:${each}`, name, `new ${each}`)),
  );
  const rest = await snapshot(who, '', {}, { 'Last-Event-ID': cursor });
  await rest.until(4);
  expect(told(rest)).toEqual(['add old c', 'add old d', 'replace new b', 'replace new d']);
  const behind = await snapshot(who, '', {}, { 'Last-Event-ID': String(first.snapshotEnd?.sequence) });
  await behind.until(2);
  expect(told(behind)).toEqual(['replace new b', 'replace new d']);
  expect(behind.snapshotEnd).toBeUndefined();
});

test('only what meets the conditions and bounds is in it', async () => {
  const who = newcomer();
  const old = { timestamp: '2001-01-01T00:00:00Z' };
  await update(who, [
    add('urn:a', name, 'Atlantis', { type: `${schemaOrg}Country`, certainty: 0.9 }),
    add('urn:a', 'urn:p', 1, { certainty: 0.5 }),
    add('urn:b', name, 'Bern', { type: `${schemaOrg}City` }),
    add('urn:b', 'urn:p', 2, { provenance: old }),
  ]);
  const found = async (where: string, metadata: object = {}) => {
    const follower = await snapshot(who, where, metadata);
    await follower.until(isWhole);
    return told(follower);
  };
  expect(await found('{subject: {eq: "urn:b"}}')).toHaveLength(2);
  expect(await found('{predicate: {in: ["urn:p"]}, object: {gte: 2}}')).toEqual(['add 2']);
  expect(await found(`{subject: {type: {eq: "${schemaOrg}Country"}}, not: {certainty: {lt: 0.6}}}`)).toEqual([
    'add Atlantis',
  ]);
  expect(await found('{op: {eq: remove}}')).toEqual([]);
  expect((await found('', { requiredCertainty: 0.8 })).sort()).toEqual(['add 2', 'add Atlantis', 'add Bern']);
  expect((await found('', { maxAgeSeconds: 3_600 })).sort()).toEqual(['add 1', 'add Atlantis', 'add Bern']);
});

test('a caller is told what it sees: of its tenant, of its graphs, and not what the policy closes', async () => {
  const who = newcomer();
  await update(who, [
    add('urn:a', name, 'open'),
    add('urn:a', name, 'secret', { graph: 'urn:secret' }),
    add('urn:a', population, { value: 5 }),
  ]);
  const seenBy = async (claims: object) => {
    const follower = await snapshot(claims);
    await follower.until(isWhole);
    return told(follower).sort();
  };
  expect(await seenBy(who)).toEqual(['add 5', 'add open', 'add secret']);
  expect(await seenBy({ ...who, sub: 'blind', graphs: ['default'] })).toEqual(['add 5', 'add open']);
  expect(await seenBy({ ...who, sub: 'guest' })).toEqual(['add open', 'add secret']);
  expect(await seenBy(newcomer())).toEqual([]);
});

test('what cannot begin with a snapshot is refused', async () => {
  const who = newcomer();
  const reasonOf = async (params: object, headers = {}, claims: object = who) => {
    const { error } = await call(service.url, 'knowledge/subscribe', params, { ...bearerOf(claims), ...headers });
    return error?.data.reason;
  };
  const subscriptionQuery = 'subscription { statementChanged { op } }';
  const asked = (metadata: object, query = subscriptionQuery) => ({
    subscriptionQuery: query,
    metadata: { snapshot: true, ...metadata },
  });
  expect(await reasonOf(asked({ afterSequence: 0 }))).toBe('validation');
  expect(await reasonOf(asked({ since: '2026-01-01T00:00:00Z' }))).toBe('validation');
  expect(await reasonOf(asked({}, 'subscription { statementChanged(afterSequence: 0) { op } }'))).toBe('validation');
  expect(await reasonOf(asked({}, '{ countries { name } }'))).toBe('validation');
  expect(await reasonOf(asked({ snapshot: 'yes' }))).toBe('invalid-params');
  expect(await reasonOf(asked({}), { 'Last-Event-ID': '7.9.' })).toBe('cursor-ahead');
  for (const cursor of ['0.0.x', '0.0.W10', 'soon']) {
    expect(await reasonOf(asked({}), { 'Last-Event-ID': cursor })).toBe('validation');
  }
  expect(await reasonOf(asked({}), {}, { ...who, scope: 'knowledge:subscribe' })).toBe('missing-scope');
});

/** What statements there are, from what was told of them. */
function resulting(events: ChangeEvent[]): string[] {
  const held = new Map<string, Set<string>>();
  for (const { op, statement, changeMetadata } of events) {
    const value = 'value' in statement.object ? statement.object.value : statement.object.id;
    const of = held.get(statement.subject.id) ?? new Set();
    held.set(statement.subject.id, of);
    if (op === 'remove') expect(of.delete(String(value))).toBe(true);
    else if (op === 'add' && changeMetadata.previous === undefined) {
      expect(of.has(String(value))).toBe(false);
      of.add(String(value));
    } else {
      of.clear();
      of.add(String(value));
    }
  }
  return [...held].flatMap(([subject, values]) => [...values].map((value) => `${subject} ${value}`)).sort();
}

test('writes during a snapshot are neither lost nor told twice, however often its reader is cut off', async () => {
  const who = newcomer();
  const subject = (n: number) => `urn:s${n % 40}`;
  await update(
    who,
    Array.from({ length: 1_000 }, (_, n) => add(subject(n), 'urn:p', n)),
  );
  let writing = true;
  const writer = (async () => {
    for (let n = 0; writing; n += 1) {
      await update(who, [
        n % 3 === 0 ? replace(subject(n), 'urn:p', 10_000 + n) : add(subject(n), 'urn:p', 10_000 + n),
        remove(subject(n + 1), 'urn:p', n + 1),
      ]);
    }
  })();
  const events: Follower['events'] = [];
  let last = await snapshot(who);
  await last.until((each) => each.events.length > 150 || isWhole(each));
  for (let cuts = 0; !last.snapshotEnd; cuts += 1) {
    // Cut in the middle of what has come.
    const part = last.events.slice(0, 50 + 13 * cuts);
    events.push(...part);
    last.close();
    last = await snapshot(who, '', {}, { 'Last-Event-ID': part.at(-1)?.cursor ?? '' });
    const whole = last;
    await whole.until((each) => each.events.length > 150 || isWhole(each));
  }
  writing = false;
  await writer;
  await update(who, [add('urn:end', 'urn:p', 'end')]);
  await last.until(({ events: all }) => all.at(-1)?.statement.subject.id === 'urn:end');
  events.push(...last.events);
  const query = '{ statements(limit: 5000) { subject object { value } } }';
  const { result } = await call<{ data: { statements: { subject: string; object: { value: unknown } }[] } }>(
    service.url,
    'knowledge/query',
    { query },
    bearerOf(who),
  );
  const held = result.data.statements.map(({ subject: id, object }) => `${id} ${object.value}`).sort();
  expect(resulting(events)).toEqual(held);
  expect(new Set(events.map(({ changeId }) => changeId)).size).toBe(events.length);
});
