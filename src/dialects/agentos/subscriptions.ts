import { Batches } from '../../base/batches.ts';
import { ErrorCode } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import { deliver } from '../../calls/accountedStream.ts';
import type { Call, EventStream, StreamEvent, StreamingMethod } from '../../calls/call.ts';
import { asConcordError } from '../../calls/faults.ts';
import { parseParams } from '../../calls/params.ts';
import type { StreamAccount } from '../../calls/streamAccount.ts';
import { CallerGone } from '../../calls/streamEnd.ts';
import { agentError } from './errors.ts';
import { unsubscribeParams } from './messages.ts';

/** Subscriptions that one socket may have at a time. */
export const mostSubscriptions = 100;

export interface SubscriptionParts {
  /** `knowledge/subscribe` */
  subscribe: StreamingMethod;
  account(): StreamAccount;
  /** Writes a notification; settles when it is on its way. */
  notify(method: string, params: object): Promise<void>;
}

interface Subscription {
  controller: AbortController;
  /** Settles when nothing more comes of it; absent until it begins. */
  finished?: Promise<void>;
}

/** The events of the graph that one socket follows. */
export class Subscriptions {
  private readonly open = new Map<string, Subscription>();
  private opened = 0;
  private ended: Error | undefined;

  constructor(private readonly parts: SubscriptionParts) {}

  /**
   * `subscribe`: the params of `knowledge/subscribe`.
   * @returns the answer, and what begins to send events, once that is written
   * @throws ConcordError as `knowledge/subscribe`, and `too-many-subscriptions`
   */
  async subscribe(params: unknown, { principal, traceId }: Call): Promise<{ answer: object; begin(): void }> {
    if (this.ended) throw this.ended;
    if (this.open.size >= mostSubscriptions) throw tooMany();
    this.opened += 1;
    const subscription = String(this.opened);
    const entry: Subscription = { controller: new AbortController() };
    const { signal } = entry.controller;
    this.open.set(subscription, entry);
    try {
      const stream = await this.parts.subscribe(params, { principal, signal, ...(traceId && { traceId }) });
      const { cursor } = stream;
      return {
        answer: { subscription, ...(cursor !== undefined && { cursor }) },
        begin: () => {
          entry.finished = this.follow(subscription, stream, signal).finally(() => this.open.delete(subscription));
        },
      };
    } catch (error) {
      this.open.delete(subscription);
      throw error;
    }
  }

  /** `unsubscribe`; of what has ended already too. */
  unsubscribe(params: unknown): object {
    const { subscription } = parseParams(unsubscribeParams, params);
    this.open.get(subscription)?.controller.abort(new CallerGone());
    return {};
  }

  /** Ends all, and lets none begin; settles when that is said. */
  async end(reason: Error): Promise<void> {
    this.ended ??= reason;
    const all = [...this.open.values()];
    for (const { controller } of all) controller.abort(reason);
    await Promise.all(all.map(({ finished }) => finished));
  }

  private async follow(subscription: string, stream: EventStream, signal: AbortSignal): Promise<void> {
    const { notify } = this.parts;
    let written = Promise.resolve();
    const write = ({ id: cursor, result: event }: StreamEvent) => {
      written = notify('event', { subscription, ...(cursor !== undefined && { cursor }), event });
    };
    try {
      await deliver(stream instanceof Batches ? stream : Batches.of(stream), {
        signal,
        account: this.parts.account(),
        cursor: { start: stream.cursor, of: ({ id }) => id },
        write: (events) => events.forEach(write),
        pace: () => written,
      });
    } catch (thrown) {
      await notify('unsubscribed', { subscription, error: agentError(asConcordError(thrown)) });
    }
  }
}

function tooMany() {
  const message = `A socket has at most ${mostSubscriptions} subscriptions; end one, or open another socket`;
  return refuse('too-many-subscriptions', message, { limit: mostSubscriptions }, { code: ErrorCode.InvalidRequest });
}
