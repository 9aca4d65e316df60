import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { bearerOf, identities } from '../support/identities.ts';
import { add, remove, replace, schemaOrg, world } from '../support/patches.ts';
import { call } from '../support/service.ts';
import { useFolder, useService } from '../support/setUp.ts';
import { openSocket, type Socket, until } from './subscriber.ts';

const population = `${world}population`;
const name = `${schemaOrg}name`;
const folder = useFolder({
  'policy.json': JSON.stringify({
    closed: [{ rule: 'no-populations', predicates: [population], to: { agents: ['guest'] } }],
  }),
});
const service = useService(() => ({ ...identities, POLICY: join(folder, 'policy.json') }));
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

let count = 0;
const newcomer = () => {
  count += 1;
  return { tenant: `t${count}`, sub: 'atlas' };
};
const country = { type: `${schemaOrg}Country` };

async function update(who: object, ...mutations: object[]): Promise<void> {
  const { error } = await call(service.url, 'knowledge/update', { mutations }, bearerOf(who));
  if (error) throw new Error(error.message);
}

interface Told {
  op: string;
  after: Record<string, unknown> | null;
  [more: string]: unknown;
}

/** Follows from the beginning of the log, so that nothing is missed whenever it stands. */
function follow(who: object, query: string, rest: { variables?: Record<string, unknown> } = {}) {
  const socket = openSocket(service.url, { authorization: bearerOf(who).authorization });
  sockets.push(socket);
  return socket.subscribe<{ countryChanged: Told }>(query, rest);
}
const toldTo = ({ data }: ReturnType<typeof follow>) => data.map(({ countryChanged }) => countryChanged);
const short = (followed: ReturnType<typeof follow>) => toldTo(followed).map(({ op, after }) => [op, after]);

test('each change of a country tells it as the change has left it, though it has changed since', async () => {
  const who = newcomer();
  await update(who, add('urn:a', name, 'Mu', country), add('urn:a', population, 1, country));
  await update(who, replace('urn:a', population, 2));
  await update(who, add('urn:bern', name, 'Bern', { type: `${schemaOrg}City` }));
  await update(who, replace('urn:a', population, 3));
  const followed = follow(
    who,
    `subscription {
      countryChanged(afterSequence: 0) {
        sequence op after { name ...rest } again: after { id } statement { predicate } previous { object { value } }
      }
    }
    fragment rest on Country { population }`,
  );
  await until(() => followed.data.length === 4);
  expect(short(followed)).toEqual([
    ['add', { name: 'Mu', population: 1 }],
    ['add', { name: 'Mu', population: 1 }],
    ['replace', { name: 'Mu', population: 2 }],
    ['replace', { name: 'Mu', population: 3 }],
  ]);
  expect(toldTo(followed)[2]).toMatchObject({
    sequence: 3,
    again: { id: 'urn:a' },
    statement: { predicate: population },
    previous: [{ object: { value: 1 } }],
  });
});

test('only what meets the condition is told, and what meets it no longer without the entity', async () => {
  const who = newcomer();
  await update(who, add('urn:a', name, 'Mu', country), add('urn:a', population, 1, country));
  const conditions = [
    ['countryChanged(where: { population: { gt: 5 } }, afterSequence: 0)', {}],
    ['countryChanged(where: $all, afterSequence: 0)', { all: { population: { gt: 5 } } }],
    ['countryChanged(where: { population: { gt: $least } }, afterSequence: 0)', { least: 5 }],
    ['countryChanged(where: $byDefault, afterSequence: 0)', {}],
    ['countryChanged(where: $concordWhere, afterSequence: 0)', { concordWhere: { population: { gt: 5 } } }],
  ] as const;
  const byDefault = '($byDefault: CountryWhere = { population: { gt: 5 } })';
  const declared = ['', '($all: CountryWhere)', '($least: Int)', byDefault, '($concordWhere: CountryWhere)'];
  const all = conditions.map(([field, variables], index) =>
    follow(who, `subscription ${declared[index]} { ${field} { op after { name } } }`, { variables }),
  );
  await update(who, replace('urn:a', population, 10));
  await update(who, replace('urn:a', name, 'Lemuria'));
  await update(who, remove('urn:a', population, 10));
  await update(who, replace('urn:a', name, 'Atlantis'));
  await update(who, add('urn:a', population, 6));
  await until(() => all.every(({ data }) => data.length >= 4));
  for (const each of all) {
    expect(short(each)).toEqual([
      ['replace', { name: 'Mu' }],
      ['replace', { name: 'Lemuria' }],
      ['remove', null],
      ['add', { name: 'Atlantis' }],
    ]);
  }
  const unconditional = follow(
    who,
    'subscription ($all: CountryWhere) { countryChanged(where: $all, afterSequence: 0) { op } }',
    { variables: { all: null } },
  );
  await until(() => unconditional.data.length === 7);
});

test('what a caller may not see, it is not told', async () => {
  const who = newcomer();
  const [guest, blind] = [
    { ...who, sub: 'guest' },
    { ...who, sub: 'blind', graphs: ['default'] },
  ];
  const query = 'subscription { countryChanged(afterSequence: 0) { op after { name } statement { predicate } } }';
  await update(who, add('urn:a', name, 'Mu', country));
  await update(who, add('urn:a', population, 1));
  await update(who, add('urn:a', name, 'Secret', { graph: 'urn:secret' }));
  await update(who, replace('urn:a', name, 'Lemuria'));
  const predicates = (of: ReturnType<typeof follow>) =>
    toldTo(of).map(({ statement }) => (statement as { predicate: string }).predicate);
  const [whole, ofGuest, ofBlind] = [who, guest, blind].map((each) => follow(each, query));
  const other = follow(newcomer(), query);
  await until(() => whole?.data.length === 4 && ofGuest?.data.length === 3 && ofBlind?.data.length === 3);
  expect(predicates(ofGuest as typeof other)).toEqual([name, name, name]);
  expect(short(ofBlind as typeof other).map(([, after]) => after)).toEqual([
    { name: 'Mu' },
    { name: 'Mu' },
    { name: 'Lemuria' },
  ]);
  expect(other.data).toEqual([]);
  const asking = follow(
    guest,
    'subscription { countryChanged(where: { population: { gt: 1 } }, afterSequence: 0) { op } }',
  );
  await until(() => asking.errors !== undefined);
  expect(asking.errors?.[0]?.extensions.reason).toBe('closed-predicate');
});

test('what cannot be followed is refused', async () => {
  const who = newcomer();
  const query = 'subscription { countryChanged { op } }';
  const unscoped = follow({ ...who, scope: 'knowledge:subscribe' }, query);
  await until(() => unscoped.errors !== undefined);
  expect(unscoped.errors?.[0]?.extensions.reason).toBe('missing-scope');
  const { error } = await call(service.url, 'knowledge/subscribe', { subscriptionQuery: query }, bearerOf(who));
  expect(error).toMatchObject({ message: expect.stringContaining('/graphql'), data: { reason: 'validation' } });
});
