import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../graph/qualify/random.ts';
import { faultsOf } from './checks.ts';
import { OwnNeo4j } from './ownNeo4j.ts';
import { OwnService } from './ownService.ts';
import { type Acknowledged, type Occurrences, occurrences, type Writing, write } from './writer.ts';

export interface Plan {
  seed: number;
  /** How often each is killed. */
  serviceKills: number;
  neo4jKills: number;
}

export interface Summary {
  acknowledged: number;
  seen: Occurrences;
  faults: string[];
}

const writers = 16;
/** Longer than anything takes to come back. */
const patienceMs = 900_000;

/**
 * Sixteen agents write over HTTP while the service and its Neo4j are killed and come back; then looks at what is in the
 * database.
 * @param report told of each kill
 */
export async function runCrashes(
  { seed, serviceKills, neo4jKills }: Plan,
  report: (line: string) => void,
): Promise<Summary> {
  const random = new Random(seed);
  const neo4j = await OwnNeo4j.start();
  const acknowledged: Acknowledged[] = [];
  const seen = occurrences([
    ...(serviceKills > 0 ? (['service killed'] as const) : []),
    ...(neo4jKills > 0 ? (['Neo4j killed'] as const) : []),
  ]);
  const abandoned = new AbortController();
  const writing: Writing = {
    url: '',
    acknowledged,
    seen,
    pauseMs: 0,
    isOver: false,
    signal: abandoned.signal,
  };
  let service: OwnService | undefined;
  let neo4jIsBack = Promise.resolve();
  try {
    service = await OwnService.start(neo4j.environment);
    writing.url = service.url;
    const seeds = Array.from({ length: writers }, () => random.below(2 ** 31));
    const all = Promise.all(seeds.map((each, n) => write(`agent-${n}`, new Random(each), writing)));
    all.catch((error) => abandoned.abort(error));
    const kills = shuffled(random, [
      ...Array<'service'>(serviceKills).fill('service'),
      ...Array<'neo4j'>(neo4jKills).fill('neo4j'),
    ]);
    for (const [index, victim] of kills.entries()) {
      await moment(random, acknowledged, abandoned.signal);
      report(`${index + 1}/${kills.length}: ${victim}, after ${acknowledged.length} updates`);
      if (victim === 'service') {
        await killed(service);
        seen.add('service killed');
      } else {
        // The service may be killed while there is no Neo4j.
        await neo4jIsBack;
        neo4jIsBack = neo4j.killed();
        neo4jIsBack.catch((error) => abandoned.abort(error));
        seen.add('Neo4j killed');
      }
    }
    await neo4jIsBack;
    // Whatever comes last is seen to go on.
    await moreOf(acknowledged, writers, abandoned.signal);
    writing.isOver = true;
    await all;
    await service.close();
    service = undefined;
    const database = neo4j.database();
    const faults = await faultsOf(database, acknowledged).finally(() => database.close());
    return { acknowledged: acknowledged.length, seen, faults };
  } finally {
    abandoned.abort();
    service?.kill();
    await service?.close().catch(() => {});
    await neo4jIsBack.catch(() => {});
    await neo4j.close();
  }
}

/**
 * Mostly in the middle of updates: after some more of them and a moment, so that it doesn't matter how fast they are.
 * Sometimes at once, when what was killed last is about to come back.
 */
export async function moment(random: Random, acknowledged: Acknowledged[], signal: AbortSignal): Promise<void> {
  if (random.chance(0.2)) return sleep(random.below(3_000));
  await moreOf(acknowledged, 1 + random.below(40), signal);
  await sleep(random.below(50));
}

/** Settles after so many more updates. @throws the reason of the signal */
export async function moreOf(acknowledged: Acknowledged[], updates: number, signal: AbortSignal): Promise<void> {
  const end = Date.now() + patienceMs;
  for (const wanted = acknowledged.length + updates; acknowledged.length < wanted; await sleep(1)) {
    signal.throwIfAborted();
    if (Date.now() > end) throw new Error(`No ${updates} updates were acknowledged in ${patienceMs} ms`);
  }
}

async function killed(service: OwnService): Promise<void> {
  while (!service.kill()) await sleep(1);
}

/** All in a random order. */
export function shuffled<T>(random: Random, all: T[]): T[] {
  return all
    .map((each) => [random.next(), each] as const)
    .sort(([one], [other]) => one - other)
    .map(([, each]) => each);
}

/** What is printed of a run, the count last. */
export function summaryLines({ acknowledged, seen, faults }: Summary, { seed }: Plan): string[] {
  return [...faults.slice(0, 20), `SEED=${seed}`, `${seen}`, `${acknowledged} updates, ${faults.length} faults`];
}
