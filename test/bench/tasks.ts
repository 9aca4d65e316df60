import { Database } from '../../src/graph/database.ts';
import { migrate } from '../../src/graph/migrations.ts';
import { createTasks } from '../../src/tasks/tasks.ts';
import { message, testSkills } from '../a2a/tasks.ts';
import { tasksInMemory } from '../a2a/tasksInMemory.ts';
import { startTestService, type TestService } from '../a2a/testService.ts';
import type { Bench, Figure, Suite } from './bench.ts';
import { keepBusy } from './load.ts';
import { describeMachine, loadAverage } from './machine.ts';
import { openNeo4j } from './neo4j.ts';
import { latencies } from './statistics.ts';

const clients = [1, 8, 64];

/** Counts the transactions of what it stands for. */
class CountingDatabase extends Database {
  transactions = 0;

  override write<T>(...parameters: Parameters<Database['write']>): Promise<T> {
    this.transactions += 1;
    return super.write(...parameters) as Promise<T>;
  }

  override read<T>(...parameters: Parameters<Database['read']>): Promise<T> {
    this.transactions += 1;
    return super.read(...parameters) as Promise<T>;
  }
}

/** Tasks of a skill that does nothing, kept in Neo4j beside the SDK's store in memory; both over HTTP, in this process. */
export const tasks: Suite = async (bench) => {
  const { server, driver } = await openNeo4j(bench);
  const machine = await describeMachine(driver);
  const database = new CountingDatabase({ ...server, database: 'neo4j' });
  bench.opened(() => database.close());
  await migrate(database);
  const kept = createTasks({ database, onError: (error) => bench.say(String(error)) });
  bench.opened(() => kept.close());
  const sides = [
    { side: 'in memory', service: await open(bench, tasksInMemory()) },
    { side: 'in Neo4j', service: await open(bench, kept) },
  ];
  const windowMs = bench.quick ? 1_000 : 5_000;
  const figures: Figure[] = [];
  bench.say('Warming up');
  for (const { service } of sides) await keepBusy(() => send(service), 64, 4 * windowMs);
  for (const count of clients) {
    bench.say(`${count} clients`);
    const group = `Tasks of an empty skill, ${count} ${count === 1 ? 'client' : 'clients'}`;
    const rates: number[] = [];
    for (const { side, service } of sides) {
      const before = database.transactions;
      const { times, seconds } = await keepBusy(() => send(service), count, windowMs);
      rates.push(times.length / seconds);
      figures.push(
        { group, name: `${side}, tasks a second`, value: times.length / seconds, unit: '/s' },
        ...latencies(group, side, times),
      );
      if (service !== sides[1]?.service) continue;
      const perTask = (database.transactions - before) / times.length;
      figures.push({ group, name: 'transactions a task', value: perTask, unit: '' });
    }
    const [memory = Number.NaN, graph = Number.NaN] = rates;
    figures.push({
      group,
      name: 'in Neo4j for each in memory',
      value: graph / memory,
      unit: '',
      aim: '≥ 0.5',
    });
  }
  return { machine: { ...machine, 'load after': loadAverage() }, figures };
};

async function open(bench: Bench, parts: ReturnType<typeof tasksInMemory>): Promise<TestService> {
  const { skills } = testSkills();
  const settings = { TASK_MAX_CONCURRENT: '1000' };
  const service = await startTestService({ skills, settings, a2a: { tasks: parts } });
  bench.opened(() => service.close());
  return service;
}

async function send(service: TestService): Promise<void> {
  const params = message({ skill: 'echo', said: 'nothing' });
  const response = await service.post(
    { jsonrpc: '2.0', id: 1, method: 'SendMessage', params },
    { headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' } },
  );
  const { result } = (await response.json()) as { result: { task: { status: { state: string } } } };
  if (result.task.status.state !== 'TASK_STATE_COMPLETED') throw new Error('A task did not complete');
}
