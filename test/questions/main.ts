import { readFileSync } from 'node:fs';
import { claims } from '../../demo/claims.ts';
import { readCountries } from '../../demo/countries.ts';
import { patchesOf } from '../../demo/patches.ts';
import type { Bench } from '../bench/bench.ts';
import { call } from '../bench/client.ts';
import { checked, load } from '../bench/graph.ts';
import { openNeo4j } from '../bench/neo4j.ts';
import { startConcord, vocabularyFile } from '../bench/servers.ts';
import { ModelServer, saying } from '../support/modelServer.ts';
import { type Became, type Expected, figuresOf, leavesOf, questionsIn } from './figures.ts';
import { askSource } from './source/source.ts';
import { type AskedTask, saidOf, taskOf } from './tasks.ts';

interface Table {
  columns: { name: string }[];
  rows: Record<string, unknown>[];
}

const closers: (() => Promise<unknown>)[] = [];
const bench: Bench = {
  quick: false,
  say: (line) => process.stderr.write(`${line}\n`),
  opened: (close) => void closers.push(close),
};

/**
 * `npm run questions`: asks the demo's world the questions of files, and prints what became of them; with `--model` what
 * the reader doesn't understand goes to the model of `MODEL_URL`, or to one that says what was recorded for it.
 */
async function main(files: string[], withModel: boolean): Promise<void> {
  const neo4j = await openNeo4j(bench);
  const settings = withModel ? await modelSettings(files) : {};
  const { url } = await startConcord(bench, neo4j.server, vocabularyFile, settings);
  await load(url, checked([...patchesOf(readCountries()), ...claims.map(({ patch }) => patch)]));
  await neo4j.driver.executeQuery('CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()');
  for (const file of files) {
    const results: { kind: string; became: Became; byModel: boolean }[] = [];
    const times: number[] = [];
    for (const expected of questionsIn(readFileSync(file, 'utf8'))) {
      const started = performance.now();
      const task = await taskOf(url, expected.question);
      times.push(performance.now() - started);
      const became = await becameOf(url, expected, task);
      results.push({ kind: expected.kind, became, byModel: isByModel(task) });
      const isFine = became === 'right' || (expected.query === '~' && became === 'asked back');
      if (!isFine) process.stdout.write(`${became}: ${expected.question} → ${saidOf(task)}\n`);
      if (became === 'wrong') process.stdout.write(`${JSON.stringify(task.artifacts).slice(0, 1500)}\n`);
    }
    const sorted = times.toSorted((one, other) => one - other);
    const answerable = results.filter(
      ({ kind }) => kind !== 'ambiguous' && kind !== 'unanswerable' && kind !== 'hostile',
    );
    const right = answerable.filter(({ became }) => became === 'right').length;
    process.stdout.write(`\n${file}\n${figuresOf(results).join('\n')}\n`);
    process.stdout.write(`Of ${answerable.length} that can be answered ${right} were answered right. `);
    const made = results.filter(({ byModel }) => byModel);
    const madeRight = made.filter(({ became }) => became === 'right').length;
    if (withModel) process.stdout.write(`The model answered ${made.length}, of them ${madeRight} right. `);
    process.stdout.write(`Median ${Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0)} ms.\n`);
  }
}

const isByModel = ({ artifacts }: AskedTask) => artifacts?.[0]?.parts[0]?.data.madeBy === 'model';

/** The model of the environment, or one that says for each question the query by hand, every third time after a fault. */
async function modelSettings(files: string[]): Promise<Record<string, string>> {
  const { MODEL_URL, MODEL_NAME = '', MODEL_KEY = '', MODEL_TIMEOUT_MS = '' } = process.env;
  if (MODEL_URL) return { MODEL_URL, MODEL_NAME, MODEL_KEY, MODEL_TIMEOUT_MS };
  const recorded = new Map(
    files.flatMap((file) => questionsIn(readFileSync(file, 'utf8')).map(({ question, query }) => [question, query])),
  );
  const model = await ModelServer.start();
  bench.opened(() => model.close());
  bench.say(
    'No MODEL_URL: a stand-in says the queries that were recorded. Its figures are those of the road, not of a model',
  );
  let begun = 0;
  model.otherwise = ({ messages }) => {
    const { question } = JSON.parse(messages[1]?.content ?? '{}') as { question: string };
    const query = recorded.get(question)?.replace(/^\? /, '') ?? '-';
    if (messages.length === 2) begun += 1;
    if (messages.length === 2 && begun % 3 === 0) return saying('{ countries { mistaken } }');
    return saying(/^(?:[-~]|sum )/.test(query) ? null : `{ ${query} }`);
  };
  return { MODEL_URL: model.url, MODEL_NAME: 'recorded' };
}

/** What was asked back or declined where that is what must be, is right. */
async function becameOf(url: string, { query }: Expected, task: AskedTask): Promise<Became> {
  const { state } = task.status;
  if (state === 'TASK_STATE_INPUT_REQUIRED') return query === '~' ? 'right' : 'asked back';
  if (state !== 'TASK_STATE_COMPLETED') return query === '-' ? 'right' : 'declined';
  if (query === '~' || query === '-') return 'wrong';
  const table = task.artifacts?.[0]?.parts[0]?.data.table as Table | undefined;
  return table && (await isAsExpected(url, query, table)) ? 'right' : 'wrong';
}

/** Whether an answer holds all that the query by hand comes to, and of what is asked for nothing else. */
async function isAsExpected(url: string, said: string, { columns, rows }: Table): Promise<boolean> {
  const [, prefix = '', query] = /^(\? |sum )?(.*)$/.exec(said) ?? [];
  const { data } = await call<{ data: Record<string, unknown> }>(url, 'knowledge/query', { query: `{ ${query} }` });
  if (prefix === '? ') return (rows[0]?.answer ?? rows.length > 0) === leavesOrRows(data);
  const expected = prefix === 'sum ' ? leavesOf(numbersIn(data).reduce((sum, each) => sum + each, 0)) : leavesOf(data);
  // What is asked for may stand beside what its rows are called, and beside what says why they are there.
  const names = columns.map(({ name }) => name).filter((name) => name !== 'of');
  const ways = [...names.map((name) => [name]), names, names.slice(1)];
  const found = ways.map((way) => leavesOf(rows.map((row) => way.map((name) => row[name]))));
  return found.some((way) => JSON.stringify(way) === JSON.stringify(expected));
}

const leavesOrRows = (data: Record<string, unknown>) => Object.values(data).flat().length > 0;

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value ? Object.values(value).flatMap(numbersIn) : [];
}

try {
  const given = process.argv.slice(2);
  const files = given.filter((each) => !each.startsWith('--'));
  if (given.includes('--source')) await askSource(bench, files[0]);
  else await main(files.length > 0 ? files : ['test/questions/world.txt'], given.includes('--model'));
} finally {
  for (const close of closers.reverse()) await close();
}
