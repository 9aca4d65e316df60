import { readFile } from 'node:fs/promises';
import { mutated } from '../graph/qualify/leaks/mutation.ts';
import { Random } from '../graph/qualify/random.ts';
import { ask, faultOf, hidings, seen } from '../security/confinement/hidden.ts';
import { mutatedByCharacters } from './characters.ts';
import { startWorld } from './worldProcess.ts';

const corpus = new URL('./corpus.cypher', import.meta.url);
/** What a query may take at most, and what it takes until this has been noticed. */
const timeoutMs = 2_000;
const graceMs = 3_000;
/** What the event loop may stand still for. */
const blockedMs = 100;
/** Queries between two looks at the event loop, and on their way at once. */
const perLook = 100;
const atOnce = 4;

const variables = {
  ...seen,
  id: 'urn:open:a',
  one: 1,
  half: 0.5,
  yes: true,
  list: ['a', 1, null],
  map: { a: { b: 1 } },
  p0: 'open b',
  graph: 'urn:g:open',
};

interface RunOptions {
  cases: number;
  seed: number;
  timed: boolean;
}

/**
 * Asks a service queries that were mutated, by tokens and by characters, from those of `corpus.cypher`.
 * @param timed whether to count as faults answers that come after the limit and a blocked event loop, which need a
 *   machine with nothing else to do
 * @returns the number of faults, such as marks of what is hidden and faults of Concord's own
 */
export async function run({ cases, seed, timed }: RunOptions): Promise<number> {
  const random = new Random(seed);
  const queries = (await readFile(corpus, 'utf8')).trimEnd().split('\n---\n');
  const world = await startWorld({ QUERY_TIMEOUT_MS: `${timeoutMs}`, QUERY_MAX_ROWS: '20000' });
  const faults: string[] = [];
  const told = new Map<string, number>();
  const slowest: { text: string; took: number }[] = [];
  let longest = 0;
  const tryOne = async (text: string, at: number) => {
    const hiding = hidings[at % hidings.length] ?? 'graph';
    const started = performance.now();
    const answer = await ask(world, text, variables, hiding);
    const took = performance.now() - started;
    const reason = answer.error ? `${answer.error.code} ${answer.error.data?.reason ?? ''}` : 'answered';
    told.set(reason, (told.get(reason) ?? 0) + 1);
    slowest.push({ text, took });
    slowest.sort((one, other) => other.took - one.took).splice(5);
    const late = timed && took > timeoutMs + graceMs ? `took ${Math.round(took)} ms` : undefined;
    const away = reason.endsWith('database-unavailable') ? 'made the database unavailable' : undefined;
    const alarm = reason.endsWith('unconfined') ? 'is refused by the audit' : undefined;
    const fault = faultOf(answer) ?? late ?? away ?? alarm;
    if (fault !== undefined) faults.push(`${hiding}: ${fault}\n${text}`);
  };
  try {
    // What the parser works out once, at its first queries, is no query's doing.
    for (const text of queries.slice(0, 20)) await ask(world, text, variables, 'graph');
    await world.delay();
    for (let done = 0; done < cases; done += perLook) {
      const texts = Array.from({ length: Math.min(perLook, cases - done) }, () => changed(random, queries));
      const left = texts.entries();
      const worker = async () => {
        for (const [index, text] of left) await tryOne(text, done + index);
      };
      await Promise.all(Array.from({ length: atOnce }, worker));
      const delay = await world.delay();
      longest = Math.max(longest, delay.longest);
      if (timed && delay.busy > blockedMs)
        faults.push(
          `the event loop stood still for ${Math.round(delay.busy)} ms in queries ${done} to ${done + perLook}`,
        );
    }
  } finally {
    await world.close();
  }
  const counts = [...told].sort(([, one], [, other]) => other - one).map(([what, times]) => `  ${times} ${what}`);
  const lines = [
    ...faults.slice(0, 10),
    `SEED=${seed}`,
    ...counts,
    ...slowest.map(({ text, took }) => `${Math.round(took)} ms: ${text.slice(0, 200)}`),
    `the event loop’s longest delay: ${Math.round(longest)} ms`,
    `${cases} queries of Cypher, ${faults.length} faults`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return faults.length;
}

function changed(random: Random, queries: readonly string[]): string {
  const text = random.pick(queries);
  if (random.chance(0.1)) return text;
  if (random.chance(0.6)) return mutated(random, text);
  if (random.chance(0.3)) return spliced(random, text, random.pick(queries));
  return mutatedByCharacters(random, text) || 'RETURN';
}

/** The beginning of one and the end of another. */
function spliced(random: Random, one: string, other: string): string {
  return one.slice(0, random.below(one.length)) + other.slice(random.below(other.length));
}
