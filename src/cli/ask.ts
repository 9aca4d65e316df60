import { type Command, InvalidArgumentError } from 'commander';
import { isObject } from '../base/isObject.ts';
import type { ConcordClient, Task } from '../client/index.ts';
import { type ConnectionOptions, connectTo, withConnection } from './target/connection.ts';
import { exitCodes } from './terminal/exit.ts';
import type { Io } from './terminal/io.ts';
import { cell, tableLines } from './terminal/table.ts';

interface AskOptions extends ConnectionOptions {
  choice?: number;
  source?: string;
  json?: boolean;
}

/** The artifact of an answer, as far as it is printed. */
interface Answered {
  reading?: { inWords: string; certainty: number; taken: { words: string; as: string }[]; leftOver: string[] };
  /** GraphQL with its variables, or SQL of a source with the values of its parameters. */
  query?: string;
  variables?: Record<string, unknown>;
  sql?: string;
  values?: unknown[];
  table?: {
    columns: { name: string; unit?: string }[];
    rows: (Record<string, unknown> | unknown[])[];
    truncated: boolean;
  };
}

const help = `
A question in English. It prints how the question was read, the query, and the rows. Where it may mean several things it
lists them, and --choice says which; that, and what isn't understood, ends with 3.

Examples:
  concord ask 'What are the currencies of the neighbours of Switzerland?'
  concord ask 'countries that use the dollar' --choice 2
  concord ask 'customers with no orders' --source shop
`;

/** Adds `concord ask`. */
export function addAskCommand(program: Command, io: Io): void {
  const command = program
    .command('ask')
    .description('ask a question in English')
    .argument('<question>', 'the question')
    .option('--choice <number>', 'which is meant, where it may mean several things', wholeNumber)
    .option('--source <name>', 'ask a database that SOURCES names, and not the graph')
    .option('--json', 'print what the task has answered as one line of JSON')
    .addHelpText('after', help);
  withConnection(command).action((question: string, options: AskOptions) => ask(question, options, io));
}

async function ask(question: string, options: AskOptions, io: Io): Promise<void> {
  const client = await connectTo(options);
  let task = await sent(client, question, options);
  if (task?.status.state === 'TASK_STATE_INPUT_REQUIRED' && options.choice !== undefined)
    task = await sent(client, String(options.choice), options, task);
  const data = task?.artifacts?.at(-1)?.parts[0]?.data;
  if (task?.status.state !== 'TASK_STATE_COMPLETED' || !isObject(data)) {
    for (const { text } of task?.status.message?.parts ?? []) if (text !== undefined) io.say(text);
    process.exitCode = exitCodes.partly;
    return;
  }
  if (options.json) return io.print(JSON.stringify(data));
  for (const line of linesOf(data as unknown as Answered)) io.print(line);
}

async function sent(
  client: ConcordClient,
  question: string,
  { source }: AskOptions,
  before?: Task,
): Promise<Task | undefined> {
  const going = before && { taskId: before.id, contextId: before.contextId };
  const data = { skill: 'ask', question, ...(source !== undefined && { source }) };
  const { task } = await client.tasks.send({ parts: [{ data }], ...going });
  return task;
}

function linesOf({ reading, query, variables, sql, values, table }: Answered): string[] {
  const words = reading?.taken.filter(({ as }) => as !== 'how the others belong together') ?? [];
  const read = reading
    ? [
        `Read as: ${reading.inWords} (certainty ${reading.certainty})`,
        ...words.map((each) => `  ${each.words}: ${each.as}`),
      ]
    : [];
  const columns = table?.columns ?? [];
  const titles = columns.map(({ name, unit }) => (unit === undefined ? name : `${name} (${unit})`));
  const rows = (table?.rows ?? []).map((row) =>
    columns.map(({ name }, at) => cell(Array.isArray(row) ? row[at] : row[name])),
  );
  const shown = table && rows.length === 0 ? ['Nothing is stated that this asks for.'] : tableLines(titles, rows);
  return [
    ...read,
    '',
    query ?? sql ?? '',
    ...((variables ?? values) ? [JSON.stringify(variables ?? values)] : []),
    '',
    ...shown,
    ...(table?.truncated ? ['There is more than is shown.'] : []),
  ];
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It is a whole number from 1 on.');
  return value;
}
