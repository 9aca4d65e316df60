import { afterEach, expect, test } from '@jest/globals';
import type jwt from 'jsonwebtoken';
import type { UpdateResult } from '../../src/knowledge/update/propose.ts';
import { ApiKeyStore } from '../../src/security/apiKeyStore.ts';
import { scopes } from '../../src/security/principal.ts';
import { bearerOf, identities } from '../support/identities.ts';
import { add, replace, schemaOrg } from '../support/patches.ts';
import { call } from '../support/service.ts';
import { useDatabase, useService } from '../support/setUp.ts';
import { openSocket, type Socket, until } from './subscriber.ts';

const database = useDatabase();
const name = `${schemaOrg}name`;
const everything = 'subscription { statementChanged { statement { subject { id } graph } } }';
const sockets: Socket[] = [];

const service = useService({
  ...identities,
  API_KEYS: 'true',
  OPERATIONS_PORT: '0',
  SUBSCRIBER_BUFFER: '50',
  SUBSCRIPTION_MAX_CONCURRENT: '120',
  MAX_BODY_BYTES: '100000',
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

const bearer = (claims: object, options?: jwt.SignOptions) =>
  bearerOf({ tenant: 'north', sub: 'nora', ...claims }, options).authorization;
const north = bearer({});
const south = bearer({ tenant: 'south', sub: 'sam' });
const onlyPublic = bearer({ sub: 'pete', graphs: ['urn:g:public'] });

function open(params: Record<string, unknown>, headers?: Record<string, string>): Socket {
  const socket = openSocket(service.url, params, headers);
  sockets.push(socket);
  return socket;
}

async function update(authorization: string, mutations: object[], rest = {}): Promise<UpdateResult> {
  const params = { mutations, ...rest };
  const { result, error } = await call<UpdateResult>(service.url, 'knowledge/update', params, {
    authorization,
  });
  if (error) throw new Error(error.message);
  return result;
}

/** Subscribes, and settles once it is seen to stand: by a change of its own that has arrived. */
async function following<Data>(
  socket: Socket,
  query: string,
  touch: () => Promise<unknown>,
  rest?: { variables?: Record<string, unknown>; operationName?: string },
) {
  const subscription = socket.subscribe<Data>(query, rest);
  while (subscription.data.length === 0) {
    if (subscription.errors) throw new Error(JSON.stringify(subscription.errors));
    await touch();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  subscription.data.length = 0;
  return subscription;
}

let touches = 0;
const touch = (authorization = north, graph?: string) => {
  touches += 1;
  return update(authorization, [replace('urn:touched', 'urn:p:touched', touches, { graph })]);
};
const lasting = 'subscription { statementChanged { sequence } }';

interface Change {
  statementChanged: { sequence: number; statement: { subject: { id: string }; graph: string | null } };
}
const subjects = (data: Change[]) =>
  data.map(({ statementChanged }) => statementChanged.statement.subject.id).filter((id) => id !== 'urn:touched');

test('an event is the fields that are selected, under the names that they are given', async () => {
  const query = `subscription Changes($subject: String!) {
    statementChanged(where: { subject: { in: [$subject, "urn:touched"] } }) {
      sequence op timestamp changeMetadata updateId revision sourceAgentId taskId justification
      previous { object { value } }
      said: statement { subject { id type } predicate object { id value type language } graph certainty provenance }
    }
  }
  query Other { entities { id } }`;
  const rest = { variables: { subject: 'urn:fields' }, operationName: 'Changes' };
  const subscription = await following<{ statementChanged: Record<string, unknown> }>(
    open({ authorization: north }),
    query,
    touch,
    rest,
  );
  const object = { value: 'Deutschland', language: 'de' };
  const extras = {
    type: `${schemaOrg}Country`,
    graph: 'urn:g:fields',
    certainty: 0.9,
    provenance: { a: [1] },
  };
  await update(north, [add('urn:not-asked-for', name, 'x')]);
  const why = { taskId: 'mapping', justification: 'a map' };
  const { updateId, revision } = await update(north, [add('urn:fields', name, object, extras)], why);
  const isIt = (data: object) => JSON.stringify(data).includes('urn:fields');
  await until(() => subscription.data.some(isIt));
  expect(JSON.stringify(subscription.data)).not.toContain('urn:not-asked-for');
  const event = subscription.data.find(isIt)?.statementChanged;
  expect(event).toEqual({
    sequence: expect.any(Number),
    op: 'add',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    changeMetadata: { sequence: event?.sequence, updateId, revision, sourceAgentId: 'nora', ...why },
    ...{ updateId, revision, sourceAgentId: 'nora', ...why },
    previous: [],
    said: {
      subject: { id: 'urn:fields', type: `${schemaOrg}Country` },
      predicate: name,
      object: { ...object, id: null, type: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#langString' },
      graph: 'urn:g:fields',
      certainty: 0.9,
      provenance: { a: [1] },
    },
  });
});

test('changes of other tenants and of closed graphs never arrive', async () => {
  const ofSouth = await following<Change>(open({ authorization: south }), everything, () => touch(south));
  const ofPublic = await following<Change>(open({ authorization: onlyPublic }), everything, () =>
    touch(north, 'urn:g:public'),
  );
  await update(north, [
    add('urn:closed', name, 'default graph'),
    add('urn:closed', name, 'secret', { graph: 'urn:g:secret' }),
    add('urn:opened', name, 'public', { graph: 'urn:g:public' }),
  ]);
  await update(south, [add('urn:southern', name, 'south', { graph: 'urn:g:public' })]);
  await until(() => subjects(ofSouth.data).length > 0 && subjects(ofPublic.data).length > 0);
  // One more change each, so that what comes too late would have come by now.
  await update(north, [add('urn:last', name, 'north', { graph: 'urn:g:public' })]);
  await update(south, [add('urn:last', name, 'south')]);
  await until(() => subjects(ofSouth.data).length > 1 && subjects(ofPublic.data).length > 1);
  expect(subjects(ofSouth.data)).toEqual(['urn:southern', 'urn:last']);
  expect(subjects(ofPublic.data)).toEqual(['urn:opened', 'urn:last']);
  expect(ofPublic.data.every(({ statementChanged }) => statementChanged.statement.graph === 'urn:g:public')).toBe(true);
});

test('a socket is refused as a request over HTTP is: by code and reason, and counted', async () => {
  const refused: [string, number, Record<string, unknown>, Record<string, string>?][] = [
    ['missing', 4401, {}],
    ['malformed', 4401, { authorization: 7 }],
    ['bad-signature', 4401, { authorization: `${north.slice(0, -4)}AAAA` }],
    ['expired', 4401, { Authorization: bearer({}, { expiresIn: -120 }) }],
    ['unknown-key', 4401, { apiKey: `concord_${'0'.repeat(16)}_${'0'.repeat(43)}` }],
    ['credentials-differ', 4401, { authorization: north }, { authorization: south }],
    ['no-tenant', 4403, { authorization: bearer({ tenant: undefined }) }],
  ];
  for (const [reason, code, params, headers] of refused) {
    const socket = open(params, headers);
    socket.subscribe(everything);
    await until(() => socket.closed !== undefined);
    expect([reason, socket.closed?.code]).toEqual([reason, code]);
    if (reason !== 'unknown-key') expect(socket.closed?.reason).toMatch(new RegExp(`^${reason}: `));
  }
  const metrics = await (await fetch(`${service.operations}/metrics`)).text();
  expect(metrics).toMatch(/concord_authentication_failures_total\{reason="bad-signature"\} [1-9]/);
});

test('credentials may stand in the headers of the upgrade, for those who can set them', async () => {
  const socket = open({}, { authorization: north });
  await following<Change>(socket, everything, touch);
  expect(socket.closed).toBeUndefined();
});

test('what cannot be followed is answered with the code and the reason of knowledge/subscribe', async () => {
  const socket = open({ authorization: north });
  const faults: [string, string, object?][] = [
    ['subscription { statementChanged {', 'syntax'],
    ['subscription { statementChanged { nothing } }', 'validation'],
    ['subscription { one: statementChanged { op } two: statementChanged { op } }', 'validation'],
    ['subscription ($g: String!) { statementChanged(where: {graph: {eq: $g}}) { op } }', 'validation'],
    ['subscription { statementChanged(where: {object: {lt: true}}) { op } }', 'validation'],
    [`subscription { statementChanged(where: {or: [${'{} '.repeat(1_000)}]}) { op } }`, 'validation'],
    ['subscription { statementChanged(afterSequence: 1.5) { op } }', 'validation'],
    ['subscription { statementChanged(afterSequence: -1) { op } }', 'validation'],
    ['subscription { statementChanged(afterSequence: 1000000) { op } }', 'cursor-ahead'],
    ['{ entities { id } }', 'operation'],
    ['mutation { nothing }', 'operation'],
    ['subscription A { statementChanged { op } }', 'operation', { operationName: 'B' }],
  ];
  for (const [query, reason, rest] of faults) {
    const { errors } = await answered(socket, query, rest);
    expect([query, errors?.[0]?.extensions]).toEqual([query, expect.objectContaining({ code: -32012, reason })]);
  }
  const unscoped = open({ authorization: bearer({ scope: 'knowledge:query' }) });
  expect((await answered(unscoped, everything)).errors?.[0]?.extensions.reason).toBe('missing-scope');
});

async function answered(socket: Socket, query: string, rest?: object) {
  const subscription = socket.subscribe(query, rest);
  await until(() => subscription.errors !== undefined);
  return subscription;
}

test('a subscription resumes after the sequence that it is given, without a gap or a double', async () => {
  const located = 'subscription { statementChanged { sequence statement { subject { id } } } }';
  const first = await following<Change>(open({ authorization: north }), located, touch);
  await update(north, [add('urn:resumed:0', name, 'x')]);
  // Touches that were still on their way arrive before it.
  await until(() => subjects(first.data).length > 0);
  const { sequence } = first.data.at(-1)?.statementChanged ?? { sequence: 0 };
  first.stop();
  for (const n of [1, 2]) await update(north, [add(`urn:resumed:${n}`, name, 'x')]);
  const query = `subscription ($after: Float!) {
    statementChanged(afterSequence: $after) { sequence statement { subject { id } } }
  }`;
  const second = open({ authorization: north }).subscribe<Change>(query, { variables: { after: sequence } });
  await until(() => second.data.length === 2);
  await update(north, [add('urn:resumed:3', name, 'x')]);
  await until(() => second.data.length === 3);
  expect(subjects(second.data)).toEqual(['urn:resumed:1', 'urn:resumed:2', 'urn:resumed:3']);
  expect(second.data.map(({ statementChanged }) => statementChanged.sequence - sequence)).toEqual([1, 2, 3]);
});

test('one that is slower than its buffer is told where to resume', async () => {
  const slow = await following<Change>(open({ authorization: north }), lasting, touch);
  // Changes are handed out in parts, the next one larger: one of them is more than may wait.
  const many = Array.from({ length: 300 }, (_each, n) => `urn:many:${n}`);
  await update(
    north,
    many.map((id) => add(id, name, 'x')),
  );
  await until(() => slow.errors !== undefined);
  const extensions = slow.errors?.[0]?.extensions;
  expect(extensions).toMatchObject({ code: -32012, reason: 'slow-consumer', retryable: true });
  const read = slow.data.at(-1)?.statementChanged.sequence ?? 0;
  const query = `subscription { statementChanged(afterSequence: ${extensions?.cursor}) {
    sequence statement { subject { id } }
  } }`;
  const resumed = open({ authorization: north }).subscribe<Change>(query);
  await until(() => subjects(resumed.data).includes('urn:many:299'));
  const others = subjects(resumed.data).filter((id) => id.startsWith('urn:many:'));
  expect(others).toEqual(many.slice(-others.length));
  // What it has read is not sent again, and nothing behind it is left out.
  if (slow.data.length > 0) expect(resumed.data[0]?.statementChanged.sequence).toBe(read + 1);
  else expect(others).toHaveLength(300);
});

test('a key that is revoked ends its subscriptions and closes the socket', async () => {
  const store = new ApiKeyStore(database);
  const { key, record } = await store.create({ tenant: 'north', agentId: 'nora', scopes: [...scopes] });
  const socket = open({ 'X-API-Key': key });
  const subscription = await following<Change>(socket, lasting, touch);
  await store.revoke(record.id);
  await until(() => socket.closed !== undefined, 40_000);
  expect(socket.closed).toMatchObject({ code: 4401, reason: expect.stringMatching(/^revoked-key: /) });
  expect(subscription.errors?.[0]?.extensions).toEqual({
    code: -32012,
    reason: 'revoked-key',
    retryable: false,
    cursor: expect.any(Number),
  });
});

test('a socket has a hundred subscriptions at most, and those that are completed do not count', async () => {
  const socket = open({ authorization: north });
  const where = '(where: { subject: { eq: "urn:none" } })';
  const quiet = `subscription { statementChanged${where} { op } }`;
  const many = Array.from({ length: 100 }, () => socket.subscribe(quiet));
  const { errors } = await answered(socket, quiet);
  expect(errors?.[0]?.extensions).toMatchObject({ code: -32012, reason: 'too-many-subscriptions' });
  await until(async () => (await openSubscriptions(String(service.operations))) >= 100);
  for (const each of many.slice(0, 10)) each.stop();
  await following<Change>(socket, lasting, touch);
  for (const each of many) each.stop();
  await until(async () => (await openSubscriptions(String(service.operations))) <= 1);
});

test('a message that is larger than a body may be closes the socket', async () => {
  const socket = open({ authorization: north });
  socket.subscribe(everything, { variables: { large: 'x'.repeat(100_000) } });
  await until(() => socket.closed !== undefined);
  expect(socket.closed?.code).toBe(1009);
});

async function openSubscriptions(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^concord_open_subscriptions(?:\{[^}]*\})? (\S+)/m.exec(metrics)?.[1] ?? 0);
}

test('an agent has as many subscriptions as it may, whichever doors they came by', async () => {
  await until(async () => (await openSubscriptions(String(service.operations))) === 0);
  const authorization = bearer({ sub: 'many' });
  const quiet = 'subscription { statementChanged(where: { op: { in: [] } }) { op } }';
  const [first, second] = [open({ authorization }), open({ authorization })];
  const many = [first, second].flatMap((socket) => Array.from({ length: 60 }, () => socket.subscribe(quiet)));
  await until(async () => (await openSubscriptions(String(service.operations))) === 120);
  const refused = (await answered(second, quiet)).errors?.[0]?.extensions;
  expect(refused).toMatchObject({ code: -32012, reason: 'too-many-subscriptions', retryable: true });
  const { error } = await call(service.url, 'knowledge/subscribe', { subscriptionQuery: quiet }, { authorization });
  expect(error?.data).toMatchObject({ reason: 'too-many-subscriptions', limit: 120 });
  many[0]?.stop();
  many[60]?.stop();
  // Another agent's own are not counted with them, and what has ended makes room.
  await following<Change>(open({ authorization: north }), lasting, touch);
  await following<Change>(first, lasting, () =>
    update(authorization, [add('urn:touched', name, String(Math.random()))]),
  );
});
