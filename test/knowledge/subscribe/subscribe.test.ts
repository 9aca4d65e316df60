import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { UpdateResult } from '../../../src/knowledge/update/propose.ts';
import { type Follower, follow } from '../../support/events.ts';
import { add, remove, replace, schemaOrg, world } from '../../support/patches.ts';
import { call, startServiceOnGraph } from '../../support/service.ts';
import { useDatabase, useService } from '../../support/setUp.ts';

const database = useDatabase();
let de: string;
let count = 0;
const followers: Follower[] = [];

const service = useService({ HEARTBEAT_MS: '200' });
beforeEach(() => {
  count += 1;
  de = `urn:test:de-${count}`;
});
afterEach(() => {
  for (const follower of followers.splice(0)) follower.close();
});

const update = async (mutations: object[], rest: object = {}, url = service.url) => {
  const params = { mutations, sourceAgentId: 'atlas', ...rest };
  const { result, error } = await call<UpdateResult>(url, 'knowledge/update', params);
  if (error) throw new Error(error.message);
  return result;
};

const subscribe = async (where = '', more: object = {}, headers: Record<string, string> = {}, url = service.url) => {
  const subscriptionQuery = `subscription { statementChanged${where && `(where: ${where})`} { op } }`;
  const follower = await follow(url, { subscriptionQuery, ...more }, headers);
  followers.push(follower);
  return follower;
};

/** What a follower has seen, in short. */
const seen = ({ events }: Follower) =>
  events.map(({ op, statement: { object } }) => [op, 'id' in object ? object.id : object.value]);

test('an event is a KnowledgeGraphChangeEvent under the id of the request, its cursor the SSE id', async () => {
  const follower = await subscribe();
  const provenance = { source: 'atlas', nested: { page: [1] } };
  const mutation = add(
    de,
    `${schemaOrg}name`,
    { value: 'Deutschland', language: 'de' },
    {
      type: `${schemaOrg}Country`,
      graph: 'urn:g',
      certainty: 0.9,
      provenance,
    },
  );
  const { updateId, revision } = await update([mutation], { taskId: 'task-1', justification: 'a map' });
  await follower.until(1);
  const [event] = follower.events;
  expect(event).toEqual({
    op: 'add',
    statement: {
      subject: { id: de, type: `${schemaOrg}Country` },
      predicate: { id: `${schemaOrg}name` },
      object: {
        value: 'Deutschland',
        type: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#langString',
        language: 'de',
      },
      graph: 'urn:g',
      certainty: 0.9,
      provenance,
    },
    changeId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    changeMetadata: {
      sequence: expect.any(Number),
      revision,
      updateId,
      sourceAgentId: 'atlas',
      taskId: 'task-1',
      justification: 'a map',
    },
    cursor: String(event?.changeMetadata.sequence),
  });
});

test('what a statement takes the place of is told as previous', async () => {
  const follower = await subscribe();
  await update([add(de, `${schemaOrg}name`, 'one', { certainty: 0.5 }), add(de, `${schemaOrg}name`, 'two')]);
  await update([add(de, `${schemaOrg}name`, 'one', { certainty: 0.6 })]);
  await update([replace(de, `${schemaOrg}name`, 'three')]);
  await update([remove(de, `${schemaOrg}name`, 'three')]);
  await follower.until(5);
  expect(seen(follower)).toEqual([
    ['add', 'one'],
    ['add', 'two'],
    ['replace', 'one'],
    ['replace', 'three'],
    ['remove', 'three'],
  ]);
  const previous = follower.events.map(({ changeMetadata }) => changeMetadata.previous);
  expect(previous[0]).toBeUndefined();
  expect(previous[2]).toMatchObject([{ object: { value: 'one' }, certainty: 0.5 }]);
  expect(previous[3]).toHaveLength(2);
  expect(previous[3]).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ object: expect.objectContaining({ value: 'one' }), certainty: 0.6 }),
      expect.objectContaining({ object: expect.objectContaining({ value: 'two' }) }),
    ]),
  );
  expect(previous[4]).toBeUndefined();
});

test('what changes nothing, is refused or rejected makes no event', async () => {
  const follower = await subscribe();
  await update([add(de, `${schemaOrg}name`, 'a')]);
  await update([add(de, `${schemaOrg}name`, 'a')]);
  await update([remove(de, `${schemaOrg}name`, 'nobody said this')]);
  await update([add(de, `${world}population`, 'many')]);
  await update([add(de, `${schemaOrg}name`, 'b')]);
  await follower.until(2);
  expect(seen(follower)).toEqual([
    ['add', 'a'],
    ['add', 'b'],
  ]);
});

describe('where', () => {
  /** One update with something for every condition. */
  const varied = () => [
    add(de, `${schemaOrg}name`, 'text', { certainty: 0.4 }),
    add(de, `${world}borders`, { id: 'urn:test:fr', type: `${schemaOrg}Country` }),
    add(de, 'urn:p:n', 42),
    add(de, 'urn:p:flag', true, { graph: 'urn:g1' }),
    add(`${de}/other`, `${schemaOrg}name`, 'elsewhere', { graph: 'urn:g2', type: `${schemaOrg}Place` }),
  ];
  const all = ['text', 'urn:test:fr', 42, true, 'elsewhere'];

  test.each<[string, () => string, unknown[]]>([
    ['nothing', () => '{}', all],
    ['null', () => 'null', all],
    ['a subject', () => `{subject: {eq: "${de}/other"}}`, ['elsewhere']],
    ['one of several subjects', () => `{subject: {in: ["${de}", "${de}/other"]}}`, all],
    ['a predicate', () => `{predicate: {eq: "${schemaOrg}name"}}`, ['text', 'elsewhere']],
    ['one of several predicates', () => '{predicate: {in: ["urn:p:n", "urn:p:flag"]}}', [42, true]],
    ['an empty list', () => '{predicate: {in: []}}', []],
    ['an entity', () => '{object: {eq: "urn:test:fr"}}', ['urn:test:fr']],
    ['a text', () => '{object: {eq: "text"}}', ['text']],
    ['a number as text', () => '{object: {eq: "42"}}', [42]],
    ['a boolean as text', () => '{object: {eq: "true"}}', [true]],
    ['a graph', () => '{graph: {eq: "urn:g1"}}', [true]],
    ['the default graph', () => '{graph: {eq: null}}', ['text', 'urn:test:fr', 42]],
    ['one of several graphs', () => '{graph: {in: ["urn:g1", "urn:g2"]}}', [true, 'elsewhere']],
    ['an operation', () => '{op: {eq: add}}', all],
    ['another operation', () => '{op: {eq: remove}}', []],
    ['an agent', () => '{sourceAgentId: {eq: "atlas"}}', all],
    ['another agent', () => '{sourceAgentId: {eq: "scout"}}', []],
    ['two conditions', () => `{predicate: {eq: "${schemaOrg}name"}, graph: {eq: null}}`, ['text']],
    ['a class of the subject', () => `{subject: {type: {eq: "${schemaOrg}Place"}}}`, ['elsewhere']],
    ['a class of the object', () => `{object: {type: {eq: "${schemaOrg}Country"}}}`, ['urn:test:fr']],
    ['a bound of numbers', () => '{object: {gt: 41, lte: 42}}', [42]],
    ['a beginning', () => '{object: {startsWith: "els"}}', ['elsewhere']],
    ['a certainty', () => '{certainty: {lt: 0.5}}', ['text']],
    ['one of two', () => '{or: [{object: {eq: "42"}}, {graph: {eq: "urn:g1"}}]}', [42, true]],
    ['not one', () => `{not: {predicate: {eq: "${schemaOrg}name"}}}`, ['urn:test:fr', 42, true]],
    ['another task', () => '{taskId: {eq: "another"}}', []],
    ['eq and in at once', () => '{object: {eq: "text", in: ["elsewhere"]}}', []],
  ])('%s', async (_what, where, expected) => {
    const follower = await subscribe(where());
    const everything = await subscribe();
    await update(varied());
    await everything.until(all.length);
    await follower.until(expected.length);
    expect(follower.events.map(({ statement: { object } }) => ('id' in object ? object.id : object.value))).toEqual(
      expected,
    );
  });

  test('an operation as it is told, not as it was sent: an add that revises is a replace', async () => {
    const follower = await subscribe('{op: {in: [replace, remove]}}');
    await update([add(de, `${schemaOrg}name`, 'a')]);
    await update([add(de, `${schemaOrg}name`, 'a', { certainty: 0.1 })]);
    await update([remove(de, `${schemaOrg}name`, 'a')]);
    await follower.until(2);
    expect(seen(follower).map(([op]) => op)).toEqual(['replace', 'remove']);
  });

  test('variables, whole and in part, and their defaults', async () => {
    const whole = await follow(service.url, {
      subscriptionQuery: 'subscription ($w: StatementChangedWhere) { statementChanged(where: $w) { op } }',
      variables: { w: { subject: { eq: de } } },
    });
    const part = await follow(service.url, {
      subscriptionQuery:
        'subscription ($s: [String!]! = ["nobody"]) { statementChanged(where: {subject: {in: $s}}) { op } }',
      variables: { s: [de] },
    });
    const missing = await follow(service.url, {
      subscriptionQuery:
        'subscription ($s: [String!] = ["nobody"]) { statementChanged(where: {subject: {in: $s}}) { op } }',
    });
    followers.push(whole, part, missing);
    await update(varied());
    await whole.until(4);
    await part.until(4);
    expect([whole.events.length, part.events.length, missing.events.length]).toEqual([4, 4, 0]);
  });
});

describe('resuming', () => {
  const write = async (values: string[], url = service.url) => {
    for (const value of values) await update([add(de, 'urn:p:v', value)], {}, url);
  };
  const values = (follower: Follower) => seen(follower).map(([, value]) => value);

  test('after the last event id, all that came since and what comes', async () => {
    const first = await subscribe();
    await write(['a', 'b']);
    await first.until(2);
    first.close();
    await write(['c', 'd']);
    const second = await subscribe('', {}, { 'last-event-id': first.events[0]?.cursor ?? '' });
    await write(['e']);
    await second.until(4);
    expect(values(second)).toEqual(['b', 'c', 'd', 'e']);
  });

  test('after metadata.afterSequence; the header counts if both are there', async () => {
    const first = await subscribe();
    await write(['a', 'b', 'c']);
    await first.until(3);
    const [a, b] = first.events.map(({ changeMetadata }) => changeMetadata.sequence);
    const second = await subscribe('', { metadata: { afterSequence: a } });
    await second.until(2);
    expect(values(second)).toEqual(['b', 'c']);
    const third = await subscribe('', { metadata: { afterSequence: a } }, { 'last-event-id': String(b) });
    await third.until(1);
    expect(values(third)).toEqual(['c']);
  });

  test('a subscriber that had no event yet is told where it stands', async () => {
    await write(['a']);
    const response = await fetch(`${service.url}/a2a`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'knowledge/subscribe',
        params: { subscriptionQuery: 'subscription { statementChanged { op } }' },
      }),
    });
    await response.body?.cancel();
    await write(['b']);
    const resumed = await subscribe('', {}, { 'last-event-id': response.headers.get('last-event-id') ?? '' });
    await resumed.until(1);
    expect(values(resumed)).toEqual(['b']);
  });

  test('on a second replica, which also hears what the first one writes', async () => {
    const first = await subscribe();
    await write(['a', 'b']);
    await first.until(2);
    const replica = await startServiceOnGraph();
    try {
      const id = first.events[0]?.cursor ?? '';
      const second = await subscribe('', {}, { 'last-event-id': id }, replica.url);
      await write(['c']);
      await write(['d'], replica.url);
      await second.until(3);
      await first.until(4);
      expect(values(second)).toEqual(['b', 'c', 'd']);
      expect(values(first)).toEqual(['a', 'b', 'c', 'd']);
    } finally {
      await replica.close();
    }
  });

  test('after what the log no longer holds is refused, with the oldest that there is', async () => {
    await write(['a', 'b', 'c']);
    const [row] = await database.run<{ gone: number }>(
      'WRITE',
      'MATCH (l:Ledger) MATCH (c:Change) WHERE c.sequence < l.sequence DETACH DELETE c RETURN max(l.sequence) - 1 AS gone',
    );
    const gone = row?.gone ?? 0;
    const refused = await subscribe('', { metadata: { afterSequence: 0 } });
    expect(refused).toMatchObject({
      status: 400,
      error: { code: -32012, data: { reason: 'cursor-too-old', retryable: false, oldest: gone + 1 } },
    });
    const resumed = await subscribe('', { metadata: { afterSequence: gone } });
    await resumed.until(1);
    expect(values(resumed)).toEqual(['c']);
  });

  test('after a change is refused also where the log is empty, but not at its end', async () => {
    const [row] = await database.run<{ head: number }>(
      'WRITE',
      'MATCH (l:Ledger) OPTIONAL MATCH (c:Change) DETACH DELETE c RETURN max(l.sequence) AS head',
    );
    const head = row?.head ?? 0;
    const refused = await subscribe('', { metadata: { afterSequence: head - 1 } });
    expect(refused.error?.data).toMatchObject({ reason: 'cursor-too-old', oldest: head + 1 });
    const resumed = await subscribe('', { metadata: { afterSequence: head } });
    await write(['a']);
    await resumed.until(1);
    expect(values(resumed)).toEqual(['a']);
  });
});

test('a subscription since a time has the changes of that time and later, and one in the future is refused', async () => {
  const live = await subscribe();
  for (const name of ['a', 'b', 'c']) await update([replace(de, `${schemaOrg}name`, name)]);
  await live.until(3);
  const times = live.events.map(({ timestamp }) => timestamp);
  expect(times).toEqual([...times].sort());
  const since = times[1];
  const later = await subscribe('', { metadata: { since } });
  const expected = live.events.filter(({ timestamp }) => timestamp >= String(since));
  await later.until(expected.length);
  expect(later.events).toEqual(expected);
  const ahead = await subscribe('', { metadata: { since: '2999-01-01T00:00:00Z' } });
  expect(ahead.error).toMatchObject({ code: -32012, data: { reason: 'since-ahead', retryable: false } });
  const both = await subscribe('', { metadata: { since, afterSequence: 1 } });
  expect(both.error).toMatchObject({ code: -32602, data: { issues: [{ path: 'metadata.since' }] } });
  const noTime = await subscribe('', { metadata: { since: 'yesterday' } });
  expect(noTime.error).toMatchObject({ code: -32602, data: { issues: [{ path: 'metadata.since' }] } });
});

test('who asks for certain statements is told when one rises to that, and when it falls below', async () => {
  const certain = await subscribe('', { metadata: { requiredCertainty: 0.8 } });
  const name = `${schemaOrg}name`;
  for (const certainty of [0.7, 0.8, 0.9, 0.5, 0.6]) await update([add(de, name, 'a', { certainty })]);
  await update([replace(de, name, 'b', { certainty: 0.8 })]);
  await update([replace(de, name, 'c', { certainty: 0.1 })]);
  await update([add(de, name, 'd')]);
  await certain.until(6);
  expect(seen(certain)).toEqual([
    ['add', 'a'],
    ['replace', 'a'],
    ['remove', 'a'],
    ['add', 'b'],
    ['remove', 'b'],
    ['add', 'd'],
  ]);
});

test('a quiet stream beats', async () => {
  const follower = await subscribe('{subject: {eq: "nobody"}}');
  await follower.until(({ heartbeats }) => heartbeats >= 3);
  expect(follower.ended).toBe(false);
});

test('a consumer slower than the changes is told its cursor, and misses nothing when it resumes there', async () => {
  const small = await startServiceOnGraph({ SUBSCRIBER_BUFFER: '10' });
  try {
    const follower = await subscribe('', {}, {}, small.url);
    await update([add(de, 'urn:p:v', 0)], {}, small.url);
    await follower.until(1);
    // More at once than the buffer holds, so that it overflows however fast the consumer is.
    await update(
      Array.from({ length: 50 }, (_, index) => add(de, 'urn:p:v', index + 1)),
      {},
      small.url,
    );
    await follower.until(({ ended }) => ended);
    expect(follower.error).toMatchObject({
      code: -32012,
      data: { reason: 'slow-consumer', retryable: true, cursor: expect.anything() },
    });
    const cursor = String(follower.error?.data.cursor);
    expect(cursor).toBe(follower.events.at(-1)?.cursor);
    const resumed = await subscribe('', {}, { 'last-event-id': cursor }, small.url);
    await resumed.until(51 - follower.events.length);
    expect([...seen(follower), ...seen(resumed)].map(([, value]) => value)).toEqual(
      Array.from({ length: 51 }, (_, index) => index),
    );
  } finally {
    await small.close();
  }
});

test('a service that stops tells its subscribers so, and where to resume', async () => {
  const stopping = await startServiceOnGraph();
  const follower = await subscribe('', {}, {}, stopping.url);
  await update([add(de, 'urn:p:v', 'a')]);
  await follower.until(1);
  await stopping.close();
  await follower.until(({ ended }) => ended);
  expect(follower.error).toMatchObject({
    code: -32012,
    data: { reason: 'draining', retryable: true, cursor: follower.events[0]?.cursor },
  });
});
