import type { Command } from 'commander';
import type { Part, Task, TaskEvent } from '../client/index.ts';
import { type ConnectionOptions, connectTo, withConnection } from './target/connection.ts';
import { exitCodes } from './terminal/exit.ts';
import type { Io } from './terminal/io.ts';
import { cell, tableLines } from './terminal/table.ts';
import { textOrFile } from './terminal/text.ts';

const help = `
Sources are databases that the service has by its setting SOURCES. What one is made of is stated in the graph
urn:concord:source:NAME. To introspect the scope admin is needed.

Examples:
  concord sources introspect shop
  concord sources explore shop 'custmer orders'
  concord sources query shop 'SELECT count(*) FROM sales.orders'
  concord sources explore shop lines --join sales.lines public.countries
  concord watch --graph urn:concord:source:shop      # what changes in its schema
`;

/** Adds `concord sources`. */
export function addSourcesCommand(program: Command, io: Io): void {
  const sources = program
    .command('sources')
    .description('databases beside the graph: what they are made of')
    .addHelpText('after', help);
  const introspect = sources
    .command('introspect')
    .description('read what a database is made of, and state what of that has changed since')
    .argument('<name>', 'the source, as SOURCES names it')
    .option('--json', 'print what was found as one line of JSON')
    .addHelpText('after', help);
  withConnection(introspect).action((name: string, options: ConnectionOptions & { json?: boolean }) =>
    run(name, options, io),
  );
  const explore = sources
    .command('explore')
    .description('find tables and columns by words, also misspelt, and how tables join')
    .argument('<name>', 'the source, as SOURCES names it')
    .argument('<words>', 'words of names and comments')
    .option('--join <tables...>', 'tell how these two join, in the place of those that are found')
    .option('--first <count>', 'at most so many of each kind, from 1 to 50', Number, 10)
    .option('--json', 'print what was found as one line of JSON')
    .addHelpText('after', help);
  withConnection(explore).action((source: string, text: string, { join, first, json, ...options }: ExploreOptions) =>
    look({ source, text, first, ...(join && { join }) }, options, json, io),
  );
  const asking = sources
    .command('query')
    .description('the answer of one SQL statement that only reads')
    .argument('<name>', 'the source, as SOURCES names it')
    .argument('<sql>', 'the statement; a file or - for standard input')
    .option('--first <count>', 'at most so many rows, from 1 to 1,000', Number, 100)
    .option('--json', 'print the answer as one line of JSON')
    .addHelpText('after', help);
  withConnection(asking).action((source: string, sql: string, options: QueryOptions) =>
    query(source, sql, options, io),
  );
}

interface QueryOptions extends ConnectionOptions {
  first: number;
  json?: boolean;
}

/** The artifact of `query-source`, as far as it is printed. */
interface Answered {
  table: { columns: { name: string; type: string }[]; rows: unknown[][]; truncated: boolean };
}

async function query(source: string, said: string, { first, json, ...options }: QueryOptions, io: Io): Promise<void> {
  const sql = await textOrFile(said);
  const data = await answerOf({ skill: 'query-source', source, sql, first }, options, io);
  if (data === undefined) return;
  if (json) return io.print(JSON.stringify(data));
  const { columns, rows, truncated } = (data as Answered).table;
  const titles = columns.map(({ name, type }) => `${cell(name)} (${type})`);
  const lines = tableLines(
    titles,
    rows.map((row) => row.map(cell)),
  );
  for (const line of lines) io.print(line);
  if (rows.length === 0) io.say('There is no such row.');
  if (truncated) io.say('There are more rows than are shown.');
}

interface ExploreOptions extends ConnectionOptions {
  join?: string[];
  first: number;
  json?: boolean;
}

/** The artifact of `explore-source`, as far as it is printed. */
interface Found {
  tables: { name: string; kind: string; rowEstimate?: number; comment?: string }[];
  columns: { table: string; name: string; type: string; comment?: string }[];
  joins: { from: string; to: string; steps: { from: End; to: End; certainty: number }[]; unjoined?: boolean }[];
}

interface End {
  table: string;
  columns: string[];
}

async function look(input: object, options: ConnectionOptions, json: boolean | undefined, io: Io): Promise<void> {
  const data = await answerOf({ skill: 'explore-source', ...input }, options, io);
  if (data === undefined) return;
  if (json) return io.print(JSON.stringify(data));
  for (const line of linesOf(data as Found)) io.print(line);
}

/** What a skill answers; undefined where it doesn't, which is said. */
async function answerOf(input: Record<string, unknown>, options: ConnectionOptions, io: Io): Promise<unknown> {
  const client = await connectTo(options);
  const { task } = await client.tasks.send([{ data: input }]);
  const data = task?.artifacts?.at(-1)?.parts[0]?.data;
  if (task?.status.state === 'TASK_STATE_COMPLETED' && data) return data;
  for (const { text } of task?.status.message?.parts ?? []) if (text !== undefined) io.say(text);
  process.exitCode = exitCodes.failed;
  return undefined;
}

function linesOf({ tables, columns, joins }: Found): string[] {
  if (tables.length + columns.length === 0) return ['Nothing is like these words.'];
  const ways = joins.map(({ from, to, steps, unjoined }) => [
    from,
    to,
    unjoined
      ? 'do not join'
      : steps.map(({ from, to, certainty }) => `${on(from, to)}${sure(certainty)}`).join(' and '),
  ]);
  return [
    ...tableLines(
      ['TABLE', 'KIND', 'ROWS', 'COMMENT'],
      tables.map(({ name, kind, rowEstimate, comment }) => [name, kind, cell(rowEstimate), cell(comment)]),
    ),
    ...tableLines(
      ['COLUMN', 'TYPE', 'COMMENT'],
      columns.map(({ table, name, type, comment }) => [`${table}.${name}`, type, cell(comment)]),
    ),
    ...tableLines(['FROM', 'TO', 'BY'], ways),
  ];
}

const on = (from: End, to: End) =>
  // Of a graph it is told which label leads where.
  from.columns.length === 0
    ? `${from.table} to ${to.table}`
    : from.columns.map((each, index) => `${from.table}.${each} = ${to.table}.${to.columns[index] ?? ''}`).join(' and ');
const sure = (certainty: number) => (certainty < 1 ? ` (certainty ${certainty})` : '');

async function run(name: string, options: ConnectionOptions & { json?: boolean }, io: Io): Promise<void> {
  const client = await connectTo(options);
  let last: TaskEvent = {};
  let data: unknown;
  for await (const event of client.tasks.stream([{ data: { skill: 'introspect', source: name } }])) {
    const said = textOf(event);
    if (isUnderWay(event) && said !== '') io.say(said);
    data = (event.artifactUpdate?.artifact ?? event.task?.artifacts?.at(-1))?.parts[0]?.data ?? data;
    last = event;
  }
  const isDone = stateOf(last) === 'TASK_STATE_COMPLETED';
  if (!isDone) process.exitCode = exitCodes.failed;
  if (isDone && options.json) io.print(JSON.stringify(data));
  else (isDone ? io.print : io.say)(textOf(last));
}

const statusOf = ({ task, statusUpdate }: TaskEvent): Task['status'] | undefined =>
  statusUpdate?.status ?? task?.status;
const stateOf = (event: TaskEvent) => statusOf(event)?.state;
const isUnderWay = (event: TaskEvent) => stateOf(event) === 'TASK_STATE_WORKING';
const textOf = (event: TaskEvent) =>
  (statusOf(event)?.message?.parts ?? []).flatMap(({ text }: Part) => (text === undefined ? [] : [text])).join('\n');
