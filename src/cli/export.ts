import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Command, Option } from 'commander';
import type { ConcordClient, QueryWishes } from '../client/index.ts';
import { type ConnectionOptions, connectTo, patient, withConnection } from './connection.ts';
import { patchLines } from './export/patchLines.ts';
import { QuadLines } from './export/quadLines.ts';
import { statementRows } from './export/rows.ts';
import { formatOf } from './import/format.ts';
import { revisionOf } from './revision.ts';
import { UsageError } from './terminal/exit.ts';
import type { Io } from './terminal/io.ts';

const formats = ['nq', 'jsonl'] as const;

interface ExportOptions extends ConnectionOptions {
  format?: (typeof formats)[number];
  asOf?: string;
  json?: boolean;
}

const help = `
It writes what the caller may see, as of one revision: what is changed meanwhile is not in it. Classes are those that entities have now.

  nq     N-Quads of RDF 1.2: each statement with annotations of its certainty, provenance, time and source
  jsonl  one patch a line, as 'concord update' and 'concord import' take it

Examples:
  concord export backup.nq.gz                         # a backup; 'concord import backup.nq.gz' restores it
  concord export --format jsonl | jq .statement
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
    .option('--as-of <revision or time>', 'the graph as this revision or this time (ISO 8601) had it')
    .option('--json', 'say what was written as one line of JSON')
    .addHelpText('after', help);
  withConnection(command).action((file: string | undefined, options: ExportOptions) =>
    exportGraph(file, options, io),
  );
}

async function exportGraph(file: string | undefined, options: ExportOptions, { say }: Io): Promise<void> {
  const format = options.format ?? (file === undefined ? 'nq' : formatOf(file));
  if (format !== 'nq' && format !== 'jsonl') {
    throw new UsageError(`'concord export' writes ${formats.join(' and ')}, not ${format}.`);
  }
  const client = await connectTo(options, { retry: patient });
  const moment = await momentOf(client, options.asOf);
  let statements = 0;
  async function* text() {
    const quads = new QuadLines();
    for await (const rows of statementRows(client, moment)) {
      statements += rows.length;
      yield (format === 'nq' ? quads.of(rows) : patchLines(rows)).join('');
    }
  }
  const lines = Readable.from(text());
  if (file === undefined) await pipeline(lines, process.stdout, { end: false });
  else {
    // Under its name only when it is whole.
    const part = `${file}.part`;
    const out = createWriteStream(part);
    await (file.endsWith('.gz') ? pipeline(lines, createGzip(), out) : pipeline(lines, out));
    await rename(part, file);
  }
  const written = { statements, ...moment };
  say(
    options.json
      ? JSON.stringify(written)
      : `${statements.toLocaleString('en-US')} statements as of ${
          'asOf' in moment ? moment.asOf : `revision ${moment.asOfRevision}`
        }`,
  );
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
  if (asked > revision)
    throw new UsageError(`The graph is at revision ${revision}; there is no ${said} yet.`);
  // Every page is read of a replica that has come this far.
  return { asOfRevision: asked, afterRevision: asked };
}
