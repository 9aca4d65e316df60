import { randomUUID } from 'node:crypto';
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
 * Tasks of the skill `query`, kept in Neo4j, beside the same service with the SDK's store in memory, and beside tasks
 * of the first A2A; they take turns over one graph.
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
  await keepBusy(() => runByAgentOs(kept), 64, windowMs);
  await keepBusy(() => sendFirst(kept), 64, windowMs);
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
    { name: 'in memory', ask: () => send(servers.forgetful), times: [] as number[], rates: [] as number[] },
    { name: 'in Neo4j', ask: () => send(servers.kept), times: [] as number[], rates: [] as number[] },
    { name: 'by AgentOS', ask: () => runByAgentOs(servers.kept), times: [] as number[], rates: [] as number[] },
    { name: 'of the first A2A', ask: () => sendFirst(servers.kept), times: [] as number[], rates: [] as number[] },
  ];
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 ? sides.toReversed() : sides) {
      const { times, seconds } = await keepBusy(side.ask, count, windowMs);
      side.times.push(...times);
      side.rates.push(times.length / seconds);
    }
  }
  const [memory = Number.NaN, graph = Number.NaN, agentOs = Number.NaN, first = Number.NaN] = sides.map(({ rates }) =>
    percentile(rates, 0.5),
  );
  return [
    ...sides.flatMap(({ name, times, rates }) => [
      { group, name: `${name}, tasks a second`, value: percentile(rates, 0.5), unit: '/s' },
      ...latencies(group, name, times),
    ]),
    { group, name: 'in Neo4j for each in memory', value: graph / memory, unit: '', aim: '>= 0.5' },
    { group, name: 'by AgentOS for each of A2A 1.0', value: agentOs / graph, unit: '', aim: '>= 0.95' },
    { group, name: 'of the first A2A for each of 1.0', value: first / graph, unit: '', aim: '>= 0.95' },
  ];
}

let asked = 0;

/** The same as `send`, in the words of AgentOS; both are kept in Neo4j. */
async function runByAgentOs({ url }: ChildServer): Promise<void> {
  const { query, variables } = nextData();
  const { task } = await post<{ task: { state: string } }>(`${url}/a2a/query/rpc`, 'run', {
    task: query,
    context: { variables },
  });
  requireCompleted({ status: task }, 'completed');
}

function nextData() {
  const { query, variables } = twoHops;
  asked += 1;
  return { skill: 'query', query, variables: variables[asked % variables.length] };
}

async function send({ url }: ChildServer): Promise<void> {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: nextData() }] };
  const { task } = await post<{ task: Task }>(`${url}/a2a`, 'SendMessage', { message }, { 'A2A-Version': '1.0' });
  requireCompleted(task, 'TASK_STATE_COMPLETED');
}

/** The same in the first A2A, whose clients choose the ids of their tasks. */
async function sendFirst({ url }: ChildServer): Promise<void> {
  const message = { role: 'user', parts: [{ type: 'data', data: nextData() }] };
  requireCompleted(await post<Task>(`${url}/a2a`, 'tasks/send', { id: randomUUID(), message }), 'completed');
}

interface Task {
  status: { state: string };
}

async function post<Result>(url: string, method: string, params: object, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result: Result; error?: object };
  if (error) throw new Error(JSON.stringify(error));
  return result;
}

function requireCompleted({ status }: Task, completed: string): void {
  if (status.state !== completed) throw new Error(`A task did not complete: ${status.state}`);
}
