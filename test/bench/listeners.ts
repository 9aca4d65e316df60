import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { createParser } from 'eventsource-parser';
import { deferred } from '../../src/base/deferred.ts';

/** What the process of the listeners is told, and answers in its turn. */
export type Order =
  /** `subjects`: how many different ones the listeners ask for; 0 is every change. */
  | { do: 'open'; url: string; count: number; subjects: number; by?: Way }
  | { do: 'collect' }
  /** Waits until all streams have ended. */
  | { do: 'end' };

/** How they listen: by `knowledge/subscribe`, or by a task of the skill `watch` each. */
export type Way = 'subscription' | 'task';

/** How streams have ended: as they should, or cut off. */
export interface Ended {
  whole: number;
  cut: number;
}

export interface Opened {
  /** Milliseconds until all of them stood. */
  ms: number;
}

/** Times in milliseconds since 1970, with fractions, by update. */
export type Arrivals = Record<string, number[]>;

/** Connections that are being opened at the same time. */
const atOnce = 100;

let arrivals: Arrivals = {};
const endings: Promise<keyof Ended>[] = [];

process.on('message', async (order: Order) => {
  if (order.do === 'open') process.send?.(await openAll(order));
  else if (order.do === 'end') {
    const all = await Promise.all(endings);
    process.send?.({
      whole: all.filter((each) => each === 'whole').length,
      cut: all.filter((each) => each === 'cut').length,
    });
  } else {
    process.send?.(arrivals);
    arrivals = {};
  }
});

async function openAll({ url, count, subjects, by = 'subscription' }: Order & { do: 'open' }): Promise<Opened> {
  const started = performance.now();
  let next = 0;
  const opener = async () => {
    for (let index = next++; index < count; index = next++) {
      await listen(url, by, subjects === 0 ? undefined : `urn:bench:feed:${index % subjects}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, opener));
  return { ms: performance.now() - started };
}

function bodyOf(by: Way, subject: string | undefined): string {
  const where = subject === undefined ? '' : `(where: { subject: { eq: "${subject}" } })`;
  const params = { subscriptionQuery: `subscription { statementChanged${where} { op } }` };
  if (by === 'subscription') return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'knowledge/subscribe', params });
  const parts = [{ data: { skill: 'watch', ...params } }];
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: { message } });
}

/** @returns once it stands: a subscription with the head of its answer, a task when it says that it watches */
function listen(url: string, by: Way, subject: string | undefined): Promise<void> {
  const body = bodyOf(by, subject);
  const { promise: stands, resolve, reject } = deferred();
  const { promise: ending, resolve: ended } = deferred<keyof Ended>();
  endings.push(ending);
  let at = 0;
  const parser = createParser({
    onEvent: ({ data }) => {
      // Parsing all of it would be most of what this process does.
      if (by === 'task' && /Watching for changes/.test(data)) resolve();
      const [, updateId] = /"updateId":"([^"]+)"/.exec(data) ?? [];
      if (updateId === undefined) return;
      const times = arrivals[updateId];
      if (times) times.push(at);
      else arrivals[updateId] = [at];
    },
  });
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'a2a-version': '1.0',
  };
  request(`${url}/a2a`, { method: 'POST', agent: false, headers })
    .once('error', reject)
    .once('response', (response) => {
      const isStream = /event-stream/.test(response.headers['content-type'] ?? '');
      if (!isStream) reject(new Error(`It is answered ${response.statusCode}, and by no stream`));
      response.on('error', () => {}).once('close', () => ended(response.complete ? 'whole' : 'cut'));
      response.setEncoding('utf8').on('data', (chunk: string) => {
        at = performance.timeOrigin + performance.now();
        parser.feed(chunk);
      });
      if (by === 'subscription') resolve();
    })
    .end(body);
  return stands;
}
