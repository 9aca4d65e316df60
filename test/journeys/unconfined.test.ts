import { Worker } from 'node:worker_threads';
import { afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import { call } from '../support/service.ts';
import { useService } from '../support/setUp.ts';

/*
 * A text that was rewritten wrongly isn't run, and the operator is told. No query is known that Concord rewrites
 * wrongly, so here the thread that rewrites says so of whatever it is asked.
 */

const rule = 'a node without its tenant';
let lines: string[];

const service = useService();
beforeAll(async () => {
  // The logger's own stream, in the place of standard output.
  const { [pino.symbols.streamSym]: stream } = service.logger as unknown as Record<
    symbol,
    { write(line: string): void }
  >;
  if (stream) stream.write = (line) => void lines.push(line);
  service.logger.level = 'debug';
});
beforeEach(() => {
  lines = [];
  jest.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker) {
    this.emit('message', { is: 'unconfined', rule });
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

async function counted(): Promise<number> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^concord_queries_unconfined_total (\d+)$/m.exec(metrics)?.[1] ?? 0);
}

const cypher = { query: "MATCH (n:City {id: 'sesame'}) RETURN n.id AS id", queryLanguage: 'cypher' };
const graphql = { query: '{ cities(where: { name: { eq: "sesame" } }) { id } }' };

test.each([
  ['Cypher', cypher],
  ['GraphQL', graphql],
])(
  'the caller of a query in %s is told, the log has the rule without the text, and it is counted',
  async (_, asked) => {
    const before = await counted();
    const { error, result } = await call(service.url, 'knowledge/query', asked);
    expect(result).toBeUndefined();
    expect(error).toMatchObject({ code: -32010, data: { reason: 'unconfined', retryable: false } });
    // What rule it breaks may tell how to go about it.
    expect(JSON.stringify(error)).not.toContain(rule);
    const logged = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error');
    expect(logged).toEqual([
      expect.objectContaining({ rule, msg: expect.stringContaining('is not confined, and was not run') }),
    ]);
    expect(lines.join()).not.toContain('sesame');
    expect(await counted()).toBe(before + 1);
  },
);

test('the same query is answered as soon as it is rewritten rightly', async () => {
  expect((await call(service.url, 'knowledge/query', cypher)).error?.data.reason).toBe('unconfined');
  jest.restoreAllMocks();
  const { error, result } = await call(service.url, 'knowledge/query', cypher);
  expect([error, result.data]).toEqual([undefined, { rows: [] }]);
  expect(lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error')).toHaveLength(1);
});
