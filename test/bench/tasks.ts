import type { Bench, Figure, Suite } from './bench.ts';
import { load, patches } from './graph.ts';
import { keepBusy } from './load.ts';
import { describeMachine, loadAverage } from './machine.ts';
import { openNeo4j } from './neo4j.ts';
import { twoHops } from './queryShapes.ts';
import { type ChildServer, startConcord, startForgetful, vocabularyFile } from './servers.ts';
import { latencies, percentile } from './statistics.ts';

const clients = [1, 8, 64];
/** One principal asks all. */
const settings = { TASK_MAX_CONCURRENT: '1000', QUERY_MAX_CONCURRENT: '1000' };

/**
 * Tasks of the skill `query`, kept in Neo4j, beside the same service with the SDK's store in memory; they take turns
 * over one graph.
 */
export const tasks: Suite = async (bench) => {
  const { server, driver } = await openNeo4j(bench);
  const machine = await describeMachine(driver);
  const kept = await startConcord(bench, server, vocabularyFile, settings);
  await load(kept.url, patches);
  const forgetful = await startForgetful(bench, server, vocabularyFile, settings);
  const windowMs = bench.quick ? 1_000 : 4_000;
  const rounds = bench.quick ? 1 : 3;
  const figures: Figure[] = [];
  bench.say('Warming up');
  for (const each of [forgetful, kept]) await keepBusy(() => send(each), 64, 4 * windowMs);
  for (const count of clients)
    figures.push(...(await measure(bench, { kept, forgetful }, { count, windowMs, rounds })));
  return { machine: { ...machine, 'load after': loadAverage() }, figures };
};

async function measure(
  bench: Bench,
  servers: Record<'kept' | 'forgetful', ChildServer>,
  { count, windowMs, rounds }: { count: number; windowMs: number; rounds: number },
): Promise<Figure[]> {
  bench.say(`${count} clients`);
  const group = `Tasks of query (${twoHops.name}), ${count} ${count === 1 ? 'client' : 'clients'}`;
  const sides = [
    { name: 'in memory', server: servers.forgetful, times: [] as number[], rates: [] as number[] },
    { name: 'in Neo4j', server: servers.kept, times: [] as number[], rates: [] as number[] },
  ];
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 ? sides.toReversed() : sides) {
      const { times, seconds } = await keepBusy(() => send(side.server), count, windowMs);
      side.times.push(...times);
      side.rates.push(times.length / seconds);
    }
  }
  const [memory = Number.NaN, graph = Number.NaN] = sides.map(({ rates }) => percentile(rates, 0.5));
  return [
    ...sides.flatMap(({ name, times, rates }) => [
      { group, name: `${name}, tasks a second`, value: percentile(rates, 0.5), unit: '/s' },
      ...latencies(group, name, times),
    ]),
    { group, name: 'in Neo4j for each in memory', value: graph / memory, unit: '', aim: '>= 0.5' },
  ];
}

let asked = 0;

async function send({ url }: ChildServer): Promise<void> {
  const { query, variables } = twoHops;
  asked += 1;
  const data = { skill: 'query', query, variables: variables[asked % variables.length] };
  const message = { messageId: `bench-${asked}`, role: 'ROLE_USER', parts: [{ data }] };
  const response = await fetch(`${url}/a2a`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
  });
  const { result } = (await response.json()) as { result?: { task: { status: { state: string } } } };
  if (result?.task.status.state !== 'TASK_STATE_COMPLETED') throw new Error('A task did not complete');
}
