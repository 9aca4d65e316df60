import { type Command, Option } from 'commander';
import type { ChangeEvent } from '../client/index.ts';
import { type ConnectionOptions, connectTo, withConnection } from './target/connection.ts';
import type { Io } from './terminal/io.ts';

interface WatchOptions extends ConnectionOptions {
  op?: string[];
  subject?: string[];
  predicate?: string[];
  graph?: string[];
  sourceAgent?: string[];
  after?: string;
  json?: boolean;
}

const help = `
A lost connection is made again, and nothing is missed. Each line begins with the change's sequence number: --after goes on behind it.

Examples:
  concord watch
  concord watch --predicate https://schema.org/name --op add replace
  concord watch --after 0 --json        # every change that there ever was, then what comes
`;

/** Adds `concord watch`. */
export function addWatchCommand(program: Command, io: Io): void {
  const command = program
    .command('watch')
    .description('follow changes as they are committed, until Ctrl-C')
    .addOption(new Option('--op <op...>', 'only these').choices(['add', 'remove', 'replace']))
    .option('--subject <id...>', 'only changes of statements about these')
    .option('--predicate <iri...>', 'only changes of these predicates')
    .option('--graph <iri...>', 'only in these graphs')
    .option('--source-agent <id...>', 'only by these agents')
    .option('--after <sequence>', 'begin behind this change (with what comes, if left out)')
    .option('--json', 'print each change as one line of JSON')
    .addHelpText('after', help);
  withConnection(command).action((options: WatchOptions) => watch(options, io));
}

const subscription = `subscription ($where: StatementChangedWhere) {
  statementChanged(where: $where) { op }
}`;

async function watch(options: WatchOptions, io: Io): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  try {
    await follow(options, io, stop.signal);
  } catch (error) {
    // Whoever stops it before it stands has what was wanted.
    if (error !== stop.signal.reason) throw error;
  }
}

async function follow(options: WatchOptions, { print, say }: Io, signal: AbortSignal): Promise<void> {
  const { op, subject, predicate, graph, sourceAgent, after, json } = options;
  const client = await connectTo(options, { signal });
  const wanted = { op, subject, predicate, graph, sourceAgentId: sourceAgent };
  const where = Object.fromEntries(
    Object.entries(wanted).flatMap(([key, values]) => (values === undefined ? [] : [[key, { in: values }]])),
  );
  const changes = client.subscribe(
    subscription,
    { where },
    {
      ...(after !== undefined && { after }),
      onState: (state) => {
        if (state.phase === 'waiting') say(`The connection is lost; another try in ${Math.round(state.delayMs)} ms`);
      },
    },
  );
  for await (const change of changes) print(json ? JSON.stringify(change) : changeLine(change));
  if (changes.cursor !== undefined) say(`concord watch --after ${changes.cursor} goes on here`);
}

/** `17 replace urn:a urn:p 2 (was 1) by scout` */
function changeLine({ op, statement, changeMetadata }: ChangeEvent): string {
  const { sequence, sourceAgentId, previous = [] } = changeMetadata;
  const { subject, predicate, object, graph } = statement;
  const was = previous.map((old) => objectText(old.object)).join(', ');
  return [
    sequence,
    op,
    subject.id,
    predicate.id,
    objectText(object),
    ...(graph === undefined ? [] : [`in ${graph}`]),
    ...(statement.certainty === undefined ? [] : [`certainty ${statement.certainty}`]),
    ...(was === '' ? [] : [`(was ${was})`]),
    `by ${sourceAgentId}`,
  ].join(' ');
}

function objectText(object: ChangeEvent['statement']['object']): string {
  return 'id' in object ? object.id : JSON.stringify(object.value);
}
