import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BreakableProxy } from '../../client/proxy.ts';
import type { Random } from '../../graph/qualify/random.ts';
import type { OwnNeo4j } from '../crash/ownNeo4j.ts';
import type { OwnService } from '../crash/ownService.ts';
import { isReady } from '../rolling/replica.ts';

/** What is disturbed. */
export interface Stage {
  neo4j: OwnNeo4j;
  replicas: readonly OwnService[];
  /** Before the replicas. */
  front: BreakableProxy;
  /** Files that say how many milliseconds the clock of each replica is ahead. */
  clocks: readonly string[];
  random: Random;
  /** Settles after so many more updates. */
  more(updates: number): Promise<void>;
  fault(line: string): void;
}

export const disturbances = {
  'rolling restart': rollingRestart,
  'replica killed': replicaKilled,
  'Neo4j killed': neo4jKilled,
  'connections cut': connectionsCut,
  'packets slowed': packetsSlowed,
  'disk full': diskFull,
  'clock jumps': clockJumps,
} satisfies Record<string, (stage: Stage) => Promise<void>>;

export type Disturbance = keyof typeof disturbances;

/** Settles once both serve. */
export async function allReady(replicas: readonly OwnService[]): Promise<void> {
  for (const { url } of replicas) while (!(await isReady(url))) await sleep(50);
}

async function rollingRestart({ replicas, more, fault }: Stage): Promise<void> {
  for (const replica of replicas) {
    const lives = replica.ends.length;
    replica.restart();
    while (replica.ends.length === lives) await sleep(20);
    if (replica.ends.at(-1) !== 0) fault(`a replica that was told to end came to ${replica.ends.at(-1)}`);
    await allReady([replica]);
    await more(10);
  }
}

async function replicaKilled({ replicas, random }: Stage): Promise<void> {
  random.pick(replicas).kill();
  await sleep(50);
  await allReady(replicas);
}

async function neo4jKilled({ neo4j, replicas }: Stage): Promise<void> {
  await neo4j.killed();
  await allReady(replicas);
}

async function connectionsCut({ front, random, more }: Stage): Promise<void> {
  front.budget = () => (random.chance(0.5) ? Number.POSITIVE_INFINITY : 1 + random.below(random.pick([500, 40_000])));
  for (let times = 0; times < 5; times++) {
    front.cut();
    await more(10);
  }
  front.budget = () => Number.POSITIVE_INFINITY;
}

async function packetsSlowed({ front, random, more }: Stage): Promise<void> {
  front.lag = () => random.below(200);
  await more(30);
  front.lag = () => 0;
}

/** Of what somebody else writes until the disk holds no more; Neo4j has kept room for its log in advance. */
const text = 'x'.repeat(4_000);
const mostFillings = 200;

async function diskFull({ neo4j, replicas, fault }: Stage): Promise<void> {
  neo4j.disk?.fill();
  const database = neo4j.database();
  let fillings = 0;
  const filling = () =>
    database.run('WRITE', 'UNWIND range(1, 2000) AS n CREATE (:Filling {n: n, text: $text})', { text });
  for (let isFull = false; !isFull && fillings < mostFillings; fillings++)
    await filling().catch(() => {
      isFull = true;
    });
  if (fillings === mostFillings) fault('the disk did not become full');
  await sleep(2_000);
  neo4j.disk?.free();
  await database.close();
  await neo4j.killed();
  await allReady(replicas);
}

/** An hour ahead and half an hour behind, of one replica and not of the other, and back. */
async function clockJumps({ clocks, random, more }: Stage): Promise<void> {
  for (const ahead of [3_600_000, -1_800_000, 0]) {
    writeFileSync(random.pick(clocks), String(ahead));
    await more(20);
  }
  for (const clock of clocks) writeFileSync(clock, '0');
}
