import { type IncomingMessage, request } from 'node:http';
import type { Random } from '../../graph/qualify/random.ts';
import type { TestReceiver } from '../../push/receiver.ts';
import type { Tally } from '../../support/tally.ts';
import { filterOf } from '../feed/filters.ts';
import { overGraphql, overSse } from '../feed/streams.ts';
import type { Subscriber } from '../feed/subscriber.ts';
import { failSometimes, overWebhook } from '../feed/webhooks.ts';
import type { Tenant } from './tenant.ts';

/** Those of a tenant who follow what is written. */
export interface Followers {
  subscribers: Subscriber[];
  close(): Promise<void>;
}

interface Ways {
  url: string;
  /** Where what is answered comes slowly. */
  slowUrl: string;
  receiver: TestReceiver;
  seen: Tally<string>;
}

/** Several of each kind, each with a filter of its own; some are slow, and one never reads what it is sent. */
export async function followed(
  tenant: Tenant,
  random: Random,
  { url, slowUrl, receiver, seen }: Ways,
): Promise<Followers> {
  const client = await tenant.client('follower');
  const over = new AbortController();
  const following = { url, headers: tenant.headers('follower'), seen, signal: over.signal, begin: 0 };
  failSometimes(receiver, random);
  const stalled = stall(url, tenant.headers('follower'));
  const of = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
  const subscribers = await Promise.all([
    ...of(3, () => overSse(client, filterOf(random, true), following)),
    ...of(3, () => overGraphql('WebSocket', filterOf(random, false), following)),
    ...of(2, () => overGraphql('GraphQL over SSE', filterOf(random, true), following)),
    ...of(2, () => overGraphql('GraphQL over SSE', filterOf(random, true), { ...following, url: slowUrl })),
    ...of(2, (n) => {
      const path = `/${tenant.name}/${n}`;
      return overWebhook(client, filterOf(random, true), { receiver, url: receiver.url, path }, following);
    }),
  ]);
  return {
    subscribers,
    async close() {
      over.abort();
      stalled();
      for (const each of subscribers) await each.close();
    },
  };
}

/** Subscribes and never reads. @returns what ends it */
function stall(url: string, headers: Record<string, string>): () => void {
  const sent = { 'content-type': 'application/json', accept: 'text/event-stream', ...headers };
  const asking = request(`${url}/graphql`, { method: 'POST', headers: sent });
  asking.on('response', (response: IncomingMessage) => response.pause().on('error', () => {}));
  asking.on('error', () => {});
  asking.end(JSON.stringify({ query: 'subscription { statementChanged { op changeId } }' }));
  return () => asking.destroy();
}
