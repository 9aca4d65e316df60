import type { EntityInput, Patch, Update, UpdateResult } from '../wire/types.ts';
import type { ConcordClient } from './client.ts';
import type { CallOptions } from './options.ts';
import { defaultRetry, retrying } from './retry.ts';

/** How much has been done. */
export interface BatchProgress {
  /** Patches or entities that are done with. */
  items: number;
  updates: number;
  statementsAffected: number;
  /** Items that the rules rejected, and that they hold for review. */
  rejected: number;
  pending: number;
  seconds: number;
}

export type BatchResult = BatchProgress;

export interface BatchOptions<Item> extends CallOptions, Pick<Update, 'justification' | 'sourceAgentId'> {
  /** Patches in an update, at most; 2,000 if left out. */
  size?: number;
  /** Updates under way at a time; 2 if left out. Those that speak of one entity wait for each other all the same. */
  concurrency?: number;
  /**
   * Idempotency keys begin with it. With the same key and the same items, in the same sizes, sending them again applies
   * nothing twice while the service keeps keys. One of its own if left out.
   */
  key?: string;
  /** Milliseconds without an answer after which a service that is away is given up; two minutes if left out. */
  patienceMs?: number;
  /** Told after each update. */
  onProgress?(progress: BatchProgress): void;
  /** Takes what the rules reject; without it the first rejection ends the batch. */
  onRejected?(items: Item[], result: UpdateResult): void;
}

/** The rules have rejected an update; nothing of it was applied, and nothing behind it was sent. */
export class BatchRejectedError extends Error {
  constructor(
    readonly items: unknown[],
    readonly result: UpdateResult,
    readonly progress: BatchProgress,
  ) {
    super(`${result.verificationStatus}: ${result.verificationDetails ?? ''}`);
    this.name = 'BatchRejectedError';
  }
}

/**
 * Sends patches or entities, however many, in as many updates as it takes. Updates that speak of one entity are applied
 * in the order of their items; others may overtake each other. While the service is away it waits and goes on, and
 * nothing is applied twice.
 * @throws BatchRejectedError; what an update fails by, when what is under way has ended
 */
export async function sendInBatches<Item extends Patch | EntityInput>(
  client: Pick<ConcordClient, 'update'>,
  items: Iterable<Item> | AsyncIterable<Item>,
  options: BatchOptions<Item> = {},
): Promise<BatchResult> {
  const { size = 2_000, concurrency = 2, key = crypto.randomUUID(), patienceMs = 120_000 } = options;
  const { justification, sourceAgentId, signal, timeoutMs, headers, onRejected, onProgress } = options;
  const started = performance.now();
  const done = { items: 0, updates: 0, statementsAffected: 0, rejected: 0, pending: 0 };
  const progress = () => ({ ...done, seconds: Math.round(performance.now() - started) / 1_000 });
  // The key makes it safe to send an update until it is answered.
  const retry = { ...defaultRetry, attempts: Number.POSITIVE_INFINITY, patienceMs };
  const deliver = async ({ index, items, change }: Cut<Item>) => {
    const metadata = { idempotencyKey: `${key}:${index}` };
    const update = {
      ...change,
      ...(justification !== undefined && { justification }),
      ...(sourceAgentId !== undefined && { sourceAgentId }),
      metadata,
    };
    const result = await retrying(() => client.update(update, { signal, timeoutMs, headers }), retry, signal);
    if (!result.success && onRejected === undefined) throw new BatchRejectedError(items, result, progress());
    done.items += items.length;
    done.updates += 1;
    done.statementsAffected += result.statementsAffected;
    if (!result.success) {
      done.rejected += items.length;
      onRejected?.(items, result);
    } else if (result.verificationStatus === 'Pending Review') done.pending += items.length;
    onProgress?.(progress());
  };
  const order = new InOrder<Cut<Item>>(concurrency);
  try {
    for await (const cut of cuts(items, size)) await order.begin(cut, () => deliver(cut));
  } finally {
    await order.finish();
  }
  return progress();
}

/** Characters of JSON in one update: far below the 16 MiB that a request may have. */
const maxCharacters = 3_000_000;

type Sent = Patch | EntityInput;

/** Items that are sent together. */
class Cut<Item> {
  readonly items: Item[] = [];
  /** What they speak of. */
  private readonly subjects = new Set<string>();
  private readonly kinds = new Set<string>();
  private patches = 0;
  private characters = 0;

  constructor(
    /** From 0. */
    readonly index: number,
  ) {}

  /** Whether it has room for another item. */
  takes(item: Sent, size: number): boolean {
    const [first] = this.items as Sent[];
    if (first === undefined) return true;
    const isSame = isPatch(first) === isPatch(item);
    return isSame && this.patches + patchesOf(item) <= size && this.characters < maxCharacters;
  }

  add(item: Item & Sent): void {
    const { kind, subject } = aboutOf(item);
    this.items.push(item);
    this.subjects.add(subject);
    this.kinds.add(kind);
    this.patches += patchesOf(item);
    this.characters += JSON.stringify(item).length;
  }

  get change(): Update {
    const items = this.items as Sent[];
    return items.every(isPatch) ? { mutations: items } : { entities: items as EntityInput[] };
  }

  /** Whether both may speak of one entity. One that is known by its id here and by its key there can't be told. */
  needsOrderWith(other: Cut<unknown>): boolean {
    const kinds = new Set([...this.kinds, ...other.kinds]);
    if (kinds.size > 1 || kinds.has('fields')) return true;
    for (const each of this.subjects) if (other.subjects.has(each)) return true;
    return false;
  }
}

/** Cuts items into updates, always at the same places of the same items. */
async function* cuts<Item extends Sent>(
  items: Iterable<Item> | AsyncIterable<Item>,
  size: number,
): AsyncGenerator<Cut<Item>, void> {
  let cut = new Cut<Item>(0);
  for await (const item of items) {
    if (!cut.takes(item, size)) {
      yield cut;
      cut = new Cut<Item>(cut.index + 1);
    }
    cut.add(item);
  }
  if (cut.items.length > 0) yield cut;
}

function isPatch(item: Sent): item is Patch {
  return 'statement' in item;
}

/** What an item speaks of; by `fields` where only the vocabulary knows which of them are the key. */
function aboutOf(item: Sent): { kind: 'id' | 'key' | 'fields'; subject: string } {
  if (isPatch(item)) return { kind: 'id', subject: item.statement.subject.id };
  if (item.id !== undefined) return { kind: 'id', subject: item.id };
  if (item.key === undefined) return { kind: 'fields', subject: '' };
  const key = Object.entries(item.key).sort(([one], [other]) => (one < other ? -1 : 1));
  return { kind: 'key', subject: JSON.stringify([item.class, key]) };
}

function patchesOf(item: Sent): number {
  if (isPatch(item)) return 1;
  const values = Object.values(item.fields ?? {}).map((value) => (Array.isArray(value) ? value.length : 1));
  return values.reduce((sum, count) => sum + count, Object.keys(item.key ?? {}).length);
}

/** What a piece of work touches, to tell whether another may run beside it. */
interface Ordered<Self> {
  needsOrderWith(other: Self): boolean;
}

/** Runs pieces of work beside each other, so many at a time; those that need an order wait for those before them. */
export class InOrder<Piece extends Ordered<Piece>> {
  private readonly underWay = new Map<Piece, Promise<void>>();
  private failure: { error: unknown } | undefined;

  constructor(private readonly most: number) {}

  /**
   * Begins a piece as soon as it may.
   * @throws what an earlier one has failed by, when what is under way has ended
   */
  async begin(piece: Piece, work: () => Promise<void>): Promise<void> {
    while (!this.failure && this.mustWait(piece)) await Promise.race(this.underWay.values());
    if (this.failure) return this.finish();
    const done = work()
      .catch((error: unknown) => {
        this.failure ??= { error };
      })
      .finally(() => this.underWay.delete(piece));
    this.underWay.set(piece, done);
  }

  /** Waits for what is under way. @throws what one has failed by */
  async finish(): Promise<void> {
    await Promise.all(this.underWay.values());
    if (this.failure) throw this.failure.error;
  }

  private mustWait(piece: Piece): boolean {
    return this.underWay.size >= this.most || [...this.underWay.keys()].some((each) => each.needsOrderWith(piece));
  }
}
