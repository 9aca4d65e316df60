import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Driver } from 'neo4j-driver';
import type { Bench, Figure, Suite } from './bench.ts';
import { call } from './client.ts';
import { keepBusy } from './load.ts';
import { describeMachine, loadAverage } from './machine.ts';
import { openOwnNeo4j } from './neo4j.ts';
import { type ChildServer, startConcord, vocabularyFile } from './servers.ts';
import { median } from './statistics.ts';

type Mode = 'off' | 'report';

const writers = 8;
const bulk = 2_000;
const longestTakingMs = 300_000;

/**
 * What the trigger costs Concord's own writes, with it and without it turn by turn; and how long edits by hand take, of
 * one transaction, until they are statements.
 */
export const capture: Suite = async (bench) => {
  const { server, driver } = await openOwnNeo4j(bench);
  const machine = await describeMachine(driver);
  const rates: Record<'small' | 'large', Record<Mode, number[]>> = {
    small: { off: [], report: [] },
    large: { off: [], report: [] },
  };
  const start = (mode: Mode) => startConcord(bench, server, vocabularyFile, { CAPTURE: mode, MAX_MUTATIONS: '20000' });
  const turns: Mode[] = bench.quick ? ['off', 'report'] : ['off', 'report', 'report', 'off', 'off', 'report'];
  // Not measured: what is planned and compiled once.
  await measureOwn(bench, await start('off'), 'nothing');
  for (const mode of turns) {
    const { small, large } = await measureOwn(bench, await start(mode), mode);
    rates.small[mode].push(small);
    rates.large[mode].push(large);
  }
  const figures = [
    ...compared(`Updates of one statement, ${writers} writers`, '/s', rates.small),
    ...compared(`Updates of ${bulk.toLocaleString('en')} statements`, 'statements/s', rates.large),
  ];
  const concord = await start('report');
  for (const edits of bench.quick ? [500] : [1_000, 6_000])
    figures.push(...(await byHand(bench, driver, concord, edits)));
  return { machine: { ...machine, 'load after': loadAverage() }, figures };
};

/** Single updates a second, and statements a second of large ones. */
async function measureOwn(
  bench: Bench,
  concord: ChildServer,
  mode: Mode | 'nothing',
): Promise<{ small: number; large: number }> {
  bench.say(`Concord's own writes: ${mode}`);
  const windowMs = bench.quick ? 1_000 : 8_000;
  const one = () => call(concord.url, 'knowledge/update', statements(1));
  await keepBusy(one, writers, windowMs / 4);
  const small = await keepBusy(one, writers, windowMs);
  const large = await keepBusy(() => call(concord.url, 'knowledge/update', statements(bulk)), 1, windowMs);
  await concord.stop();
  return { small: small.times.length / small.seconds, large: (bulk * large.times.length) / large.seconds };
}

/** None of them is there yet. */
function statements(count: number): object {
  const base = `urn:bench:${randomUUID()}:`;
  const mutations = Array.from({ length: count }, (_, index) => ({
    op: 'add',
    statement: {
      subject: { id: base + (index % Math.ceil(count / 4)) },
      predicate: { id: 'urn:bench#near' },
      object: { id: base + ((index * 7) % count) },
    },
  }));
  return { sourceAgentId: 'bench', mutations };
}

function compared(group: string, unit: string, { off, report }: Record<Mode, number[]>): Figure[] {
  const [without, withIt] = [median(off), median(report)];
  return [
    { group, name: 'CAPTURE=off', value: without, unit },
    { group, name: 'CAPTURE=report', value: withIt, unit },
    { group, name: 'report / off', value: (100 * withIt) / without, unit: '%' },
  ];
}

/** Made, changed and deleted in one transaction each, as somebody does it in Neo4j Browser. */
async function byHand(bench: Bench, driver: Driver, { url }: ChildServer, edits: number): Promise<Figure[]> {
  const group = `${edits.toLocaleString('en')} edits by hand in one transaction`;
  const graph = `urn:bench:hand:${edits}`;
  await call(url, 'knowledge/update', {
    sourceAgentId: 'bench',
    mutations: Array.from({ length: edits / 2 }, (_, index) => ({
      op: 'add',
      statement: { subject: { id: `${graph}:${index}` }, predicate: { id: 'urn:bench#is' }, object: { value: index } },
    })),
  });
  const cypher = {
    made: `UNWIND range(0, $edits - 1) AS i
      MATCH (a:Entity {tenant: 'default', id: $graph + ':' + (i % ($edits / 2))})
      MATCH (b:Entity {tenant: 'default', id: $graph + ':' + ((i * 7 + i / ($edits / 2) + 1) % ($edits / 2))})
      CREATE (a)-[:NEAR {graph: $graph}]->(b)`,
    changed: 'MATCH ()-[r:NEAR {graph: $graph}]->() SET r.certainty = 0.5',
    deleted: 'MATCH ()-[r:NEAR {graph: $graph}]->() DELETE r',
  };
  const figures: Figure[] = [];
  for (const [what, query] of Object.entries(cypher)) {
    bench.say(`${group}: ${what}`);
    const began = performance.now();
    await driver.executeQuery(query, { edits: BigInt(edits), graph });
    const committed = performance.now();
    await taken(driver);
    const end = performance.now();
    figures.push(
      { group, name: `${what}: commit`, value: (committed - began) / 1_000, unit: 's' },
      { group, name: `${what}: until all are statements`, value: (end - committed) / 1_000, unit: 's' },
    );
  }
  return figures;
}

async function taken(driver: Driver): Promise<void> {
  for (const end = Date.now() + longestTakingMs; ; await wait(50)) {
    const { records } = await driver.executeQuery('MATCH (e:DirectEdit) RETURN count(e) AS left');
    if (Number(records[0]?.get('left')) === 0) return;
    if (Date.now() > end) throw new Error(`Edits have not been taken within ${longestTakingMs / 1_000} s`);
  }
}
