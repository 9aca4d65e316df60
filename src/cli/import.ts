import { type Command, InvalidArgumentError, Option } from 'commander';
import { counted } from '../base/counted.ts';
import { type ConcordClient, ConcordClientError } from '../client/index.ts';
import { Interrupted } from './import/faulty.ts';
import { type Format, formatOf, formats, isByLine } from './import/format.ts';
import { displayProgress } from './import/progress.ts';
import { readContexts } from './import/readJsonLd.ts';
import { runImport, type Summary } from './import/run.ts';
import { rejectedChoices } from './import/sender.ts';
import { openSource } from './import/source.ts';
import { emptyTally } from './import/tally.ts';
import { type ConnectionOptions, connectTo, patient, revisionOf, withConnection } from './target/connection.ts';
import { confirmTarget, type WritingParts } from './target/target.ts';
import { exitCodes, UsageError } from './terminal/exit.ts';
import type { Io } from './terminal/io.ts';

interface ImportCommandOptions extends ConnectionOptions {
  format?: Format;
  batch: number;
  graph?: string;
  context: string[];
  justification?: string;
  skipFaulty?: boolean;
  onRejected: (typeof rejectedChoices)[number];
  resume?: boolean;
  state?: string;
  again?: boolean;
  yes?: boolean;
  json?: boolean;
}

const help = `
Formats: N-Triples (.nt), N-Quads (.nq), Turtle (.ttl), TriG (.trig), JSON-LD (.jsonld, .json), and JSON lines (.jsonl) of patches
{"op", "statement"} or of statements alone; each also packed by gzip. The file may be larger than memory.

RDF: a named graph is the statement's graph. The first rdf:type of an entity is its class; further ones are statements. RDF 1.2
annotations and rdf:Statement give certainty (urn:concord:certainty) and provenance (urn:concord:provenance as JSON, and other
predicates by their IRIs). Blank nodes become urn:concord:blank:<file>:<label>, the same each time the same file is read.

JSON-LD: nothing is fetched because a file says so; --context gives a context that stands elsewhere.

The same import, repeated, applies nothing twice; --again states anew what has been retracted since. Ctrl-C ends it when what is on its
way has arrived, and --resume goes on there.

Examples:
  concord import world.nq.gz --agent atlas --justification 'country data of 2025'
  concord import big.nt --resume                     # goes on where the last one was interrupted
  concord import patches.jsonl --on-rejected split   # leaves out only what breaks the rules
  concord import shop.jsonld --context https://schema.org/=schemaorg.jsonld
  riot --output=nq data.rdf | concord import - --format nq --graph urn:g:imported
`;

/** Adds `concord import`. */
export function addImportCommand(program: Command, parts: WritingParts): void {
  const command = program
    .command('import')
    .description('state what a file says, in large updates to a running Concord')
    .argument('<file>', 'the file, or - for standard input')
    .addOption(new Option('--format <format>', 'if the name does not tell it').choices(formats))
    .option('--batch <patches>', 'patches in one update', positive, 2_000)
    .option('--graph <iri>', 'the graph for statements that name none')
    .option('--context <address=file>', 'a context that JSON-LD asks for; may be given again', collected, [])
    .option('--justification <text>', 'why; it stands on every update')
    .option('--skip-faulty', 'leave out lines that cannot be understood (not in Turtle and TriG)')
    .addOption(
      new Option(
        '--on-rejected <what>',
        'a batch that the rules reject ends the import, is left out, or is sent in halves to find the statements',
      )
        .choices(rejectedChoices)
        .default('stop'),
    )
    .option('--resume', 'keep in a file how far the import is, and go on from there')
    .option('--state <file>', 'that file (<file>.import-state, if left out)')
    .option('--again', 'apply also what an earlier run of the same import has applied')
    .option('--yes', "don't ask first, wherever it writes to")
    .option('--json', 'print the summary as one line of JSON')
    .addHelpText('after', help);
  withConnection(command).action(async (file: string, options: ImportCommandOptions) => {
    process.exitCode = await importFile(file, options, parts);
  });
}

/** Lines about single statements. */
const mostTold = 10;

async function importFile(file: string, options: ImportCommandOptions, io: WritingParts): Promise<number> {
  const format = options.format ?? formatOf(file);
  if (options.skipFaulty && !isByLine(format)) {
    throw new UsageError('--skip-faulty is for formats of one statement a line; Turtle and TriG are not.');
  }
  if (options.resume && file === '-' && options.state === undefined) {
    throw new UsageError('--resume of standard input needs --state <file>.');
  }
  if (options.context.length > 0 && format !== 'jsonld') throw new UsageError('--context is for JSON-LD.');
  const contexts = await readContexts(options.context);
  const stateFile = options.resume || options.state ? (options.state ?? `${file}.import-state`) : undefined;
  const client = await connectTo(options, { retry: patient, timeoutMs: 180_000 });
  const source = await openSource(file);
  await confirmTarget(options, io);
  const revision = await readableRevision(client);
  const display = displayProgress(source, io, process.stderr);
  const summary: Summary = {
    statements: 0,
    ...emptyTally(),
    faulty: 0,
    unasserted: 0,
    ignored: 0,
    seconds: 0,
    statementsPerSecond: 0,
  };
  const told = few(io, mostTold);
  const signal = interruption(io);
  const undefinedMembers = new Set<string>();
  let isInterrupted = false;
  try {
    await runImport(
      client,
      source,
      {
        ...options,
        format,
        contexts,
        ignored(member) {
          summary.ignored += 1;
          if (undefinedMembers.size >= mostTold || undefinedMembers.has(member)) return;
          undefinedMembers.add(member);
          told(`no context defines "${member}", which JSON-LD leaves out`);
        },
        ...(revision !== undefined && { revision }),
        ...(stateFile !== undefined && { stateFile }),
        ...(file !== '-' && { interruptedFile: `${file}.import-state` }),
        signal,
        rejected: told,
        ...(options.skipFaulty && { faulty: (fault) => told(`left out, ${fault.message}`) }),
      },
      display,
      summary,
    );
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    isInterrupted = true;
  } finally {
    display.done();
    if (options.json) io.print(JSON.stringify(summary));
    else io.print(shown(summary));
  }
  if (isInterrupted) {
    const isKept = stateFile !== undefined || file !== '-';
    io.say(
      isKept
        ? 'Interrupted. The same command with --resume goes on here.'
        : 'Interrupted. The same command again applies nothing twice; --resume --state <file> would have gone on here.',
    );
    // Whoever writes to it must not keep this waiting.
    process.stdin.destroy();
    return exitCodes.interrupted;
  }
  const { rejected, pending, suppressed, faulty } = summary;
  return rejected + pending + suppressed + faulty > 0 ? exitCodes.partly : exitCodes.done;
}

/** Aborts at the first Ctrl-C, or SIGTERM; the next one ends the process. */
function interruption({ say }: Io): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      if (!stop.signal.aborted) say('Stopping when what is on its way has arrived; once more stops at once.');
      stop.abort();
    });
  }
  return stop.signal;
}

/** The revision of the graph, where the caller may read it. */
async function readableRevision(client: ConcordClient): Promise<number | undefined> {
  try {
    return await revisionOf(client);
  } catch (error) {
    if (error instanceof ConcordClientError && !error.retryable) return undefined;
    throw error;
  }
}

const figure = (value: number) => value.toLocaleString('en-US');

function shown(summary: Summary): string {
  const { statements, applied, unchanged, repeated, rejected, pending, suppressed, faulty, unasserted, ignored } =
    summary;
  const parts: [number, string][] = [
    [statements, `${counted(statements, 'statement')} read`],
    [applied, `${figure(applied)} applied`],
    [unchanged, `${figure(unchanged)} unchanged`],
    [repeated, `${figure(repeated)} applied by an earlier import`],
    [rejected, `${figure(rejected)} rejected`],
    [pending, `${figure(pending)} held for review`],
    [suppressed, `${figure(suppressed)} kept away, which would bring back what was erased for good`],
    [faulty, `${figure(faulty)} faulty`],
    [unasserted, `${counted(unasserted, 'annotation')} without a statement`],
    [ignored, `${counted(ignored, 'member')} that no context defines`],
  ];
  const said = parts.filter(([count], index) => count > 0 || index < 2).map(([, what]) => what);
  const rate = figure(summary.statementsPerSecond);
  return `${said.join(', ')}; ${summary.seconds.toFixed(1)} s, ${rate} statements/s`;
}

const collected = (each: string, before: string[]) => [...before, each];

/** Says the first ones, and then that there are more. */
function few({ say }: Io, most: number): (line: string) => void {
  let count = 0;
  return (line) => {
    count += 1;
    if (count <= most) say(line);
    else if (count === most + 1) say('… and more, which are only counted');
  };
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It is a whole number from 1 on.');
  return value;
}
