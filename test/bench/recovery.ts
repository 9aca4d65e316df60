import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import neo4j from 'neo4j-driver';
import { readConfig } from '../../src/config/config.ts';
import { recall } from '../../src/neo4jServer/running.ts';
import { startNeo4j } from '../../src/neo4jServer/server.ts';
import { lastingSettings, ownDataDirectory } from '../support/ownNeo4j.ts';
import type { Bench, Figure, Suite } from './bench.ts';
import { call, post } from './client.ts';
import { load, patches } from './graph.ts';
import { keepBusy } from './load.ts';
import { describeMachine, loadAverage } from './machine.ts';
import { twoHops } from './queryShapes.ts';
import { type ChildServer, startConcord, vocabularyFile } from './servers.ts';
import { median } from './statistics.ts';

const whileAwayMs = 100;
const againMs = 20;
const frozenMs = 10_000;
const fiveMinutesMs = 300_000;

/** What agents go on to do while Neo4j is away, and what tells when they may. */
const calls: Record<string, (url: string) => Promise<unknown>> = {
  'until /readyz answers 200': requireReady,
  'until a query is answered': query,
  'until an update is applied': update,
};

/**
 * How soon Concord serves again once Neo4j answers, after it was killed and started anew, and after it was frozen for
 * ten seconds. With `--large` it is also away for five minutes.
 */
export const recovery: Suite = async (bench) => {
  const directory = ownDataDirectory();
  bench.opened(() => rm(directory, { recursive: true, force: true }));
  const config = readConfig(await lastingSettings(directory));
  let server = await startNeo4j(config, bench.say);
  bench.opened(() => server.close());
  const driver = neo4j.driver(server.uri, neo4j.auth.basic(server.user, server.password));
  const machine = await describeMachine(driver);
  await driver.close();
  const concord = await startConcord(bench, server, vocabularyFile);
  await load(concord.url, patches);
  const pid = () => recall(join(directory, 'neo4j'))?.process.pid ?? 0;
  const restarted = async (awayMs: number) => {
    process.kill(pid(), 'SIGKILL');
    await server.close();
    await sleep(awayMs);
    server = await startNeo4j(config, bench.say);
  };
  const thawed = async () => {
    process.kill(pid(), 'SIGSTOP');
    await sleep(frozenMs);
    process.kill(pid(), 'SIGCONT');
  };
  const rounds = bench.quick ? 1 : 3;
  const figures = await measure(bench, concord, 'Neo4j was killed and started', rounds, () => restarted(0));
  figures.push(...(await measure(bench, concord, 'Neo4j was frozen for ten seconds', rounds, thawed)));
  if (bench.large)
    figures.push(...(await measure(bench, concord, 'Neo4j was away five minutes', 1, () => restarted(fiveMinutesMs))));
  return { machine: { ...machine, 'load after': loadAverage() }, figures };
};

/** @param outage resolves when Neo4j answers again */
async function measure(
  bench: Bench,
  { url }: ChildServer,
  group: string,
  rounds: number,
  outage: () => Promise<void>,
): Promise<Figure[]> {
  const times = new Map(Object.keys(calls).map((name) => [name, [] as number[]]));
  for (let round = 1; round <= rounds; round++) {
    await keepBusy(() => Promise.all([query(url), update(url)]), 4, bench.quick ? 1_000 : 4_000);
    let isAway = true;
    const answered = Object.entries(calls).map(async ([name, ask]) => {
      const isAnswered = () =>
        ask(url).then(
          () => true,
          () => false,
        );
      while (!(await isAnswered()) || isAway) await sleep(isAway ? whileAwayMs : againMs);
      return [name, performance.now()] as const;
    });
    await outage();
    const back = performance.now();
    isAway = false;
    for (const [name, at] of await Promise.all(answered)) times.get(name)?.push((at - back) / 1_000);
    const told = [...times].map(([name, all]) => `${name} ${all.at(-1)?.toFixed(1)} s`);
    bench.say(`${group}, ${round} of ${rounds}: ${told.join(', ')}`);
  }
  return [...times].flatMap(([name, all]) => [
    { group, name, column: 'median', value: median(all), unit: 's', aim: '< 5 s' },
    { group, name, column: 'longest', value: Math.max(...all), unit: 's' },
  ]);
}

async function requireReady(url: string): Promise<void> {
  const { ok } = await fetch(`${url}/readyz`);
  if (!ok) throw new Error('not ready');
}

async function query(url: string): Promise<void> {
  const { errors } = (await post(`${url}/graphql`, { query: twoHops.query, variables: twoHops.variables[0] })) as {
    errors?: object[];
  };
  if (errors) throw new Error(JSON.stringify(errors));
}

let count = 0;

async function update(url: string): Promise<void> {
  const statement = {
    subject: { id: 'urn:bench:recovery' },
    predicate: { id: 'urn:bench:count' },
    object: { value: count++ },
  };
  await call(url, 'knowledge/update', { mutations: [{ op: 'replace', statement }], sourceAgentId: 'bench' });
}
