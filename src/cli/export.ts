import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Command, Option } from 'commander';
import { counted } from '../base/counted.ts';
import type { ConcordClient, QueryWishes } from '../client/index.ts';
import { patchLines } from './export/patchLines.ts';
import { type Annotating, QuadLines, type QuadStyle } from './export/quadLines.ts';
import { statementRows } from './export/rows.ts';
import { serialised } from './export/serialised.ts';
import { formatOf } from './import/format.ts';
import { type ConnectionOptions, connectTo, patient, revisionOf, withConnection } from './target/connection.ts';
import { exitCodes, UsageError } from './terminal/exit.ts';
import type { Io } from './terminal/io.ts';

const formats = ['nq', 'ttl', 'trig', 'jsonld', 'jsonl'] as const;
type Format = (typeof formats)[number];
/** How RDF 1.1 has annotations. */
const annotationForms = ['reification', 'graphs'] as const;

interface ExportOptions extends ConnectionOptions {
  format?: Format;
  plain?: boolean;
  rdf?: QuadStyle['rdf'];
  annotations?: (typeof annotationForms)[number];
  asOf?: string;
  json?: boolean;
}

const help = `
It writes what the caller may see, as of one revision: what is changed meanwhile is not in it. Classes are those that entities have now.

  nq      N-Quads of RDF 1.2: each statement with annotations of its certainty, provenance, time and source
  trig    the same as TriG
  ttl     the same as Turtle, which has no named graphs: what is in one is left out and counted (exit code 3)
  jsonld  JSON-LD 1.1, as --rdf 1.1 has it
  jsonl   one patch a line, as 'concord update' and 'concord import' take it

--rdf 1.1 is for tools that don't read RDF 1.2: annotations become nodes of the class rdf:Statement or, by --annotations graphs, are
said of graphs that hold one statement each. 'concord import' reads both back.

Examples:
  concord export backup.nq.gz                         # a backup; 'concord import backup.nq.gz' restores it
  concord export --format jsonl | jq .statement
  concord export --plain world.ttl                    # the statements alone
  concord export --rdf 1.1 world.nq                   # for tools of RDF 1.1
  concord export --annotations graphs world.trig      # the same, each statement in a graph of its own
  concord export then.nq --as-of 17                   # as revision 17 had it
  concord export then.nq --as-of 2026-01-31T12:00:00Z
`;

/** Adds `concord export`. */
export function addExportCommand(program: Command, io: Io): void {
  const command = program
    .command('export')
    .description('write the statements of a graph, now or as it was')
    .argument('[file]', 'the file, packed if its name ends in .gz; standard output, if left out')
    .addOption(new Option('--format <format>', 'if the name does not tell it').choices(formats))
    .option('--plain', 'without certainty, provenance, time and source')
    .addOption(new Option('--rdf <version>', '1.2, or 1.1 for tools that read no other').choices(['1.1', '1.2']))
    .addOption(
      new Option('--annotations <how>', 'as RDF 1.1 has them (reification, if left out)').choices(annotationForms),
    )
    .option('--as-of <revision or time>', 'the graph as this revision or this time (ISO 8601) had it')
    .option('--json', 'say what was written as one line of JSON')
    .addHelpText('after', help);
  withConnection(command).action(async (file: string | undefined, options: ExportOptions) => {
    process.exitCode = await exportGraph(file, options, io);
  });
}

async function exportGraph(file: string | undefined, options: ExportOptions, { say }: Io): Promise<number> {
  const format = options.format ?? (file === undefined ? 'nq' : exportFormatOf(file));
  const style = styleOf(format, options);
  const client = await connectTo(options, { retry: patient });
  const moment = await momentOf(client, options.asOf);
  let [statements, leftOut] = [0, 0];
  const quads = new QuadLines(style);
  async function* pages() {
    for await (const rows of statementRows(client, moment)) {
      statements += rows.length;
      yield (format === 'jsonl' ? patchLines(rows, style.annotations === 'plain') : quads.of(rows)).join('');
    }
  }
  const text =
    format === 'jsonl'
      ? pages()
      : serialised(pages(), format, (count) => {
          leftOut += count;
        });
  const lines = Readable.from(text);
  if (file === undefined) await pipeline(lines, process.stdout, { end: false });
  else {
    // Under its name only when it is whole.
    const part = `${file}.part`;
    const out = createWriteStream(part);
    await (file.endsWith('.gz') ? pipeline(lines, createGzip(), out) : pipeline(lines, out));
    await rename(part, file);
  }
  const { undirected } = quads;
  const written = {
    statements,
    ...moment,
    ...(leftOut > 0 && { leftOut }),
    ...(undirected > 0 && { undirected }),
  };
  say(
    options.json
      ? JSON.stringify(written)
      : `${counted(statements, 'statement')} as of ${
          'asOf' in moment ? moment.asOf : `revision ${moment.asOfRevision}`
        }${lossOf(leftOut, undirected)}`,
  );
  return leftOut + undirected > 0 ? exitCodes.partly : exitCodes.done;
}

/** What the format can't hold. */
function lossOf(leftOut: number, undirected: number): string {
  const graphs = `${counted(leftOut, 'triple')} of named graphs left out, which Turtle has not; TriG has`;
  const directions = `${counted(undirected, 'text')} without direction, which RDF 1.1 has not`;
  return [...(leftOut > 0 ? [graphs] : []), ...(undirected > 0 ? [directions] : [])]
    .map((each) => `; ${each}`)
    .join('');
}

/** @throws UsageError */
function exportFormatOf(file: string): Format {
  const format = formatOf(file);
  if (format !== 'nt') return format;
  throw new UsageError(`'concord export' writes ${formats.join(', ')}, not ${format}.`);
}

/** @throws UsageError */
function styleOf(format: Format, { rdf, annotations, plain = false }: ExportOptions): QuadStyle {
  if ((rdf ?? annotations) !== undefined && format === 'jsonl') {
    throw new UsageError('--rdf and --annotations are for RDF, and jsonl is not.');
  }
  if (rdf === '1.2' && format === 'jsonld') throw new UsageError('JSON-LD has no RDF 1.2 yet.');
  if (annotations !== undefined && plain) throw new UsageError('--plain leaves the annotations out.');
  if (annotations !== undefined && rdf === '1.2') throw new UsageError('--annotations is for --rdf 1.1.');
  if (annotations === 'graphs' && format === 'ttl') throw new UsageError('Turtle has no graphs; TriG has.');
  const version = rdf ?? (format === 'jsonld' || annotations !== undefined ? '1.1' : '1.2');
  const usual: Annotating = version === '1.1' ? 'reification' : 'triple-terms';
  return { rdf: version, annotations: plain ? 'plain' : (annotations ?? usual) };
}

/** @throws UsageError, ConcordClientError */
async function momentOf(
  client: ConcordClient,
  said: string | undefined,
): Promise<Pick<QueryWishes, 'asOf' | 'asOfRevision' | 'afterRevision'>> {
  if (said !== undefined && !/^\d+$/.test(said)) {
    if (!Number.isNaN(Date.parse(said))) return { asOf: new Date(said).toISOString() };
    throw new UsageError(`--as-of takes a revision or a time such as 2026-01-31T12:00:00Z, not '${said}'.`);
  }
  const revision = await revisionOf(client);
  const asked = Number(said ?? revision);
  if (asked > revision) throw new UsageError(`The graph is at revision ${revision}; there is no ${said} yet.`);
  // Every page is read of a replica that has come this far.
  return { asOfRevision: asked, afterRevision: asked };
}
