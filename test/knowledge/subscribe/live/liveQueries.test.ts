import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import jsonPatch from 'fast-json-patch';
import type { LiveAnswer } from '../../../../src/wire/types.ts';
import { type Follower, follow } from '../../../support/events.ts';
import { bearerOf, identities } from '../../../support/identities.ts';
import { add, remove, replace, schemaOrg } from '../../../support/patches.ts';
import { call } from '../../../support/service.ts';
import { useFolder, useService } from '../../../support/setUp.ts';

const population = 'https://example.org/world#population';
const folder = useFolder({
  'policy.json': JSON.stringify({
    closed: [{ rule: 'no-populations', predicates: [population], to: { agents: ['guest'] } }],
  }),
});
const service = useService(() => ({
  ...identities,
  POLICY: join(folder, 'policy.json'),
  LIVE_QUERY_INTERVAL_MS: '50',
  LIVE_QUERY_MAX_CONCURRENT: '3',
}));
const followers: Follower[] = [];
let count = 0;
afterEach(() => {
  for (const follower of followers.splice(0)) follower.close();
});

const atlas = { tenant: 'acme', sub: 'atlas' };

const update = async (mutations: object[], who: object = atlas) => {
  const params = { mutations, metadata: {} };
  const { error, result } = await call<{ revision: number }>(service.url, 'knowledge/update', params, bearerOf(who));
  if (error) throw new Error(error.message);
  return result;
};

const live = async (subscriptionQuery: string, more: object = {}, who: object = atlas) => {
  const follower = await follow(service.url, { subscriptionQuery, ...more }, bearerOf(who));
  followers.push(follower);
  return follower;
};

const answersOf = ({ events }: Follower) => events as unknown as LiveAnswer[];
const newId = () => {
  count += 1;
  return `urn:test:live-${count}`;
};
const country = (id: string, name: string, rest: object = {}) =>
  add(id, `${schemaOrg}name`, { value: name }, { type: `${schemaOrg}Country`, ...rest });
const named = (id: string) => `{ countries(where: {id: {eq: "${id}"}}) { name } }`;

test('a query as subscriptionQuery is answered at once, and again when its answer has become another', async () => {
  const id = newId();
  const follower = await live(named(id));
  await follower.until(1);
  expect(answersOf(follower)[0]).toEqual({
    sequence: expect.any(Number),
    revision: expect.any(Number),
    data: { countries: [] },
    cursor: '',
  });
  const { revision } = await update([country(id, 'Atlantis')]);
  await follower.until(2);
  expect(answersOf(follower)[1]).toMatchObject({ revision, data: { countries: [{ name: 'Atlantis' }] } });
  await update([remove(id, `${schemaOrg}name`, { value: 'Atlantis' })]);
  await follower.until(3);
  expect(answersOf(follower).at(-1)?.data).not.toEqual({ countries: [{ name: 'Atlantis' }] });
});

test('a change that leaves its answer as it is tells nothing', async () => {
  const [id, other] = [newId(), newId()];
  const follower = await live(named(id));
  await follower.until(1);
  await update([country(other, 'Mu')]);
  await update([country(id, 'Atlantis')]);
  await follower.until(2);
  expect(answersOf(follower)).toHaveLength(2);
  expect(answersOf(follower)[1]?.data).toEqual({ countries: [{ name: 'Atlantis' }] });
});

test('as patches the answers after the first are what makes each of the one before', async () => {
  const ids = Array.from({ length: 5 }, newId);
  await update(ids.map((id) => country(id, `Isle ${id}`)));
  const query = `query($ids: [ID!]) { countries(where: {id: {in: $ids}}, sort: [{name: ASC}]) { id name population } }`;
  const follower = await live(query, { variables: { ids }, metadata: { answers: 'patch' } });
  await follower.until(1);
  await update([replace(ids[2] ?? '', population, { value: 5 })]);
  await follower.until(2);
  const [first, second] = answersOf(follower);
  expect(second?.patch).toEqual([{ op: 'replace', path: '/countries/2/population', value: 5 }]);
  const patched = jsonPatch.applyPatch(first?.data, second?.patch as jsonPatch.Operation[]).newDocument;
  expect(patched).toMatchObject({ countries: [{}, {}, { id: ids[2], population: 5 }, {}, {}] });
});

test('a patch that would be longer than the answer is not sent', async () => {
  const id = newId();
  const follower = await live(named(id), { metadata: { answers: 'patch' } });
  await follower.until(1);
  await update([country(id, 'Atlantis')]);
  await follower.until(2);
  expect(answersOf(follower)[1]).toMatchObject({ data: { countries: [{ name: 'Atlantis' }] } });
});

test('its bounds are those of a query', async () => {
  const id = newId();
  await update([country(id, 'Atlantis', { certainty: 0.4 })]);
  const follower = await live(named(id), { metadata: { requiredCertainty: 0.8 } });
  await follower.until(1);
  await update([country(id, 'Atlantis', { certainty: 0.9 })]);
  await follower.until(2);
  expect(answersOf(follower).map(({ data }) => data)).toEqual([
    { countries: [] },
    { countries: [{ name: 'Atlantis' }] },
  ]);
});

test('who sees other graphs, or is of another tenant, has an answer of its own', async () => {
  const id = newId();
  const blind = { ...atlas, sub: 'blind', graphs: ['default'] };
  const foreign = { tenant: 'other', sub: 'atlas' };
  const followed = await Promise.all([atlas, blind, foreign].map((who) => live(named(id), {}, who)));
  await Promise.all(followed.map((each) => each.until(1)));
  await update([country(id, 'Atlantis', { graph: 'urn:secret' })]);
  await followed[0]?.until(2);
  await update([country(id, 'Mu', { graph: 'urn:secret' })]);
  expect(followed.slice(1).map((each) => answersOf(each).length)).toEqual([1, 1]);
});

test('what the policy closes to the agent is in none of its answers', async () => {
  const id = newId();
  await update([country(id, 'Atlantis'), add(id, population, { value: 5 })]);
  const guest = { ...atlas, sub: 'guest' };
  const { error } = await live(`{ countries(where: {id: {eq: "${id}"}, population: {gt: 1}}) { name } }`, {}, guest);
  expect(error).toMatchObject({ data: { reason: 'closed-predicate' } });
  const follower = await live(`{ countries(where: {id: {eq: "${id}"}}) { name statements { predicate } } }`, {}, guest);
  await follower.until(1);
  await update([replace(id, population, { value: 6 })]);
  await update([replace(id, `${schemaOrg}name`, { value: 'Mu' })]);
  await follower.until(2);
  const statements = [{ predicate: `${schemaOrg}name` }];
  expect(answersOf(follower).map(({ data }) => data)).toEqual([
    { countries: [{ name: 'Atlantis', statements }] },
    { countries: [{ name: 'Mu', statements }] },
  ]);
});

test.each([
  ['what is no valid query', '{ nothing }', {}, { code: -32010 }],
  ['a cursor', '{ countries { name } }', { metadata: { afterSequence: 1 } }, { code: -32012 }],
  ['a time to begin with', '{ countries { name } }', { metadata: { since: '2024-01-01T00:00:00Z' } }, { code: -32012 }],
])('%s is refused', async (_what, query, more, error) => {
  const { error: refused } = await live(query, more);
  expect(refused).toMatchObject(error);
});

test('who may not query may not follow a query', async () => {
  const { error } = await live('{ countries { name } }', {}, { ...atlas, scope: 'knowledge:subscribe' });
  expect(error).toMatchObject({ data: { reason: 'missing-scope' } });
});

test('an agent follows so many at most, and one that ends makes room', async () => {
  const who = { ...atlas, sub: 'greedy' };
  const query = '{ cities { name } }';
  const open = await Promise.all([1, 2, 3].map(() => live(query, {}, who)));
  const { error } = await live(query, {}, who);
  expect(error).toMatchObject({ code: -32012, data: { reason: 'too-many-live-queries', limit: 3, retryable: true } });
  open[0]?.close();
  for (const end = Date.now() + 10_000; (await live(query, {}, who)).error; ) {
    if (Date.now() > end) throw new Error('The one that has ended still takes its place');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});
