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

/**
 * Tasks that Concord hands on to an agent, beside the same agent called directly; and messages of ONE, beside the same
 * tasks over A2A. The two sides take turns.
 */
export const agents: Suite = async (bench) => {
  const { server, driver } = await openNeo4j(bench);
  const machine = await describeMachine(driver);
  const concord = await startConcord(bench, server, vocabularyFile, settings);
  const worker = await startWorker(bench);
  await post(`${concord.url}/a2a`, 'agents/register', { id: 'worker', url: worker.url });
  const direct = () => send(worker.url, { text: 'hello' });
  const delegated = () => send(concord.url, { data: { skill: 'delegate', to: 'worker', message: 'hello' } });
  const task = () => send(concord.url, { data: { skill: 'query', query } });
  const message = () => say(concord.url);
  const windowMs = bench.quick ? 1_500 : 5_000;
  const rounds = bench.quick ? 2 : 4;
  bench.say('Warming up');
  for (const ask of [direct, delegated, task, message]) await keepBusy(ask, 32, 4 * windowMs);
  const figures: Figure[] = [];
  for (const count of clients) {
    const measured = (sides: [Side, Side]) => measure(bench, sides, count, windowMs, rounds);
    const group = (what: string) => `${what}, ${count} ${count === 1 ? 'client' : 'clients'}`;
    const handedOn = await measured([sideOf('asked directly', direct), sideOf('delegated', delegated)]);
    figures.push(...figuresOf(group('Tasks of another agent'), handedOn, count));
    const said = await measured([sideOf('over A2A', task), sideOf("in ONE's envelope", message)]);
    figures.push(...ratesOf(group('Queries as tasks'), said));
  }
  const alone = sideOf('of one step', () => send(concord.url, workflowOf(1)));
  const ten = sideOf('of ten steps side by side', () => send(concord.url, workflowOf(10)));
  const measured = await measure(bench, [alone, ten], 1, windowMs, rounds);
  const times = measured.map((side) => percentile(side.times, 0.5)) as [number, number];
  const group = 'Workflows of another agent, 1 client';
  figures.push(...ratesOf(group, measured), {
    group,
    name: 'ten steps for one, p50',
    value: times[1] / times[0],
    unit: '',
  });
  return { machine: { ...machine, 'load after': loadAverage() }, figures };
};

/** Steps that need nothing of one another, each done by the worker. */
const workflowOf = (count: number) => ({
  data: {
    skill: 'coordinate',
    steps: Array.from({ length: count }, (_, n) => ({ id: `s${n}`, agent: 'worker', message: 'hello' })),
  },
});

type Ask = () => Promise<void>;

/** One way to ask, and what it came to. */
interface Side {
  name: string;
  ask: Ask;
  times: number[];
  rates: number[];
}

const sideOf = (name: string, ask: Ask): Side => ({ name, ask, times: [], rates: [] });

async function measure(
  bench: Bench,
  sides: [Side, Side],
  count: number,
  windowMs: number,
  rounds: number,
): Promise<[Side, Side]> {
  bench.say(`${count} clients: ${sides.map(({ name }) => name).join(', ')}`);
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 ? sides.toReversed() : sides) {
      const { times, seconds } = await keepBusy(side.ask, count, windowMs);
      side.times.push(...times);
      side.rates.push(times.length / seconds);
    }
  }
  return sides;
}

function figuresOf(group: string, [direct, delegated]: [Side, Side], count: number): Figure[] {
  const onTop = percentile(delegated.times, 0.5) - percentile(direct.times, 0.5);
  const ratio = percentile(delegated.rates, 0.5) / percentile(direct.rates, 0.5);
  return [
    ...ratesOf(group, [direct, delegated]),
    { group, name: 'on top of asking directly, p50', value: onTop, unit: 'ms', ...(count === 1 && { aim: '<= 20' }) },
    { group, name: 'delegated for each direct', value: ratio, unit: '', ...(count > 1 && { aim: '>= 0.5' }) },
  ];
}

const ratesOf = (group: string, sides: [Side, Side]): Figure[] =>
  sides.flatMap(({ name, times, rates }) => [
    { group, name: `${name}, tasks a second`, value: percentile(rates, 0.5), unit: '/s' },
    ...latencies(group, name, times),
  ]);

interface Task {
  status: { state: string };
}

async function send(url: string, part: object): Promise<void> {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [part] };
  const { task } = await post<{ task: Task }>(`${url}/a2a`, 'SendMessage', { message });
  if (task.status.state !== 'TASK_STATE_COMPLETED') throw new Error(`A task did not complete: ${JSON.stringify(task)}`);
}

const query = '{ entities(limit: 1) { id } }';

/** The same as a message of ONE, each a conversation of its own. */
async function say(url: string): Promise<void> {
  const response = await fetch(`${url}/a2a/messages`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-A2A-Version': '1.0' },
    body: JSON.stringify({
      ...{ version: '1.0', messageId: randomUUID(), timestamp: Date.now() },
      ...{ from: { agentId: 'bench' }, to: { agentId: 'concord' } },
      message: { type: 'task_delegation', content: { task: 'query', parameters: { query } } },
    }),
  });
  const { message } = (await response.json()) as { message: { content: { status?: string } } };
  if (message.content.status !== 'completed') throw new Error(`A message came to: ${JSON.stringify(message)}`);
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
