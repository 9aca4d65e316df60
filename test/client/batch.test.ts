import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  add,
  BatchRejectedError,
  type ConcordClient,
  connect,
  type EntityInput,
  type Patch,
  replace,
  sendInBatches,
  type Update,
  type UpdateResult,
} from '../../src/client/index.ts';
import { useService } from '../support/setUp.ts';
import { type BreakableProxy, startProxy } from './proxy.ts';

const base = 'https://example.org/examples#';
let proxy: BreakableProxy;
let client: ConcordClient;
beforeAll(async () => {
  proxy = await startProxy();
});
const service = useService(() => ({
  VOCABULARY: 'examples/vocabulary.graphql',
  PUBLIC_URL: proxy.url,
  MAX_MUTATIONS: '2500',
}));
beforeAll(async () => {
  proxy.target = service.url;
  client = await connect(service.url, { agentId: 'ada' });
});
afterAll(() => proxy.close());

/** A client whose service is played: what it was sent, and how many updates were under way at a time. */
function recorded(answer: (update: Update) => Partial<UpdateResult> = () => ({})) {
  const sent: Update[] = [];
  let underWay = 0;
  const most = { underWay: 0 };
  const update = async (change: Update): Promise<UpdateResult> => {
    sent.push(change);
    most.underWay = Math.max(most.underWay, ++underWay);
    await new Promise((resolve) => setTimeout(resolve, 5));
    underWay -= 1;
    return {
      ...{ success: true, statementsAffected: 1, affectedIds: [], verificationStatus: 'Verified' },
      ...answer(change),
    };
  };
  return { sent, most, update };
}
const counted = (count: number, subject = (index: number) => `urn:n:${index}`) =>
  Array.from({ length: count }, (_, index) => add(subject(index), `${base}number`, index));

test('more patches than an update may have are sent, with progress, over connections that are lost, and applied once', async () => {
  const shaky = await connect(proxy.url, { agentId: 'ada', retry: { attempts: 1 } });
  const progress: number[] = [];
  let answers = 0;
  // Of every third connection the answer is lost after the service has done its work.
  proxy.budget = () => (++answers % 3 === 0 ? 0 : Number.POSITIVE_INFINITY);
  const result = await sendInBatches(shaky, counted(2_501), {
    size: 500,
    onProgress: ({ items }) => {
      progress.push(items);
      proxy.cut();
    },
  });
  proxy.budget = () => Number.POSITIVE_INFINITY;
  expect(result).toMatchObject({ items: 2_501, updates: 6, statementsAffected: 2_501, rejected: 0 });
  expect(progress).toEqual([...progress].sort((one, other) => one - other));
  expect(proxy.cuts).toBeGreaterThan(0);
  const { data } = await client.query('{ entitiesConnection { aggregate { count { nodes } } } }');
  expect(data).toMatchObject({ entitiesConnection: { aggregate: { count: { nodes: 2_501 } } } });
});

test('what is said of one entity comes in its order, whatever the sizes', async () => {
  const changes: Patch[] = [];
  for (let step = 0; step < 40; step++)
    for (const subject of ['urn:o:1', 'urn:o:2']) changes.push(replace(subject, `${base}number`, step));
  const result = await sendInBatches(client, changes, { size: 3, concurrency: 4 });
  expect(result.items).toBe(80);
  const { data } = await client.query<{ entities: { statements: { object: { value: number } }[] }[] }>(
    '{ entities(where: {id: {startsWith: "urn:o:"}}) { statements { object { value } } } }',
  );
  expect(data.entities.map(({ statements }) => statements)).toEqual([
    [{ object: { value: 39 } }],
    [{ object: { value: 39 } }],
  ]);
});

test('updates of other entities go side by side, and those of one behind each other', async () => {
  const apart = recorded();
  await sendInBatches(apart, counted(20), { size: 2, concurrency: 4 });
  expect(apart.most.underWay).toBe(4);
  const together = recorded();
  await sendInBatches(
    together,
    counted(20, () => 'urn:one'),
    { size: 2, concurrency: 4 },
  );
  expect(together.most.underWay).toBe(1);
  const keyed = (key: object, more: object = {}): EntityInput =>
    ({ class: 'Element', key, fields: {}, ...more }) as EntityInput;
  const entities = [keyed({ a: 1, b: 2 }), keyed({ c: 3 }), keyed({ b: 2, a: 1 })];
  const byKey = recorded();
  await sendInBatches(byKey, entities, { size: 1, concurrency: 4 });
  expect(byKey.most.underWay).toBe(2);
});

test('a batch is cut at the same places each time, under keys of one name', async () => {
  const once = recorded();
  await sendInBatches(once, counted(5), { size: 2, key: 'nightly', justification: 'why' });
  expect(once.sent.map(({ metadata, mutations }) => [metadata?.idempotencyKey, mutations?.length])).toEqual([
    ['nightly:0', 2],
    ['nightly:1', 2],
    ['nightly:2', 1],
  ]);
  expect(once.sent[0]?.justification).toBe('why');
  const entity = { class: 'Element', key: { symbol: 'x' }, fields: { aliases: ['a', 'b', 'c'] } };
  const mixed = recorded();
  await sendInBatches<Patch | EntityInput>(mixed, [...counted(1), entity, entity], { size: 7 });
  expect(mixed.sent.map(({ mutations, entities }) => [mutations?.length, entities?.length])).toEqual([
    [1, undefined],
    [undefined, 1],
    [undefined, 1],
  ]);
});

test('a rejection ends the batch, or is told and left out', async () => {
  const wrong = (index: number) => add(`urn:r:${index}`, `${base}number`, index === 1 ? 'text' : index);
  const patches = [0, 1, 2].map(wrong);
  const ended = sendInBatches(client, patches, { size: 1, concurrency: 1 });
  await expect(ended).rejects.toBeInstanceOf(BatchRejectedError);
  await expect(ended).rejects.toMatchObject({ items: [patches[1]], progress: { items: 1 } });
  const rejected: Patch[] = [];
  const result = await sendInBatches(client, patches, {
    size: 1,
    onRejected: (items) => rejected.push(...items),
  });
  expect(rejected).toEqual([patches[1]]);
  expect(result).toMatchObject({ items: 3, rejected: 1 });
});

test('what is no passing fault ends the batch, and a service that stays away is given up', async () => {
  const odd = sendInBatches(client, [add('', `${base}number`, 1)]);
  await expect(odd).rejects.toMatchObject({ code: -32602 });
  const away = { update: () => Promise.reject(Object.assign(new Error('away'), { retryable: true })) };
  await expect(sendInBatches(away, counted(1), { patienceMs: 300 })).rejects.toThrow('away');
});
