import { isDeepStrictEqual } from 'node:util';
import jsonPatch from 'fast-json-patch';
import type { ConcordClient, LiveAnswer, Subscription } from '../../../src/client/index.ts';
import type { Following, Subscriber } from './subscriber.ts';

/** Over what agents write and what is edited by hand; sorted, so that equal answers are the same. */
export const liveQueries = [
  '{ countries(sort: [{id: ASC}]) { id population } }',
  '{ countries(where: {population: {gt: 2}}, sort: [{id: ASC}]) { id population } }',
  '{ countries(where: {id: {eq: "urn:shared:1"}}) { id population borders(sort: [{id: ASC}]) { id population } } }',
  '{ countries(sort: [{id: ASC}]) { id region bordersCount } }',
  '{ countries(where: {borders: {some: {id: {eq: "urn:shared:2"}}}}, sort: [{id: ASC}]) { id region } }',
  '{ cities(sort: [{id: ASC}]) { id capitalOf(sort: [{id: ASC}]) { id region } } }',
];

/** Follows a query whose answers come whole or, where that is shorter, as patches of the one before. */
export async function live(
  client: ConcordClient,
  query: string,
  { answers, seen }: Pick<Following, 'seen'> & { answers: 'whole' | 'patch' },
): Promise<Subscriber> {
  const kind = answers === 'whole' ? 'live query' : 'live query in patches';
  const subscription = client.subscribe(
    query,
    {},
    {
      metadata: { answers },
      onState: ({ phase }) => {
        if (phase === 'waiting') seen.add('stream begun again');
      },
    },
  ) as unknown as Subscription<LiveAnswer>;
  await subscription.ready();
  let last: unknown;
  let failure: unknown;
  const reading = (async () => {
    for await (const { data, patch } of subscription) {
      if (patch) last = jsonPatch.applyPatch(structuredClone(last), patch as jsonPatch.Operation[]).newDocument;
      else last = data;
      if (answers === 'whole' || patch) seen.add(kind);
    }
  })().catch((error) => {
    failure = error;
  });
  return {
    kind,
    asks: query,
    async fault() {
      if (failure !== undefined) return `it ended: ${failure}`;
      const { data } = await client.query(query);
      if (isDeepStrictEqual(last, data)) return undefined;
      return `the last answer is ${JSON.stringify(last)} and not ${JSON.stringify(data)}`;
    },
    async close() {
      await subscription.return();
      await reading;
    },
  };
}
