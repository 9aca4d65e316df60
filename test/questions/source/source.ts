import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { Bench } from '../../bench/bench.ts';
import { openNeo4j } from '../../bench/neo4j.ts';
import { startConcord, vocabularyFile } from '../../bench/servers.ts';
import { type Became, type Expected, figuresOf, questionsIn } from '../figures.ts';
import { type AskedTask, saidOf, taskOf } from '../tasks.ts';
import { holds } from './holds.ts';

const folder = 'test/questions/source';

/** `npm run questions -- --source`: asks a bookshop in a PGlite the questions of a file. */
export async function askSource(bench: Bench, file = `${folder}/questions.txt`): Promise<void> {
  const questions = questionsIn(readFileSync(file, 'utf8'));
  const data = mkdtempSync(join(tmpdir(), 'concord-questions-'));
  bench.opened(async () => rmSync(data, { recursive: true, force: true }));
  const expected = await answersByHand(data, questions);
  const neo4j = await openNeo4j(bench);
  const { url } = await startConcord(bench, neo4j.server, vocabularyFile, { SOURCES: `books=pglite:${data}` });
  await taskOf(url, { skill: 'introspect', source: 'books' });
  const results: { kind: string; became: Became }[] = [];
  for (const { kind, question, query } of questions) {
    const task = await taskOf(url, { skill: 'ask', source: 'books', question });
    const became = becameOf(query, expected.get(question), task);
    results.push({ kind, became });
    if (became === 'right') continue;
    process.stdout.write(`${became}: ${question} → ${saidOf(task)}\n`);
    if (became === 'wrong') process.stdout.write(`${JSON.stringify(task.artifacts).slice(0, 1_500)}\n`);
  }
  const answerable = results.filter(({ kind }) => !['ambiguous', 'unanswerable', 'hostile'].includes(kind));
  const right = answerable.filter(({ became }) => became === 'right').length;
  process.stdout.write(`\n${file}\n${figuresOf(results).join('\n')}\n`);
  process.stdout.write(`Of ${answerable.length} that can be answered ${right} were answered right.\n`);
}

/** Makes the database, asks it the statements by hand, and leaves it to Concord. */
async function answersByHand(data: string, questions: Expected[]): Promise<Map<string, unknown[][]>> {
  const database = await PGlite.create(data);
  await database.exec(readFileSync(`${folder}/bookshop.sql`, 'utf8'));
  const found = new Map<string, unknown[][]>();
  for (const { question, query } of questions) {
    if (query === '~' || query === '-') continue;
    const { rows } = await database.query<unknown[]>(query, [], { rowMode: 'array' });
    found.set(question, rows);
  }
  await database.close();
  return found;
}

/** What was asked back or declined where that is what must be, is right. */
function becameOf(query: string, expected: unknown[][] | undefined, task: AskedTask): Became {
  const { state } = task.status;
  if (state === 'TASK_STATE_INPUT_REQUIRED') return query === '~' ? 'right' : 'asked back';
  if (state !== 'TASK_STATE_COMPLETED') return query === '-' ? 'right' : 'declined';
  const table = task.artifacts?.[0]?.parts[0]?.data.table as Parameters<typeof holds>[0] | undefined;
  return expected && table && holds(table, expected) ? 'right' : 'wrong';
}
