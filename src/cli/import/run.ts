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
import { ImportState, type Progress } from './state.ts';
import { countOf, type Tally } from './tally.ts';

interface ImportOptions extends Pick<SendOptions, 'onRejected' | 'justification' | 'revision' | 'rejected'> {
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
  const nonce = options.again ? randomUUID() : undefined;
  const state = await ImportState.open(options.stateFile, identityOf(source, options), nonce);
  const run = new ImportRun(client, source, options, state, display, summary);
  try {
    await run.sendAll();
  } catch (error) {
    await run.giveUp();
    throw error instanceof Faulty ? faultError(source, error, options.format) : error;
  }
  await run.finish();
}

class ImportRun {
  private readonly source: Source;
  private readonly options: ImportOptions;
  private readonly state: ImportState;
  /** What an earlier run has done. */
  private readonly before: Progress;
  private readonly display: ProgressDisplay;
  private readonly summary: Summary;
  private readonly sender: Sender;
  private readonly batcher: Batcher;
  private readonly started = performance.now();

  constructor(
    client: ConcordClient,
    source: Source,
    options: ImportOptions,
    state: ImportState,
    display: ProgressDisplay,
    summary: Summary,
  ) {
    const before = state.progress;
    this.source = source;
    this.options = options;
    this.state = state;
    this.before = before;
    this.display = display;
    this.summary = summary;
    this.batcher = new Batcher(options.batch);
    const sending: SendOptions = {
      ...options,
      unit: isByLine(options.format) ? 'line' : 'statement',
      nonce: before.nonce,
      confirmed: (batches, tally) => state.save(batches, tally),
    };
    this.sender = new Sender(client, sending, before);
  }

  /** @throws Faulty, or what sending has failed by */
  async sendAll(): Promise<void> {
    const reader = readerOf(this.source, this.options, this.batcher);
    for await (const pieces of reader.pieces) {
      for (const piece of pieces) {
        const fault = piece instanceof Faulty ? piece : reader.take(piece);
        if (fault) this.leaveOut(fault);
      }
      await this.flush();
    }
    this.summary.unasserted = reader.end();
    this.batcher.end();
    await this.flush();
  }

  async finish(): Promise<void> {
    await this.sender.finish().finally(() => this.summarise());
    await this.state.remove();
  }

  /** What is on its way comes to its end, and is counted. */
  async giveUp(): Promise<void> {
    await this.sender.finish().catch(() => {});
    this.summarise();
    await this.state.saved();
  }

  private async flush(): Promise<void> {
    for (const batch of this.batcher.take()) {
      this.summary.statements += batch.drafts.length;
      // What an earlier run is done with is read again, for what follows may rest on it, but not sent.
      if (batch.index >= this.before.batches) await this.sender.send(batch);
      this.summarise();
    }
  }

  private summarise(): void {
    const { summary, sender, before, display } = this;
    Object.assign(summary, sender.tally);
    summary.seconds = Math.round(performance.now() - this.started) / 1_000;
    const sent = countOf(sender.tally);
    const rate = (sent - countOf(before.tally)) / Math.max(summary.seconds, 0.001);
    summary.statementsPerSecond = Math.round(rate);
    display.reached(sent);
  }

  private leaveOut(fault: Faulty): void {
    const { source, options } = this;
    this.summary.faulty += 1;
    if (options.faulty === undefined) throw faultError(source, fault, options.format);
    options.faulty(fault);
  }
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
