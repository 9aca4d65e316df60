import { groupBy } from '../../../src/base/groupBy.ts';
import type { Patch } from '../../../src/knowledge/patch.ts';
import type { Bench, Figure, Suite } from '../bench.ts';
import { post } from '../client.ts';
import { load } from '../graph.ts';
import { describeMachine, loadAverage } from '../machine.ts';
import { openNeo4j } from '../neo4j.ts';
import { startConcord } from '../servers.ts';
import { latencies } from '../statistics.ts';
import { kinds, type Question, questions } from './questions.ts';
import { things, writeVocabulary } from './things.ts';

/** Where what is asked for must be. */
const first = 5;

/** What `explore` finds, each kind in its order. */
interface Found {
  entities: { id: string }[];
  classes: { name: string }[];
  predicates: { name: string }[];
}

/** How near the front the skill `explore` has what is asked for, and how long it takes. */
export const explore: Suite = async (bench) => {
  const neo4j = await openNeo4j(bench);
  const machine = await describeMachine(neo4j.driver);
  const { url } = await startConcord(bench, neo4j.server, await writeVocabulary(neo4j.directory));
  const patches = things();
  requireAll(patches);
  bench.say(`Loading ${patches.length} statements`);
  await load(url, patches);
  await neo4j.driver.executeQuery('CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()');
  const ranks = new Map<Question, number>();
  for (const question of questions) {
    const rank = rankOf(question, await ask(url, question.text));
    if (rank > first) bench.say(`'${question.text}': ${rank === Infinity ? 'not found' : `at ${rank}`}`);
    ranks.set(question, rank);
  }
  const times = await timesOf(bench, url);
  return {
    machine: { ...machine, 'load after': loadAverage() },
    figures: [...figuresOf(ranks), ...latencies('A task of explore, one client', 'answered', times)],
  };
};

/** What nobody has stated can't be found. */
function requireAll(patches: Patch[]) {
  const ids = [...new Set(patches.map(({ statement }) => statement.subject.id))];
  const entities = questions
    .flatMap(({ all = [], any = [] }) => [...all, ...any])
    .filter((each) => !each.includes(' '));
  const missing = entities.filter((each) => !ids.some((id) => id.endsWith(`/${each}`)));
  if (missing.length > 0) throw new Error(`The questions ask for what isn't there: ${missing.join(', ')}`);
}

/** By kind and over all: the mean of 1 / rank, and the share whose rank is good enough. */
function figuresOf(ranks: Map<Question, number>): Figure[] {
  const byKind = groupBy([...ranks], ([{ kind }]) => kind);
  const rows = [
    ...kinds.map((kind) => ({ kind, members: byKind.get(kind) ?? [] })),
    { kind: 'all', members: [...ranks] },
  ];
  return rows.flatMap(({ kind, members }) => {
    const mean = (value: (rank: number) => number) =>
      members.reduce((sum, [, rank]) => sum + value(rank), 0) / members.length;
    const group = `${questions.length} questions`;
    const name = `${kind} (${members.length})`;
    return [
      { group, name, column: 'mean reciprocal rank', value: mean((rank) => 1 / rank), unit: '' },
      { group, name, column: `among the first ${first}`, value: mean((rank) => (rank <= first ? 100 : 0)), unit: '%' },
    ];
  });
}

/** From 1: of the last of all, or of the best of any; Infinity where that isn't found. */
function rankOf({ all = [], any = [] }: Question, found: Found): number {
  const best = any.length > 0 ? Math.min(...any.map((each) => placeOf(each, found))) : 1;
  return Math.max(best, ...all.map((each) => placeOf(each, found)));
}

function placeOf(expected: string, { entities, classes, predicates }: Found): number {
  const [kind, name] = expected.split(' ');
  const index =
    name === undefined
      ? entities.findIndex(({ id }) => id.endsWith(`/${expected}`))
      : (kind === 'class' ? classes : predicates).findIndex((each) => each.name === name);
  return index < 0 ? Infinity : index + 1;
}

/** Milliseconds of every question, in turn. */
async function timesOf(bench: Bench, url: string): Promise<number[]> {
  const times: number[] = [];
  // The first round is for Java, which compiles meanwhile.
  for (let round = 0; round <= (bench.quick ? 1 : 5); round++) {
    for (const { text } of questions) {
      const started = performance.now();
      await ask(url, text);
      if (round > 0) times.push(performance.now() - started);
    }
  }
  return times;
}

let asked = 0;

async function ask(url: string, text: string): Promise<Found> {
  asked += 1;
  const message = { messageId: `explore-${asked}`, role: 'ROLE_USER', parts: [{ data: { skill: 'explore', text } }] };
  const answer = (await post(
    `${url}/a2a`,
    { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } },
    { 'a2a-version': '1.0' },
  )) as { result?: { task: { artifacts?: { parts: { data: Found }[] }[] } } };
  const found = answer.result?.task.artifacts?.[0]?.parts[0]?.data;
  if (!found) throw new Error(`explore answers ${JSON.stringify(answer)}`);
  return found;
}
