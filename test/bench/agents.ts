import { randomUUID } from 'node:crypto';
import type { Bench, Figure, Suite } from './bench.ts';
import { keepBusy } from './load.ts';
import { describeMachine, loadAverage } from './machine.ts';
import { openNeo4j } from './neo4j.ts';
import { startConcord, startWorker, vocabularyFile } from './servers.ts';
import { latencies, percentile } from './statistics.ts';

const clients = [1, 32];
/** One principal asks all. */
const settings = { TASK_MAX_CONCURRENT: '1000', AGENT_ALLOW: '127.0.0.1' };

/** Tasks that Concord hands on to an agent, beside the same agent called directly; they take turns. */
export const agents: Suite = async (bench) => {
  const { server, driver } = await openNeo4j(bench);
  const machine = await describeMachine(driver);
  const concord = await startConcord(bench, server, vocabularyFile, settings);
  const worker = await startWorker(bench);
  await post(`${concord.url}/a2a`, 'agents/register', { id: 'worker', url: worker.url });
  const direct = () => send(worker.url, { text: 'hello' });
  const delegated = () => send(concord.url, { data: { skill: 'delegate', to: 'worker', message: 'hello' } });
  const windowMs = bench.quick ? 1_500 : 5_000;
  const rounds = bench.quick ? 2 : 4;
  bench.say('Warming up');
  for (const ask of [direct, delegated]) await keepBusy(ask, 32, 4 * windowMs);
  const figures: Figure[] = [];
  for (const count of clients) figures.push(...(await measure(bench, { direct, delegated }, count, windowMs, rounds)));
  return { machine: { ...machine, 'load after': loadAverage() }, figures };
};

type Ask = () => Promise<void>;

async function measure(
  bench: Bench,
  { direct, delegated }: { direct: Ask; delegated: Ask },
  count: number,
  windowMs: number,
  rounds: number,
): Promise<Figure[]> {
  bench.say(`${count} clients`);
  const group = `Tasks of another agent, ${count} ${count === 1 ? 'client' : 'clients'}`;
  const sides = [
    { name: 'asked directly', ask: direct, times: [] as number[], rates: [] as number[] },
    { name: 'delegated', ask: delegated, times: [] as number[], rates: [] as number[] },
  ];
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 ? sides.toReversed() : sides) {
      const { times, seconds } = await keepBusy(side.ask, count, windowMs);
      side.times.push(...times);
      side.rates.push(times.length / seconds);
    }
  }
  const [one, other] = sides.map(({ times, rates }) => ({ p50: percentile(times, 0.5), rate: percentile(rates, 0.5) }));
  const onTop = (other?.p50 ?? Number.NaN) - (one?.p50 ?? Number.NaN);
  const ratio = (other?.rate ?? Number.NaN) / (one?.rate ?? Number.NaN);
  return [
    ...sides.flatMap(({ name, times, rates }) => [
      { group, name: `${name}, tasks a second`, value: percentile(rates, 0.5), unit: '/s' },
      ...latencies(group, name, times),
    ]),
    { group, name: 'on top of asking directly, p50', value: onTop, unit: 'ms', ...(count === 1 && { aim: '<= 20' }) },
    { group, name: 'delegated for each direct', value: ratio, unit: '', ...(count > 1 && { aim: '>= 0.5' }) },
  ];
}

interface Task {
  status: { state: string };
}

async function send(url: string, part: object): Promise<void> {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [part] };
  const { task } = await post<{ task: Task }>(`${url}/a2a`, 'SendMessage', { message });
  if (task.status.state !== 'TASK_STATE_COMPLETED') throw new Error(`A task did not complete: ${JSON.stringify(task)}`);
}

async function post<Result>(url: string, method: string, params: object): Promise<Result> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result: Result; error?: object };
  if (error) throw new Error(JSON.stringify(error));
  return result;
}
