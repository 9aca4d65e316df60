import { request } from 'node:http';
import { createParser } from 'eventsource-parser';

/** What the process of the listeners is told, and answers in its turn. */
export type Order =
  /** `subjects`: how many different ones the listeners ask for; 0 is every change. */
  { do: 'open'; url: string; count: number; subjects: number } | { do: 'collect' };

export interface Opened {
  /** Milliseconds until all of them stood. */
  ms: number;
}

/** Times in milliseconds since 1970, with fractions, by update. */
export type Arrivals = Record<string, number[]>;

/** Connections that are being opened at the same time. */
const atOnce = 100;

let arrivals: Arrivals = {};

process.on('message', async (order: Order) => {
  if (order.do === 'open') process.send?.(await openAll(order));
  else {
    process.send?.(arrivals);
    arrivals = {};
  }
});

async function openAll({ url, count, subjects }: Order & { do: 'open' }): Promise<Opened> {
  const started = performance.now();
  let next = 0;
  const opener = async () => {
    for (let index = next++; index < count; index = next++) {
      await listen(url, subjects === 0 ? undefined : `urn:bench:feed:${index % subjects}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, opener));
  return { ms: performance.now() - started };
}

function listen(url: string, subject: string | undefined): Promise<void> {
  const where = subject === undefined ? '' : `(where: { subject: { eq: "${subject}" } })`;
  const params = { subscriptionQuery: `subscription { statementChanged${where} { op } }` };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'knowledge/subscribe', params });
  let at = 0;
  const parser = createParser({
    onEvent: ({ data }) => {
      // Parsing all of it would be most of what this process does.
      const [, updateId = ''] = /"updateId":"([^"]+)"/.exec(data) ?? [];
      const times = arrivals[updateId];
      if (times) times.push(at);
      else arrivals[updateId] = [at];
    },
  });
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    request(`${url}/a2a`, { method: 'POST', agent: false, headers })
      .once('error', reject)
      .once('response', (response) => {
        if (response.statusCode !== 200) reject(new Error(`knowledge/subscribe answers ${response.statusCode}`));
        response.on('error', () => {});
        response.setEncoding('utf8').on('data', (chunk: string) => {
          at = performance.timeOrigin + performance.now();
          parser.feed(chunk);
        });
        resolve();
      })
      .end(body);
  });
}
