import { afterEach, expect, test } from '@jest/globals';
import { createClient } from 'graphql-sse';
import { bearerOf, identities } from '../support/identities.ts';
import { add, remove, replace } from '../support/patches.ts';
import { call } from '../support/service.ts';
import { useService } from '../support/setUp.ts';
import { openSocket, type Subscription, until } from './subscriber.ts';

const service = useService(identities);
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type Change = { sequence: number; op: string; statement: { subject: { id: string }; object: { value: unknown } } };
interface Event {
  cursor: string;
  statement: Change | null;
  complete: { sequence: number; revision: number } | null;
  change: Change | null;
}
type Data = { statementsThenChanges: Event };
type Got = Pick<Subscription<Data>, 'data' | 'errors' | 'completed'>;

/** An agent of a tenant with nothing in it. */
let count = 0;
const newcomer = () => {
  count += 1;
  return { tenant: `t${count}`, sub: 'atlas' };
};

const update = async (who: object, mutations: object[]) => {
  const { error } = await call(service.url, 'knowledge/update', { mutations }, bearerOf(who));
  if (error) throw new Error(error.message);
};

const fields = 'sequence op statement { subject { id } object { value } }';
const query = (args = '') => `subscription { statementsThenChanges${args && `(${args})`} {
  cursor statement { ${fields} } complete { sequence revision } change { ${fields} }
} }`;

function overSocket(who: object, text: string): Got {
  const socket = openSocket(service.url, bearerOf(who));
  closing.push(() => socket.close());
  return socket.subscribe<Data>(text);
}

function overEvents(who: object, text: string): Got {
  const client = createClient({ url: `${service.url}/graphql`, headers: bearerOf(who), retryAttempts: 0 });
  closing.push(() => client.dispose());
  const got: Got = { data: [], errors: undefined, completed: false };
  client.subscribe<Data>(
    { query: text },
    {
      next: ({ data, errors }) => {
        if (data) got.data.push(data as Data);
        if (errors) got.errors = errors as never;
      },
      error: () => {},
      complete: () => {
        got.completed = true;
      },
    },
  );
  return got;
}

const events = ({ data }: Got) => data.map(({ statementsThenChanges }) => statementsThenChanges);
const isWhole = (got: Got) => got.errors !== undefined || events(got).some(({ complete }) => complete !== null);
const textOf = ({ op, statement: { subject, object } }: Change) => `${op} ${subject.id} ${object.value}`;
const kindOf = ({ statement, complete, change }: Event) =>
  [statement && 'statement', complete && 'complete', change && 'change'].filter(Boolean).join();

const doors = [
  ['a socket', overSocket],
  ["GraphQL's event stream", overEvents],
] as const;

test.each(doors)('over %s the statements come first, then what says so, then the changes', async (_, open) => {
  const who = newcomer();
  await update(who, [add('urn:a', 'urn:p', 1), add('urn:b', 'urn:p', 2), add('urn:c', 'urn:other', 3)]);
  const got = open(who, query('where: {predicate: {eq: "urn:p"}}'));
  await until(() => isWhole(got));
  await update(who, [replace('urn:a', 'urn:p', 4), add('urn:c', 'urn:other', 5)]);
  await until(() => events(got).length >= 4);
  const told = events(got);
  expect(told.map(kindOf)).toEqual(['statement', 'statement', 'complete', 'change']);
  expect(told.flatMap(({ statement }) => (statement ? textOf(statement) : [])).sort()).toEqual([
    'add urn:a 1',
    'add urn:b 2',
  ]);
  expect(told[0]?.statement?.sequence).toBe(3);
  expect(told[2]).toMatchObject({ cursor: '3', complete: { sequence: 3, revision: 1 } });
  expect(told[3]).toMatchObject({ cursor: '4', change: { op: 'replace', statement: { object: { value: 4 } } } });
});

test.each(doors)('over %s who breaks off goes on behind any event of it, as it was', async (_, open) => {
  const who = newcomer();
  const ids = Array.from({ length: 8 }, (_, n) => `urn:${n}`);
  await update(
    who,
    ids.map((id) => add(id, 'urn:p', 'old')),
  );
  const whole = open(who, query());
  await until(() => isWhole(whole));
  await update(
    who,
    ids.map((id) => replace(id, 'urn:p', 'new')),
  );
  await until(() => events(whole).length === 17);
  for (const place of [0, 5, 7, 8, 12]) {
    const rest = open(who, query(`after: "${events(whole)[place]?.cursor}"`));
    await until(() => rest.errors !== undefined || events(rest).length >= 16 - place);
    expect(events(rest)).toEqual(events(whole).slice(place + 1));
  }
});

test('nothing is missed and nothing comes twice while others write', async () => {
  const who = newcomer();
  const subjects = Array.from({ length: 40 }, (_, n) => `urn:s${n}`);
  await update(
    who,
    subjects.map((id) => add(id, 'urn:p', 0)),
  );
  let [round, isOver] = [0, false];
  const writing = (async () => {
    for (round = 1; !isOver; round += 1) {
      const gone = round > 1 ? [remove('urn:x', 'urn:p', round - 1)] : [];
      await update(who, [...gone, replace(subjects[round % 40] ?? '', 'urn:p', round), add('urn:x', 'urn:p', round)]);
    }
  })();
  await until(() => round > 3);
  const all = Array.from({ length: 6 }, (_, n) => (n % 2 ? overSocket : overEvents)(who, query()));
  await until(() => all.every(isWhole));
  const since = round;
  await until(() => round > since + 5);
  isOver = true;
  await writing;
  const last = overSocket(who, query());
  await until(() => isWhole(last));
  const expected = events(last)
    .flatMap(({ statement }) => (statement ? textOf(statement) : []))
    .sort();
  const head = Number(events(last).find(({ complete }) => complete)?.cursor);
  for (const got of all) {
    await until(() => Number(events(got).at(-1)?.cursor) >= head);
    const told = events(got);
    const begin = told.find(({ complete }) => complete)?.complete?.sequence ?? 0;
    expect(told.flatMap(({ change }) => change?.sequence ?? [])).toEqual(
      Array.from({ length: head - begin }, (_, n) => begin + 1 + n),
    );
    const state = new Map<string, string>();
    for (const { statement, change } of told) {
      const each = statement ?? change;
      if (!each) continue;
      const { id } = each.statement.subject;
      if (each.op === 'remove') state.delete(id);
      else state.set(id, `add ${id} ${each.statement.object.value}`);
    }
    expect([...state.values()].sort()).toEqual(expected);
  }
});

test('it takes the right to query too, and a cursor that is one', async () => {
  const refused = async (who: object, args = '') => {
    const got = overSocket(who, query(args));
    await until(() => got.errors !== undefined);
    return got.errors?.[0]?.extensions.reason;
  };
  const who = newcomer();
  await update(who, [add('urn:a', 'urn:p', 1)]);
  expect(await refused({ ...who, scope: 'knowledge:subscribe' })).toBe('missing-scope');
  for (const after of ['1.1.W10', 'x', '-1', '1e3', '9'.repeat(16), '1.1.WyJ1cm46YSJd'])
    expect(await refused(who, `after: "${after}"`)).toBe('validation');
  expect(await refused(who, 'after: "5.1."')).toBe('cursor-ahead');
  expect(await refused(who, 'after: "1.9."')).toBe('cursor-ahead');
  expect(await refused(who, 'after: "9"')).toBe('cursor-ahead');
});

test('elsewhere it says where it is served', async () => {
  const { error } = await call(
    service.url,
    'knowledge/subscribe',
    { subscriptionQuery: query() },
    bearerOf(newcomer()),
  );
  expect(error).toMatchObject({
    message: expect.stringContaining('metadata.snapshot'),
    data: { reason: 'validation' },
  });
});
