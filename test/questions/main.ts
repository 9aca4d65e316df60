import { readFileSync } from 'node:fs';
import { claims } from '../../demo/claims.ts';
import { readCountries } from '../../demo/countries.ts';
import { patchesOf } from '../../demo/patches.ts';
import type { Bench } from '../bench/bench.ts';
import { call, post } from '../bench/client.ts';
import { checked, load } from '../bench/graph.ts';
import { openNeo4j } from '../bench/neo4j.ts';
import { startConcord, vocabularyFile } from '../bench/servers.ts';
import { type Became, type Expected, figuresOf, leavesOf, questionsIn } from './figures.ts';

/** The task of a question, as far as it is looked at. */
interface Task {
  status: { state: string; message?: { parts: { text?: string; data?: { choices?: object[] } }[] } };
  artifacts?: { parts: { data: { reading: { inWords: string }; table: Table } }[] }[];
}

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

/** `npm run questions`: asks the demo's world the questions of a file without a model, and prints what became of them. */
async function main(files: string[]): Promise<void> {
  const neo4j = await openNeo4j(bench);
  const { url } = await startConcord(bench, neo4j.server, vocabularyFile);
  await load(url, checked([...patchesOf(readCountries()), ...claims.map(({ patch }) => patch)]));
  await neo4j.driver.executeQuery('CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()');
  for (const file of files) {
    const results: { kind: string; became: Became }[] = [];
    const times: number[] = [];
    for (const expected of questionsIn(readFileSync(file, 'utf8'))) {
      const started = performance.now();
      const task = await ask(url, expected.question);
      times.push(performance.now() - started);
      const became = await becameOf(url, expected, task);
      results.push({ kind: expected.kind, became });
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
    process.stdout.write(`Median ${Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0)} ms.\n`);
  }
}

let asked = 0;

async function ask(url: string, question: string): Promise<Task> {
  asked += 1;
  const message = { messageId: `question-${asked}`, role: 'ROLE_USER', parts: [{ text: question }] };
  const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
  const answer = (await post(`${url}/a2a`, body, { 'a2a-version': '1.0' })) as { result?: { task: Task } };
  if (!answer.result) throw new Error(`ask answers ${JSON.stringify(answer)}`);
  return answer.result.task;
}

const saidOf = ({ status }: Task) => status.message?.parts[0]?.text?.replaceAll('\n', ' ') ?? status.state;

/** What was asked back or declined where that is what must be, is right. */
async function becameOf(url: string, { query }: Expected, task: Task): Promise<Became> {
  const { state } = task.status;
  if (state === 'TASK_STATE_INPUT_REQUIRED') return query === '~' ? 'right' : 'asked back';
  if (state !== 'TASK_STATE_COMPLETED') return query === '-' ? 'right' : 'declined';
  if (query === '~' || query === '-') return 'wrong';
  const table = task.artifacts?.[0]?.parts[0]?.data.table;
  return table && (await isAsExpected(url, query, table)) ? 'right' : 'wrong';
}

/** Whether an answer holds all that the query by hand comes to, and of what is asked for nothing else. */
async function isAsExpected(url: string, said: string, { columns, rows }: Table): Promise<boolean> {
  const [, prefix = '', query] = /^(\? |sum )?(.*)$/.exec(said) ?? [];
  const { data } = await call<{ data: Record<string, unknown> }>(url, 'knowledge/query', { query: `{ ${query} }` });
  if (prefix === '? ') return rows[0]?.answer === leavesOrRows(data);
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
  const files = process.argv.slice(2);
  await main(files.length > 0 ? files : ['test/questions/world.txt']);
} finally {
  for (const close of closers.reverse()) await close();
}
