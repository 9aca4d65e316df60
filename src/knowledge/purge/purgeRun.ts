import { groupBy } from '../../base/groupBy.ts';
import type { Queryable } from '../../graph/database/queryable.ts';
import { Eraser } from '../../graph/erasing/eraser.ts';
import { lift, type Suppression, suppress } from '../../graph/erasing/suppression.ts';
import {
  addToTombstone,
  type Erased,
  finishTombstone,
  nothing,
  readTombstone,
  type Tombstone,
} from '../../graph/erasing/tombstone.ts';
import type { Dictionary } from '../../graph/names/dictionary.ts';
import { statementIdOf } from '../../graph/statements/statement.ts';
import { dateTime } from '../../graph/statements/values.ts';
import { type Ledger, lockLedger, readLedger } from '../../graph/updates/ledger.ts';
import { behindEdits, type TakeEdits } from '../update/behindEdits.ts';
import { EditsWait } from '../update/commit.ts';
import { type ReviewTransactionParts, writeReviews } from '../update/reviewTransaction.ts';
import { type Erasure, isUpdateErased, mentions, remainsOf } from './erasure.ts';

/** A purge rejects proposals that wait. */
export interface PurgeParts extends ReviewTransactionParts {
  dictionary: Dictionary;
  /** Keeps what was erased from coming back; absent where nothing does. */
  suppression?: Suppression;
  /** What edits by hand were made on must not come back behind a purge. */
  takeEdits?: TakeEdits;
  /** Milliseconds since 1970. */
  now(): number;
}

/** What a purge came to. */
interface Purged {
  erased: Erased;
  /** Statements about others whose literal names the entity, and which are left. */
  naming: { subject: string; predicate: string }[];
}

/** Changes and updates looked at in one query; changes, updates or edges erased in one transaction. */
const page = 10_000;
const batch = 500;
/** How far the clocks of replicas may be apart. */
const skewMs = 60_000;

/**
 * Erases in transactions of bounded size, each under the ledger: first what the log and the updates hold, then the
 * statements, at last the entity together with what has come in meanwhile. Each can be repeated, so a purge that was
 * cut short is made again.
 */
export class PurgeRun {
  private readonly parts: PurgeParts;
  private readonly erasure: Erasure;
  private readonly tombstone: Tombstone;
  /** As it stands in JSON text. */
  private readonly text: string;
  private readonly naming = new Map<string, { subject: string; predicate: string }>();

  constructor(parts: PurgeParts, erasure: Erasure, tombstone: Tombstone) {
    this.parts = parts;
    this.erasure = erasure;
    this.tombstone = tombstone;
    this.text = JSON.stringify(erasure.subject).slice(1, -1);
  }

  /** @throws the signal's reason */
  async erase(signal: AbortSignal): Promise<Purged> {
    // Of edits that are seen only after they were committed, the ledger doesn't tell that they wait.
    await this.parts.takeEdits?.(this.tombstone.tenant);
    const since = this.parts.now() - this.parts.timeoutMs - skewMs;
    let scanned = await this.scanChanges(0, signal);
    await this.scanUpdates(signal);
    for (let step: Step = 'edges'; step !== 'done'; ) {
      signal.throwIfAborted();
      if (step === 'log') scanned = await this.scanChanges(scanned, signal);
      step = await this.write((eraser, ledger) => this.eraseGraph(eraser, ledger, scanned, since));
    }
    const total = await this.read((_, tx) => readTombstone(tx, this.tombstone));
    return { erased: total?.erased ?? nothing, naming: [...this.naming.values()] };
  }

  /**
   * What was erased may come back from now on.
   * @returns whether it was kept away until now
   */
  lift(suppression: Suppression): Promise<boolean> {
    const { tenant } = this.tombstone;
    return writeReviews(this.parts, tenant, async (tx) => {
      await lockLedger(tx, tenant);
      return { result: await lift(tx, tenant, suppression, this.erasure), reviewed: [] };
    });
  }

  /** What `erase` would erase now; nothing is written. Updates are counted that have nothing to lose too. */
  async look(signal: AbortSignal): Promise<Purged> {
    let erased: Erased = nothing;
    const add = (more: Partial<Erased>) => {
      erased = sum(erased, more);
    };
    const updates = new Set<string>();
    const provenances = new Set<string>();
    for await (const sequences of this.changePages(0, signal)) {
      const found = await this.read((eraser) => this.remains(eraser, sequences));
      add({ changes: found.rewritten.length });
      for (const id of found.updates) updates.add(id);
      for (const ids of found.stripped.values()) for (const id of ids) provenances.add(id);
    }
    for await (const ids of this.updatePages(signal)) {
      for (const { id } of await this.read((eraser) => this.erasedUpdates(eraser, ids))) updates.add(id);
    }
    const kept = await this.read((eraser) => eraser.updates([...updates]));
    const edges = await this.read((eraser) => eraser.countEdges(this.erasure));
    const isEntity = this.erasure.predicate === undefined;
    const entities = isEntity && (await this.read((eraser) => eraser.isThere(this.erasure.subject))) ? 1 : 0;
    const proposals = kept.filter(({ status }) => status === 'pending').length;
    add({ ...edges, entities, updates: updates.size, proposals, provenances: provenances.size });
    return { erased, naming: [...this.naming.values()] };
  }

  /** Erases what the log says of it after a sequence number; returns up to which it looked. */
  private async scanChanges(after: number, signal: AbortSignal): Promise<number> {
    const { sequence } = await this.read((_, tx) => readLedger(tx, this.tombstone.tenant));
    for await (const sequences of this.changePages(after, signal, sequence)) {
      await this.write(async (eraser) => this.eraseChanges(eraser, sequences));
    }
    return sequence;
  }

  private async scanUpdates(signal: AbortSignal): Promise<void> {
    for await (const ids of this.updatePages(signal))
      await this.write(async (eraser) => this.eraseUpdates(eraser, ids));
  }

  /** A batch of edges; and, if that was the last, all that is left, so that nobody sees the entity any more. */
  private async eraseGraph(eraser: CountingEraser, ledger: Ledger, scanned: number, since: number): Promise<Step> {
    const edges = await eraser.eraseEdges(this.erasure, batch);
    eraser.add(edges);
    if (edges.statements + edges.pastStatements === batch) return 'edges';
    if (ledger.sequence - scanned > page) return 'log';
    const { subject, predicate } = this.erasure;
    await this.eraseChanges(eraser, await eraser.changesHolding(this.text, scanned, ledger.sequence));
    await this.eraseUpdates(eraser, await eraser.updatesHoldingSince(subject, this.text, dateTime(since)));
    if (predicate === undefined && (await eraser.eraseEntity(subject))) eraser.add({ entities: 1 });
    eraser.isFinished = true;
    return 'done';
  }

  private async eraseChanges(eraser: CountingEraser, sequences: number[]): Promise<void> {
    const { rewritten, updates, stripped } = await this.remains(eraser, sequences);
    if (rewritten.length === 0) return;
    await eraser.rewriteChanges(rewritten);
    const provenances = await eraser.stripProvenance(stripped, (value) => mentions(value, this.erasure));
    eraser.add({ changes: rewritten.length, provenances });
    await this.blankUpdates(eraser, [...updates]);
  }

  private async eraseUpdates(eraser: CountingEraser, ids: string[]): Promise<void> {
    const erased = (await this.erasedUpdates(eraser, ids)).map(({ id }) => id);
    if (erased.length > 0) await this.blankUpdates(eraser, erased);
  }

  private async blankUpdates(eraser: CountingEraser, ids: string[]): Promise<void> {
    const { taskIds, ...counts } = await eraser.blankUpdates(ids, this.gone, this.tombstone.erasedBy);
    eraser.add(counts);
    eraser.rejectedOf.push(...taskIds);
  }

  private async erasedUpdates(eraser: Eraser, ids: string[]) {
    return (await eraser.updates(ids)).filter((update) => isUpdateErased(update, this.erasure));
  }

  /**
   * What is to be written of these changes, the updates that made them, and the statements to lose their provenance, by
   * predicate.
   */
  private async remains(eraser: Eraser, sequences: number[]) {
    const changes = (await eraser.changes(sequences)).map((change) => ({
      ...change,
      remains: remainsOf(change, this.erasure),
    }));
    const { tenant } = this.tombstone;
    for (const statement of changes.flatMap(({ remains }) => remains.naming)) {
      this.naming.set(statementIdOf(tenant, statement), {
        subject: statement.subject.id,
        predicate: statement.predicate.id,
      });
    }
    const stripped = groupBy(
      changes.flatMap(({ remains }) => remains.stripped),
      ({ predicate }) => predicate.id,
    );
    return {
      rewritten: changes
        .filter(({ remains }) => remains.isTouched || remains.stripped.length > 0)
        .map(({ sequence, remains: { statement, previous } }) => ({ sequence, statement, previous })),
      updates: new Set(changes.flatMap(({ updateId, remains }) => (remains.isTouched ? [updateId] : []))),
      stripped: new Map(
        [...stripped].map(([predicate, statements]) => [
          predicate,
          [...new Set(statements.map((each) => statementIdOf(tenant, each)))],
        ]),
      ),
    };
  }

  /** The id that is to stand in no list. */
  private get gone(): string | undefined {
    return this.erasure.predicate === undefined ? this.erasure.subject : undefined;
  }

  private async *changePages(after: number, signal: AbortSignal, to?: number): AsyncGenerator<number[]> {
    const end = to ?? (await this.read((_, tx) => readLedger(tx, this.tombstone.tenant))).sequence;
    for (let from = after; from < end; from += page) {
      signal.throwIfAborted();
      yield* inBatches(await this.read((eraser) => eraser.changesHolding(this.text, from, Math.min(from + page, end))));
    }
  }

  private async *updatePages(signal: AbortSignal): AsyncGenerator<string[]> {
    for (let after: string | null = ''; after !== null; ) {
      signal.throwIfAborted();
      const last: string = after;
      const found = await this.read((eraser) =>
        eraser.updatesHolding(this.erasure.subject, this.text, { after: last, page }),
      );
      yield* inBatches(found.ids);
      after = found.last;
    }
  }

  private read<T>(work: (eraser: Eraser, tx: Queryable) => Promise<T>): Promise<T> {
    const { database, dictionary, timeoutMs } = this.parts;
    return database.read((tx) => work(new Eraser(tx, this.tombstone.tenant, dictionary), tx), timeoutMs);
  }

  /** One transaction under the ledger, which counts on the tombstone what it has erased. */
  private write<T>(work: (eraser: CountingEraser, ledger: Ledger) => Promise<T>): Promise<T> {
    const write = (isBehindEdits: boolean) => this.writeOnce(work, isBehindEdits);
    return behindEdits(this.tombstone.tenant, this.parts.takeEdits, write);
  }

  private writeOnce<T>(
    work: (eraser: CountingEraser, ledger: Ledger) => Promise<T>,
    isBehindEdits: boolean,
  ): Promise<T> {
    const { dictionary, now } = this.parts;
    const { tenant } = this.tombstone;
    return writeReviews(this.parts, tenant, async (tx) => {
      const ledger = await lockLedger(tx, tenant);
      if (isBehindEdits && ledger.waitingEdits) throw new EditsWait();
      const eraser = new CountingEraser(tx, tenant, dictionary);
      const result = await work(eraser, ledger);
      if (eraser.hasErased) await addToTombstone(tx, this.tombstone, eraser.erased, now());
      if (eraser.isFinished) {
        const { suppression } = this.parts;
        if (suppression) await suppress(tx, tenant, suppression, this.erasure, now());
        const found = await readTombstone(tx, this.tombstone);
        if (found && !found.isFinished) await finishTombstone(tx, this.tombstone, now());
      }
      // In the order in which others lock tasks.
      const rejected = [...new Set(eraser.rejectedOf)].sort();
      return { result, reviewed: rejected.map((taskId) => ({ taskId })) };
    });
  }
}

type Step = 'log' | 'edges' | 'done';

/** An eraser that keeps count. */
class CountingEraser extends Eraser {
  erased: Erased = nothing;
  isFinished = false;
  /** The tasks that made proposals which were rejected. */
  readonly rejectedOf: string[] = [];

  get hasErased(): boolean {
    return Object.values(this.erased).some((count) => count > 0);
  }

  add(more: Partial<Erased>): void {
    this.erased = sum(this.erased, more);
  }
}

function sum(one: Erased, more: Partial<Erased>): Erased {
  const names = Object.keys(nothing) as (keyof Erased)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + (more[name] ?? 0)])) as unknown as Erased;
}

function* inBatches<T>(all: T[]): Generator<T[]> {
  for (let from = 0; from < all.length; from += batch) yield all.slice(from, from + batch);
}
