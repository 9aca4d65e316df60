import type { ChangeEvent, ChangeSubscription, SnapshotEnd, SubscriptionReceiver } from '../wire/types.ts';
import { anySignal, type Linked } from './anySignal.ts';
import { isRetryable, TransportError } from './errors.ts';
import type { CallOptions } from './options.ts';
import { backoffMs, pause } from './retry.ts';
import type { Rpc } from './rpc.ts';
import { defaultStallMs, type Message, messages } from './sse.ts';
import type { Exchange } from './transport.ts';

/** Where a subscription stands. */
export type SubscriptionState =
  /** Every change after the cursor is delivered. Without one the agent does not say where its stream starts. */
  | { phase: 'open'; cursor?: string }
  /** The connection was lost, or could not be made; the next attempt is made after the delay. */
  | { phase: 'waiting'; error: unknown; delayMs: number }
  | { phase: 'closed' };

export interface SubscribeOptions extends CallOptions {
  /** The cursor to go on behind: `changeMetadata.sequence` of the last event. 0 is the beginning of the log. */
  after?: number | string;
  /**
   * Begins with the statements that there are, each as an `add` whose `changeMetadata` has `snapshot: true`; after
   * a lost connection it goes on in the middle of them. Beyond the specification. Not heeded where `after` is given,
   * unless that is the `cursor` of a subscription which was in the middle of them.
   */
  snapshot?: boolean;
  /** Told behind the last statement of the snapshot; must not throw. */
  onSnapshot?(end: SnapshotEnd): void;
  /**
   * Milliseconds of silence after which a connection counts as lost: a few heartbeats of the agent; 45,000 if left out.
   */
  stallMs?: number;
  /** Told of every change of state; must not throw. */
  onState?(state: SubscriptionState): void;
  taskId?: string;
  sessionId?: string;
  metadata?: Record<string, unknown>;
}

/**
 * The changes that a GraphQL subscription asks for, one after another, each once. It connects with the first `next` or
 * `ready`, and again whenever the connection is lost, falls silent or is ended for a passing reason, behind the last
 * event. Without one it goes on where the first connection began, which Concord says in the header `Last-Event-ID` of
 * its answer.
 *
 * Iteration ends when the signal aborts or `return` is called; it throws the error that a new connection would not
 * mend.
 */
export class Subscription<Event = ChangeEvent> implements AsyncIterableIterator<Event, void> {
  private readonly link: Linked;
  private readonly events: AsyncGenerator<Event, void>;
  private first: Promise<Exchange> | undefined;
  private lastId: string | undefined;
  private hasStood = false;
  private failures = 0;

  constructor(
    private readonly rpc: Rpc,
    private readonly params: object,
    private readonly options: SubscribeOptions,
  ) {
    this.lastId = options.after === undefined ? undefined : String(options.after);
    this.link = anySignal([rpc.signal, options.signal]);
    this.events = this.follow();
  }

  /** Where to go on: behind the last event, or where the stream began. */
  get cursor(): string | undefined {
    return this.lastId;
  }

  /**
   * Settles once the subscription stands: what is committed after that is delivered.
   * @throws ConcordClientError, the reason of the signal
   */
  async ready(): Promise<void> {
    this.first ??= this.connect();
    await this.first;
  }

  next(): Promise<IteratorResult<Event, void>> {
    return this.events.next();
  }

  /** Ends the subscription, also while a `next` waits. */
  async return(): Promise<IteratorResult<Event, void>> {
    this.link.abort(new DOMException('The subscription was closed', 'AbortError'));
    this.link.release();
    return this.events.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private async *follow(): AsyncGenerator<Event, void> {
    try {
      this.first ??= this.connect();
      for (let exchange = await this.first; ; ) {
        let ending: unknown;
        try {
          yield* this.delivered(exchange);
          ending = new TransportError('The stream has ended', { reason: 'ended', retryable: true });
        } catch (error) {
          ending = exchange.failure(error);
        } finally {
          exchange.end();
        }
        exchange = await this.connect(ending);
      }
    } catch (error) {
      if (!this.link.signal.aborted) throw error;
    } finally {
      this.link.release();
      this.options.onState?.({ phase: 'closed' });
    }
  }

  private async *delivered({ response }: Exchange): AsyncGenerator<Event, void> {
    if (response.body === null) return;
    for await (const message of messages(response.body, this.options.stallMs ?? defaultStallMs)) {
      const event = this.received(message);
      // A heartbeat counts too: a connection that lasts is no failure, however quiet the graph is.
      this.failures = 0;
      if (event !== undefined) yield event;
    }
  }

  /** The event of a message, if it is new; throws the error that the message may hold instead. */
  private received(message: Message): Event | undefined {
    if (message.kind === 'comment') return undefined;
    const event = this.rpc.resultOfEvent<Event>(message.data);
    const { id } = message;
    if (id === undefined) return event;
    if (!isBehind(this.lastId, id)) return undefined;
    this.lastId = id;
    if (!isSnapshotEnd(event)) return event;
    this.options.onSnapshot?.(event);
    return undefined;
  }

  /**
   * Connects, as often as it takes: until the subscription stands for the first time that is as often as any other
   * call, later without end.
   * @param error what the connection before was lost by
   */
  private async connect(error?: unknown): Promise<Exchange> {
    for (let lost = error; ; ) {
      if (lost !== undefined) await this.wait(lost);
      try {
        return await this.open();
      } catch (failure) {
        lost = failure;
      }
    }
  }

  private async wait(error: unknown): Promise<void> {
    const { retry } = this.rpc;
    const { signal } = this.link;
    signal.throwIfAborted();
    this.failures += 1;
    if (!isRetryable(error) || (!this.hasStood && this.failures >= retry.attempts)) throw error;
    const delayMs = backoffMs(this.failures, retry);
    this.options.onState?.({ phase: 'waiting', error, delayMs });
    await pause(delayMs, signal);
  }

  private async open(): Promise<Exchange> {
    const { timeoutMs, headers, onState } = this.options;
    const exchange = await this.rpc.stream('knowledge/subscribe', this.params, {
      timeoutMs,
      signal: this.link.signal,
      headers: { ...headers, ...(this.lastId !== undefined && { 'Last-Event-ID': this.lastId }) },
    });
    this.hasStood = true;
    this.lastId ??= exchange.response.headers.get('Last-Event-ID') ?? undefined;
    onState?.({ phase: 'open', ...(this.lastId !== undefined && { cursor: this.lastId }) });
    return exchange;
  }
}

function isSnapshotEnd(event: unknown): event is SnapshotEnd {
  return typeof event === 'object' && event !== null && 'snapshot' in event && event.snapshot === 'complete';
}

/**
 * Whether an event of this id is still to come after the cursor. Concord counts; another agent's ids can only be told
 * apart.
 */
function isBehind(cursor: string | undefined, id: string): boolean {
  if (cursor === undefined) return true;
  const counts = /^\d{1,15}$/;
  return counts.test(cursor) && counts.test(id) ? Number(id) > Number(cursor) : id !== cursor;
}

/** Where the changes of a subscription that is kept begin, and of what it is told. */
export interface CreateSubscriptionOptions extends CallOptions {
  variables?: Record<string, unknown>;
  /** The cursor to begin behind; 0 is the beginning of the log. Without it, with what comes. */
  after?: number;
  /** ISO 8601: begins with the changes of this time; a cursor goes before it. */
  since?: string;
  /** 0 to 1. */
  requiredCertainty?: number;
  maxAgeSeconds?: number;
}

/**
 * `knowledge/subscriptions`, which Concord has beyond the specification: subscriptions that are kept, and whose changes
 * are sent to a receiver. Every method throws ConcordClientError, `unknown-subscription` where the agent has none such.
 */
export class Subscriptions {
  constructor(
    private readonly rpc: Rpc,
    private readonly check: () => void,
  ) {}

  /**
   * Creates one. It is sent once: when the connection is lost, `list` says whether there is one more.
   * @throws KnowledgeSubscriptionError `no-lasting-identity` for who comes by a token, `webhooks-full`
   */
  create(
    subscriptionQuery: string,
    receiver: SubscriptionReceiver,
    { variables, after, since, requiredCertainty, maxAgeSeconds, ...options }: CreateSubscriptionOptions = {},
  ): Promise<ChangeSubscription> {
    const begin = after === undefined ? { since } : { afterSequence: after };
    const metadata = { ...begin, requiredCertainty, maxAgeSeconds };
    return this.call({ action: 'create', subscriptionQuery, variables, receiver, metadata }, options, false);
  }

  /** The agent's own, the oldest first, at most `first` (20 if left out) behind the id `after`. */
  async list({
    first,
    after,
    ...options
  }: CallOptions & { first?: number; after?: string } = {}): Promise<ChangeSubscription[]> {
    const params = { action: 'list', first, after };
    return (await this.call<{ subscriptions: ChangeSubscription[] }>(params, options)).subscriptions;
  }

  get(id: string, options: CallOptions = {}): Promise<ChangeSubscription> {
    return this.call({ action: 'get', id }, options);
  }

  /** Sends nothing more until it is resumed; its cursor stays. */
  pause(id: string, options: CallOptions = {}): Promise<ChangeSubscription> {
    return this.call({ action: 'pause', id }, options);
  }

  /** Goes on behind its cursor, with the rights of the key that resumes it. */
  resume(id: string, options: CallOptions = {}): Promise<ChangeSubscription> {
    return this.call({ action: 'resume', id }, options);
  }

  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.call({ action: 'delete', id }, options, false);
  }

  private async call<Result = ChangeSubscription>(
    params: object,
    options: CallOptions,
    repeatable = true,
  ): Promise<Result> {
    this.check();
    return this.rpc.call<Result>('knowledge/subscriptions', params, options, repeatable);
  }
}
