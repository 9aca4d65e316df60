import { createHash, randomUUID } from 'node:crypto';
import { StartupError } from '../../base/errors.ts';
import type { ConcordClient } from '../../client/index.ts';
import { Batcher } from './batch.ts';
import { Faulty, type Located, type Pieces } from './faulty.ts';
import { type Format, isByLine } from './format.ts';
import type { ProgressDisplay } from './progress.ts';
import { RdfStatements } from './rdfStatements.ts';
import { readPatches } from './readPatches.ts';
import { readRdf } from './readRdf.ts';
import { Sender, type SendOptions } from './sender.ts';
import type { Source } from './source.ts';
import { ImportState } from './state.ts';
import type { Tally } from './tally.ts';

export interface ImportOptions
  extends Pick<SendOptions, 'onRejected' | 'justification' | 'revision' | 'rejected'> {
  format: Format;
  /** Patches in a batch. */
  batch: number;
  /** The graph that statements without one go to. */
  graph?: string;
  /** Where it is kept how far the import is. */
  stateFile?: string;
  /** Applies anew what an earlier run of the same import has applied. */
  again?: boolean;
  /** Takes faulty lines that are left out; without it the first one ends the import. */
  faulty?(fault: Faulty): void;
}

/** What an import came to. */
export interface Summary extends Tally {
  /** Statements understood. */
  statements: number;
  /** Lines left out. */
  faulty: number;
  /** Annotations of statements that the file doesn't state: they were left out. */
  unasserted: number;
  seconds: number;
  statementsPerSecond: number;
}

/**
 * Imports a source in constant memory.
 * @param summary is brought up to date all the time, so that it tells what was done also where the import fails
 * @throws StartupError at the first faulty line or rejected batch, unless they are to be left out; ConcordClientError
 */
export async function runImport(
  client: ConcordClient,
  source: Source,
  options: ImportOptions,
  display: ProgressDisplay,
  summary: Summary,
): Promise<void> {
  const started = performance.now();
  const state = await ImportState.open(
    options.stateFile,
    identityOf(source, options),
    options.again ? randomUUID() : undefined,
  );
  const { progress } = state;
  const sender = new Sender(
    client,
    {
      ...options,
      unit: isByLine(options.format) ? 'line' : 'statement',
      nonce: progress.nonce,
      confirmed: (batches, tally) => state.save(batches, tally),
    },
    progress,
  );
  const summarise = () => {
    Object.assign(summary, sender.tally);
    summary.seconds = Math.round(performance.now() - started) / 1_000;
    const sent = Object.values(sender.tally).reduce((sum, count) => sum + count, 0);
    const before = Object.values(progress.tally).reduce((sum, count) => sum + count, 0);
    summary.statementsPerSecond = Math.round((sent - before) / Math.max(summary.seconds, 0.001));
    display.reached(sent);
  };
  const batcher = new Batcher(options.batch);
  const flush = async () => {
    for (const batch of batcher.take()) {
      summary.statements += batch.drafts.length;
      // What an earlier run is done with is read again, for what follows may rest on it, but not sent.
      if (batch.index >= progress.batches) await sender.send(batch);
      summarise();
    }
  };
  const faulty = (fault: Faulty) => {
    summary.faulty += 1;
    if (options.faulty === undefined) throw faultError(source, fault, options.format);
    options.faulty(fault);
  };
  try {
    const reader = readerOf(source, options, batcher);
    for await (const pieces of reader.pieces) {
      for (const piece of pieces) {
        const fault = piece instanceof Faulty ? piece : reader.take(piece);
        if (fault) faulty(fault);
      }
      await flush();
    }
    summary.unasserted = reader.end();
    batcher.end();
    await flush();
  } catch (error) {
    // What is on its way comes to its end, and is counted.
    await sender.finish().catch(() => {});
    summarise();
    await state.saved();
    throw error instanceof Faulty ? faultError(source, error, options.format) : error;
  }
  await sender.finish().finally(summarise);
  await state.remove();
}

interface Reader {
  pieces: Pieces<unknown>;
  take(piece: Located<unknown>): Faulty | undefined;
  /** @returns the number of annotations without a statement */
  end(): number;
}

function readerOf({ bytes, id }: Source, { format, graph }: ImportOptions, batcher: Batcher): Reader {
  if (format === 'jsonl') {
    return reader(readPatches(bytes), {
      take({ line, value: patch }) {
        if (graph !== undefined) patch.statement.graph ??= graph;
        batcher.add({ line, patch });
        return undefined;
      },
      end: () => 0,
    });
  }
  const statements = new RdfStatements(batcher, { fileId: id, ...(graph !== undefined && { graph }) });
  return reader(readRdf(bytes, format), {
    take: (piece) => statements.take(piece),
    end() {
      statements.end();
      return statements.unasserted;
    },
  });
}

/** Pairs pieces with what takes them, whatever they are. */
function reader<T>(
  pieces: Pieces<T>,
  taking: { take(piece: Located<T>): Faulty | undefined; end(): number },
): Reader {
  return { pieces, ...taking } as Reader;
}

function identityOf({ id }: Source, { format, batch, graph }: ImportOptions): string {
  return createHash('sha256')
    .update(JSON.stringify([id, format, batch, graph ?? null]))
    .digest('base64url');
}

function faultError({ name }: Source, { line, reason }: Faulty, format: Format): StartupError {
  const advice = isByLine(format) ? ' --skip-faulty leaves such lines out.' : '';
  return new StartupError(`${name}, line ${line}: ${reason}. Nothing from there on was imported.${advice}`);
}
