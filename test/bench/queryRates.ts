import type { Driver } from 'neo4j-driver';
import { compareAnswers } from './answers.ts';
import type { Bench, Figure } from './bench.ts';
import { keepBusy, type Load } from './load.ts';
import type { QueryShape } from './queryShapes.ts';
import { type Ask, asksOf, type Reader, readers } from './readers.ts';
import type { SideBySide } from './sideBySide.ts';
import { median, percentile } from './statistics.ts';

export interface QueryLoad {
  shapes: QueryShape[];
  /** Numbers of clients, one measurement each. */
  clients: number[];
}

/**
 * Orders in which each comes after each other equally often: what a server still does after its turn burdens all alike.
 */
const orders: Reader[][] = [
  ['driver', 'bare', 'certain', 'concord'],
  ['bare', 'concord', 'driver', 'certain'],
  ['concord', 'certain', 'bare', 'driver'],
  ['certain', 'driver', 'concord', 'bare'],
];

/** A reader's turns, one in each round, and how long Concord waited for Neo4j in each of its queries. */
type Turns = Record<Reader, { loads: Load[]; databaseMs: number[] }>;

/**
 * One client's turns are short, so that other work on the machine hits all alike; many clients need a while to be busy
 * together.
 */
const windowMs = (clients: number) => (clients === 1 ? 50 : 500);

/** Slow queries of many clients take turns of many seconds; after this long, a full set of orders is enough. */
const enoughMs = 60_000;

/**
 * Queries answered by Concord without and with a required certainty, by a bare Apollo Server, and by the driver with
 * the same Cypher, which take turns.
 */
export async function measureQueries(
  bench: Bench,
  sides: SideBySide,
  driver: Driver,
  { shapes, clients }: QueryLoad,
): Promise<Figure[]> {
  for (const { name, on } of sides.bareIndexes)
    await driver.executeQuery(`CREATE INDEX ${name} IF NOT EXISTS FOR ${on}`);
  await driver.executeQuery('CALL db.awaitIndexes(300)');
  const figures: Figure[] = [];
  for (const shape of shapes) {
    bench.say(`Queries: ${shape.name}`);
    const asks = await asksOf(sides, driver, shape);
    const changed = await compareAnswers(asks, shape.variables.length);
    bench.say(`Of ${shape.variables.length} answers the required certainty changes ${changed}`);
    for (const count of clients) {
      const turns = await takeTurns(bench, asks, shape.variables.length, count);
      figures.push(...figuresOf(shape.name, turns, count));
    }
  }
  for (const { name } of sides.bareIndexes) await driver.executeQuery(`DROP INDEX ${name}`);
  return figures;
}

async function takeTurns(
  { quick }: Bench,
  asks: Record<Reader, Ask>,
  variables: number,
  clients: number,
): Promise<Turns> {
  const turns: Turns = { driver: none(), bare: none(), concord: none(), certain: none() };
  // Everyone goes through the same questions in the same order.
  const asked: Record<Reader, number> = { driver: 0, bare: 0, concord: 0, certain: 0 };
  const sets = Math.ceil((quick ? 500 : 8_000) / windowMs(clients) / orders.length);
  const started = performance.now();
  for (let set = -Math.ceil(sets / 4); set < sets; set++) {
    if (set > 0 && performance.now() - started > enoughMs) break;
    for (const reader of orders.flat()) {
      const databaseMs: number[] = [];
      const ask = async () => {
        const answer = await asks[reader](asked[reader]++ % variables);
        if (answer.databaseMs !== undefined) databaseMs.push(answer.databaseMs);
      };
      const load = await keepBusy(ask, clients, windowMs(clients));
      // The first sets warm up.
      if (set < 0) continue;
      turns[reader].loads.push(load);
      turns[reader].databaseMs = turns[reader].databaseMs.concat(databaseMs);
    }
  }
  return turns;
}

const none = (): Turns[Reader] => ({ loads: [], databaseMs: [] });

/** The columns name the number of clients. */
function figuresOf(group: string, turns: Turns, clients: number): Figure[] {
  const p50 = `p50 of ${clients}`;
  const p99 = `p99 of ${clients}`;
  const rate = `rate of ${clients}`;
  const rows = (Object.keys(readers) as Reader[]).flatMap((reader): Figure[] => {
    const figure = { group, name: readers[reader] };
    const { loads } = turns[reader];
    const times = loads.flatMap((load) => load.times);
    const seconds = loads.reduce((sum, load) => sum + load.seconds, 0);
    return [
      { ...figure, column: p50, value: median(times), unit: 'ms' },
      { ...figure, column: p99, value: percentile(times, 0.99), unit: 'ms' },
      { ...figure, column: rate, value: times.length / seconds, unit: '/s' },
    ];
  });
  const waits = (['concord', 'certain'] as const).map((reader): Figure => {
    const name = `${readers[reader]}, its wait for Neo4j`;
    return { group, name, column: p50, value: median(turns[reader].databaseMs), unit: 'ms' };
  });
  const ratio = (one: Reader, other: Reader, aim: string): Figure[] => {
    const figure = { group, name: `${readers[one]} / ${readers[other]}`, unit: 'x' };
    const medianOf = (value: (load: Load) => number) => median(byRound(turns[one].loads, turns[other].loads, value));
    return [
      { ...figure, column: p50, value: medianOf(({ times }) => median(times)), aim },
      { ...figure, column: rate, value: medianOf(({ times, seconds }) => times.length / seconds) },
    ];
  };
  return [...rows, ...waits, ...ratio('concord', 'bare', 'p50 <= 1 x'), ...ratio('certain', 'concord', 'p50 <= 1.3 x')];
}

/** Ratios of turns of the same round: what else the machine did then is in both. */
function byRound(ones: Load[], others: Load[], value: (load: Load) => number): number[] {
  return ones.flatMap((one, round) => {
    const other = others[round];
    return other ? [value(one) / value(other)] : [];
  });
}
