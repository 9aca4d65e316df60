import { endsWithin } from '../../base/endsWithin.ts';
import { ConcordError } from '../../base/errors.ts';
import { Periodic } from '../../base/periodic.ts';
import { refuse } from '../../base/reasons.ts';
import { withDeadline } from '../../base/withDeadline.ts';
import { untraced } from '../../telemetry/tracing.ts';
import type { CheckedCard } from '../cards/checkCard.ts';
import { limited } from '../cards/shapes.ts';
import { badSignature, type KeySet, keySet } from '../cards/signature.ts';
import { checkFetched } from '../fetching/fetchCard.ts';
import { type FetchingParts, fetchJson } from '../fetching/fetchJson.ts';
import type { AgentKey } from '../nodes/registered.ts';
import type { CheckedAgent, CheckStore, Seen, TakenAgent } from './checkStore.ts';

export interface ChecksParts {
  store: CheckStore;
  fetching: FetchingParts;
  /** Milliseconds between two looks at an agent. */
  everyMs: number;
  onError(error: unknown): void;
}

/** Agents that are looked at at a time. */
const mostLooking = 16;
/** Longest look, and for how long an agent is left to who looks at it. */
const lookMs = 30_000;
const leaseMs = 60_000;
/** Longest wait for the next look at an agent that is down. */
const longestWaitMs = 3_600_000;
/** How often it is asked whose time has come, at most. */
const askMs = 5_000;
/** How long a shutdown waits for the looks under way, which it has ended. */
const closeMs = 5_000;

/**
 * Looks at the agents that have an address, each by one replica at a time: while its card is fresh, whether the address
 * answers; then at the card itself.
 */
export class Checks {
  private readonly asking: Periodic;
  private readonly running = new Map<Promise<void>, TakenAgent>();
  /** Whether others may wait for the room. */
  private isMore = false;
  private readonly closing = new AbortController();

  constructor(private readonly parts: ChecksParts) {
    const { everyMs, onError } = parts;
    const work = () => untraced(() => this.takeOn());
    this.asking = new Periodic({ everyMs: Math.min(askMs, everyMs), work, onError });
  }

  start(): void {
    this.asking.wake();
    this.asking.start();
  }

  async close(): Promise<void> {
    await this.asking.close();
    this.closing.abort(new Error('The service shuts down'));
    await endsWithin(Promise.all(this.running.keys()), closeMs);
  }

  /** Begins to look at as many as there is room for. */
  private async takeOn(): Promise<void> {
    const limit = mostLooking - this.running.size;
    if (limit === 0) return;
    const all = [...this.running.values()];
    const running = { tenants: counts(all, ({ tenant }) => tenant), hosts: counts(all, ({ host }) => host) };
    const taken = await this.parts.store.take({ limit, running, leaseMs });
    this.isMore = taken.length > 0;
    for (const agent of taken) {
      const look = this.look(agent)
        .catch((error: unknown) => {
          if (!this.closing.signal.aborted) this.parts.onError(error);
        })
        .finally(() => {
          this.running.delete(look);
          if (this.isMore) this.asking.wake();
        });
      this.running.set(look, agent);
    }
    if (this.isMore) this.asking.wake();
  }

  private async look(key: AgentKey): Promise<void> {
    const { store, everyMs } = this.parts;
    const agent = await store.find(key);
    if (!agent) return;
    // So that those that were registered together are not looked at together for ever.
    const againMs = Math.round(everyMs * (0.9 + Math.random() / 5));
    try {
      const see = (signal: AbortSignal) => seenAt(this.parts.fetching, agent, signal);
      await store.seen(key, agent, await withDeadline(lookMs, this.closing.signal, see), againMs);
    } catch (error) {
      this.closing.signal.throwIfAborted();
      const isLate = error instanceof DOMException && error.name === 'TimeoutError';
      const reason = isLate ? 'card-unreachable' : strangersFault(error);
      if (reason === undefined) throw error;
      await store.failed(key, agent, reason, { againMs, longestMs: Math.max(longestWaitMs, everyMs) });
    }
  }
}

function counts<Item>(items: Item[], keyOf: (item: Item) => string): Record<string, number> {
  const byKey = new Map<string, number>();
  for (const item of items) byKey.set(keyOf(item), (byKey.get(keyOf(item)) ?? 0) + 1);
  return Object.fromEntries(byKey);
}

/** @throws ConcordError with the reason why the agent isn't as it should be */
async function seenAt(fetching: FetchingParts, agent: CheckedAgent, signal: AbortSignal): Promise<Seen> {
  const { cardUrl: url, etag, isFresh } = agent;
  const fetched = await fetchJson(fetching, url, { head: isFresh, signal, ...(etag && !isFresh && { etag }) });
  if (fetched.kind === 'absent') throw refuse('card-unreachable', 'The card is gone');
  if (fetched.kind === 'unchanged') {
    if (isFresh) return {};
    if (agent.signature === 'verified') await checked(fetching, JSON.parse(agent.card), agent, signal);
    return { freshMs: fetched.freshMs, ...(etag && { etag }) };
  }
  const { document, freshMs } = fetched;
  const known = { freshMs, ...(fetched.etag && { etag: fetched.etag }) };
  if (agent.signature !== 'verified' && JSON.stringify(document) === agent.card) return known;
  const card = await checked(fetching, document, agent, signal);
  // Of one that is verified, the signed form is kept.
  const isAsKept = card.text === agent.card && card.signature === agent.signature;
  return isAsKept ? known : { card, ...known };
}

/**
 * Reads a card and verifies it, also one that is as it was: the key that has signed it may have been taken back.
 * @throws ConcordError with the reason
 */
async function checked(
  fetching: FetchingParts,
  document: object,
  { cardUrl: url, keys, signature }: CheckedAgent,
  signal: AbortSignal,
): Promise<CheckedCard> {
  const card = await checkFetched(fetching, document, url, { keys: boundedKeys(keys), signal });
  // Who can answer in the agent's place could leave the signature out.
  if (signature === 'verified' && card.signature !== 'verified') throw badSignature('The card was signed before');
  return card;
}

/** Keys that were kept when there were no limits yet may be more, or longer, than any that are read. */
function boundedKeys(keys: unknown): KeySet | undefined {
  if (keys === undefined) return undefined;
  const parsed = limited(keySet).safeParse(keys);
  if (parsed.success) return parsed.data;
  throw badSignature('The keys that were registered are more or longer than are read; register the agent again');
}

/** The reason of a fault that is a stranger's or the network's; undefined of one of Concord's own. */
function strangersFault(error: unknown): string | undefined {
  return error instanceof ConcordError ? error.data.reason : undefined;
}
