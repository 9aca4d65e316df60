import type { Command } from 'commander';
import type { Part, Task, TaskEvent } from '../client/index.ts';
import { type ConnectionOptions, connectTo, withConnection } from './target/connection.ts';
import { exitCodes } from './terminal/exit.ts';
import type { Io } from './terminal/io.ts';

const help = `
Sources are databases that the service has by its setting SOURCES. What one is made of is stated in the graph
urn:concord:source:NAME. The scope admin is needed.

Examples:
  concord sources introspect shop
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
}

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
