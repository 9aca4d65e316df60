import { createHash, randomUUID } from 'node:crypto';
import { StartupError } from '../../base/errors.ts';
import { untilAborted } from '../../base/untilAborted.ts';
import type { ConcordClient } from '../../client/index.ts';
import { Batcher } from './batch.ts';
import { Faulty, Interrupted, type Located, type Pieces, Unreadable } from './faulty.ts';
import { type Format, isByLine } from './format.ts';
import type { ProgressDisplay } from './progress.ts';
import { Rate } from './rate.ts';
import { RdfStatements } from './rdfStatements.ts';
import { type Contexts, readJsonLd } from './readJsonLd.ts';
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
  /** That JSON-LD may ask for. */
  contexts: Contexts;
  /** Told of what no context defines, which JSON-LD leaves out. */
  ignored(member: string): void;
  /** Where it is kept how far the import is. */
  stateFile?: string;
  /** Where it is kept if the import is interrupted, though it isn't kept else. */
  interruptedFile?: string;
  /** Ends the import when what is on its way has come to its end. */
  signal: AbortSignal;
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
  /** Members of JSON-LD that no context defines: they were left out, too. */
  ignored: number;
  seconds: number;
  statementsPerSecond: number;
}

/**
 * Imports a source in constant memory.
 * @param summary is brought up to date all the time, so that it tells what was done also where the import fails
 * @throws StartupError at the first faulty line, behind which nothing is applied, or rejected batch, unless they are to
 *   be left out; Interrupted; ConcordClientError
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
    const isOfInput = error instanceof Faulty || error instanceof Unreadable;
    const failure = isOfInput ? await run.sendRest() : undefined;
    await run.giveUp(error instanceof Interrupted);
    throw isOfInput ? inputError(source, error, failure, options) : error;
  }
  await run.finish();
}

class ImportRun {
  /** What an earlier run has done. */
  private readonly before: Progress;
  private readonly sender: Sender;
  private readonly batcher: Batcher;
  private readonly reader: Reader;
  private readonly rate: Rate;
  private readonly started = performance.now();
  /** The last batches end where the input can't be understood; read without that they would end elsewhere. */
  private isCutShort = false;

  constructor(
    client: ConcordClient,
    source: Source,
    private readonly options: ImportOptions,
    private readonly state: ImportState,
    private readonly display: ProgressDisplay,
    private readonly summary: Summary,
  ) {
    const before = state.progress;
    this.before = before;
    this.batcher = new Batcher(options.batch);
    this.reader = readerOf(source, options, this.batcher);
    this.rate = new Rate(countOf(before.tally), () => performance.now());
    const sending: SendOptions = {
      ...options,
      unit: isByLine(options.format) ? 'line' : 'statement',
      nonce: before.nonce,
      confirmed: (batches, tally) => {
        if (!this.isCutShort) state.save(batches, tally);
      },
      ...(options.faulty && { refused: (fault: Faulty) => this.leaveOut(fault) }),
    };
    this.sender = new Sender(client, sending, before);
  }

  /** @throws Faulty, Unreadable, Interrupted, or what sending has failed by */
  async sendAll(): Promise<void> {
    const { reader } = this;
    const { signal } = this.options;
    for await (const pieces of untilAborted(reader.pieces, signal)) {
      for (const piece of pieces) {
        const fault = piece instanceof Faulty ? piece : reader.take(piece);
        if (fault) this.leaveOut(fault);
      }
      for (const fault of reader.late()) this.leaveOut(fault);
      await this.flush();
    }
    if (signal.aborted) throw new Interrupted();
    await this.end();
    for (const fault of reader.late()) this.leaveOut(fault);
  }

  /**
   * Sends what stands before a place that can't be understood.
   * @returns what it has failed by
   */
  async sendRest(): Promise<unknown> {
    try {
      await this.flush();
      await this.sender.finish();
      this.isCutShort = true;
      await this.end();
      await this.sender.finish();
      return undefined;
    } catch (error) {
      return error;
    }
  }

  private async end(): Promise<void> {
    this.summary.unasserted = this.reader.end();
    this.batcher.end();
    await this.flush();
  }

  async finish(): Promise<void> {
    await this.sender.finish().finally(() => this.summarise());
    await this.state.remove();
  }

  /** What is on its way comes to its end, and is counted. */
  async giveUp(isInterrupted: boolean): Promise<void> {
    await this.sender.finish().catch(() => {});
    this.summarise();
    if (isInterrupted) this.state.keepIn(this.options.interruptedFile);
    await this.state.saved();
  }

  private async flush(): Promise<void> {
    for (const batch of this.batcher.take()) {
      this.summary.statements += batch.drafts.length;
      // What an earlier run is done with is read again, for what follows may rest on it, but not sent.
      if (batch.index >= this.before.batches) {
        if (this.options.signal.aborted) throw new Interrupted();
        this.rate.begin();
        await this.sender.send(batch);
      }
      this.summarise();
    }
  }

  private summarise(): void {
    const { summary, sender, rate, display } = this;
    Object.assign(summary, sender.tally);
    summary.seconds = Math.round(performance.now() - this.started) / 1_000;
    const done = countOf(sender.tally);
    const perSecond = rate.of(done);
    summary.statementsPerSecond = perSecond ?? 0;
    display.reached(done, perSecond);
  }

  private leaveOut(fault: Faulty): void {
    this.summary.faulty += 1;
    if (this.options.faulty === undefined) throw fault;
    this.options.faulty(fault);
  }
}

interface Reader {
  pieces: Pieces<unknown>;
  take(piece: Located<unknown>): Faulty | undefined;
  /** What was taken and has turned out faulty since it was last asked. */
  late(): Faulty[];
  /** @returns the number of annotations without a statement */
  end(): number;
}

function readerOf({ bytes, id }: Source, options: ImportOptions, batcher: Batcher): Reader {
  const { format, graph, contexts, ignored } = options;
  if (format === 'jsonl') {
    return reader(readPatches(bytes), {
      take({ line, value: patch }) {
        if (graph !== undefined) patch.statement.graph ??= graph;
        batcher.add({ line, patch });
        return undefined;
      },
      late: () => [],
      end: () => 0,
    });
  }
  const statements = new RdfStatements(batcher, { fileId: id, ...(graph !== undefined && { graph }) });
  const quads = format === 'jsonld' ? readJsonLd(bytes, contexts, ignored) : readRdf(bytes, format);
  return reader(quads, {
    take: (piece) => statements.take(piece),
    late: () => statements.late.splice(0),
    end() {
      statements.end();
      return statements.unasserted;
    },
  });
}

/** Pairs pieces with what takes them, whatever they are. */
function reader<T>(
  pieces: Pieces<T>,
  taking: Omit<Reader, 'pieces' | 'take'> & { take(piece: Located<T>): Faulty | undefined },
): Reader {
  return { pieces, ...taking } as Reader;
}

/** Which way batches are cut: where it changes, what an earlier version has begun is begun anew. */
const cutting = 2;

function identityOf({ id }: Source, { format, batch, graph, contexts }: ImportOptions): string {
  return createHash('sha256')
    .update(JSON.stringify([cutting, id, format, batch, graph ?? null, ...contexts]))
    .digest('base64url');
}

function inputError(
  { name }: Source,
  fault: Faulty | Unreadable,
  failure: unknown,
  { format }: ImportOptions,
): StartupError {
  const what = fault instanceof Faulty ? `line ${fault.line}: ${fault.reason}` : fault.message;
  const outcome =
    failure === undefined
      ? 'What stands before it was imported, nothing from there on.'
      : `Nothing from there on was imported, and not all that stands before it: ${(failure as Error).message}`;
  const advice = fault instanceof Faulty && isByLine(format) ? ' --skip-faulty leaves such lines out.' : '';
  return new StartupError(`${name}, ${what}. ${outcome}${advice}`);
}
