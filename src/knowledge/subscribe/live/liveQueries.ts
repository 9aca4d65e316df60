import { createHash } from 'node:crypto';
import jsonPatch from 'fast-json-patch';
import { Batches } from '../../../base/batches.ts';
import { ErrorCode } from '../../../base/errors.ts';
import { getOrInsert } from '../../../base/getOrInsert.ts';
import { KeyedLimits } from '../../../base/keyedLimits.ts';
import { answerTooLarge } from '../../../base/limitExceeded.ts';
import type { Call, StreamEvent } from '../../../calls/call.ts';
import { faultOf } from '../../../calls/faults.ts';
import { requireScope } from '../../../calls/scope.ts';
import type { Slots } from '../../../calls/slots.ts';
import type { ChangeFeed } from '../../../changes/feed.ts';
import type { Bounds } from '../../../changes/view.ts';
import { closedText } from '../../../graph/names/closed.ts';
import { type Principal, rightsText } from '../../../security/principal.ts';
import type { LiveAnswer } from '../../../wire/types.ts';
import type { ClosedTo } from '../../conditions.ts';
import { requireShort } from '../../keptVariables.ts';
import type { Operations } from '../../query/operations.ts';
import type { Query } from '../../query/query.ts';
import type { ClassesRead } from './classesRead.ts';
import { type Answer, type ClassesOfChange, LiveQuery } from './liveQuery.ts';
import { type Joined, SharedQueries } from './sharedQueries.ts';

export interface LiveParts {
  feed: ChangeFeed;
  query: Query;
  operations: Operations;
  classesRead(document: ReturnType<Operations['parse']>, variables?: Record<string, unknown>): ClassesRead;
  classesOf(tenant: string): ClassesOfChange;
  closedTo: ClosedTo;
  slots: Slots;
  /** Between two runs of one query, at least. */
  intervalMs: number;
}

export interface LiveRequest {
  query: string;
  variables?: Record<string, unknown>;
  bounds: Bounds;
  /** Whether to send what differs from the answer before, where that is shorter. */
  asPatch: boolean;
}

/** Begins to follow a query; settles with its first answer at hand. */
export type FollowQuery = (asked: LiveRequest, call: Call) => Promise<Batches<StreamEvent<LiveAnswer>>>;

/** Characters of an answer, which is kept while anybody follows it. */
const longestAnswer = 256 * 1024;
/** Of one agent at the same time. */
const mostRuns = 2;

/**
 * The answers of queries, and again when they have become others. Who asks the same with the same rights under the same
 * policy follows the same run.
 */
export function queryFollower(parts: LiveParts): FollowQuery {
  const shared = { ...parts, queries: new SharedQueries(), runs: new KeyedLimits(mostRuns) };
  return async (asked, call) => {
    const { principal, signal } = call;
    requireScope(call, 'knowledge:subscribe', ErrorCode.KnowledgeSubscription);
    requireScope(call, 'knowledge:query', ErrorCode.KnowledgeSubscription);
    requireShort(asked.variables);
    const slot = parts.slots.enter(principal);
    const follower = new Follower(asked, principal, shared);
    const stop = () => {
      signal.removeEventListener('abort', stop);
      slot.leave();
      follower.stop();
    };
    // A stream that is given up before its first event is never iterated.
    signal.addEventListener('abort', stop);
    try {
      signal.throwIfAborted();
      await follower.query();
      return answers(follower, asked.asPatch, stop);
    } catch (error) {
      stop();
      signal.throwIfAborted();
      throw failure(error);
    }
  };
}

interface SharedParts extends LiveParts {
  queries: SharedQueries;
  /** Those of one agent take turns, so that what it asks otherwise finds room. */
  runs: KeyedLimits;
}

/** The policy is another than the one that the query was followed under. */
class PolicyChanged extends Error {}

/** One who follows a query, among those who are closed out of the same. */
class Follower {
  isStopped = false;
  private joined: Joined | undefined;
  private closed: string | undefined;
  private notify = () => {};

  constructor(
    private readonly asked: LiveRequest,
    private readonly principal: Principal,
    private readonly parts: SharedParts,
  ) {}

  /** The query as it runs under the policy of the moment; settles when it has an answer. */
  async query(): Promise<LiveQuery> {
    while (true) {
      const { query, started } = this.join();
      try {
        await started;
        // It may have changed meanwhile.
        if (this.isStopped || this.join().query === query) return query;
      } catch (error) {
        if (this.isStopped || !(error instanceof PolicyChanged)) throw error;
      }
    }
  }

  /** Settles when there may be another answer. */
  woken(): Promise<void> {
    return new Promise<void>((resolve) => {
      this.notify = resolve;
    });
  }

  stop(): void {
    this.isStopped = true;
    this.joined?.leave();
    this.notify();
  }

  private join(): Joined {
    const { asked, principal, parts } = this;
    const closed = closedText(parts.closedTo(principal));
    if (this.joined && closed === this.closed && !(this.joined.query.failure instanceof PolicyChanged)) {
      return this.joined;
    }
    this.joined?.leave();
    this.closed = closed;
    this.joined = parts.queries.join(
      keyOf(asked, principal, closed),
      () => liveQuery(asked, principal, closed, parts),
      () => this.notify(),
    );
    return this.joined;
  }
}

/** The same for who asks the same with the same rights, and is closed out of the same. */
function keyOf({ query, variables, bounds }: LiveRequest, principal: Principal, closed: string): string {
  const asked = JSON.stringify([rightsText(principal), closed, query, variables, bounds]);
  return createHash('sha256').update(asked).digest('base64url');
}

/** Only the newest answer is sent: whoever reads slowly misses those between, and nothing of what they came to. */
function answers(follower: Follower, asPatch: boolean, stop: () => void): Batches<StreamEvent<LiveAnswer>> {
  let last: Answer | undefined;
  async function next(): Promise<StreamEvent<LiveAnswer>[] | undefined> {
    for (; !follower.isStopped; await follower.woken()) {
      const { answer, failure: fault } = await follower.query();
      if (fault !== undefined) throw fault;
      if (answer === undefined || answer.text === last?.text) continue;
      const event = eventOf(answer, asPatch ? last : undefined);
      last = answer;
      return [event];
    }
    return undefined;
  }
  const fail = (error: unknown) => {
    if (follower.isStopped) return undefined;
    stop();
    throw failure(error);
  };
  return new Batches(() => next().catch(fail), stop);
}

/** @param closed what the policy closes to its followers: an answer under another one is not theirs */
function liveQuery(
  { query, variables, bounds }: LiveRequest,
  principal: Principal,
  closed: string,
  parts: SharedParts,
): LiveQuery {
  const requirePolicy = () => {
    if (closedText(parts.closedTo(principal)) !== closed) throw new PolicyChanged();
  };
  const document = parts.operations.parse(query, 'query');
  const params = { query, ...(variables && { variables }), ...bounds };
  return new LiveQuery({
    feed: parts.feed,
    tenant: principal.tenant,
    classes: parts.classesRead(document, variables),
    classesOf: parts.classesOf(principal.tenant),
    async run(signal) {
      const { data, queryMetadata } = await parts.runs.run(rightsText(principal), async () => {
        requirePolicy();
        return parts.query(params, { principal, signal });
      });
      requirePolicy();
      const text = JSON.stringify(data);
      if (text.length > longestAnswer) throw answerTooLarge(longestAnswer);
      return { text, revision: queryMetadata.revision };
    },
    intervalMs: parts.intervalMs,
  });
}

type Event = StreamEvent<LiveAnswer>;

/**
 * By the answer and the one before; of the first, by itself. Weakly: an answer is kept for as long as it is followed, and
 * an event, with all that was made of it to send it, until it is sent.
 */
const events = new WeakMap<Answer, WeakMap<Answer, WeakRef<Event>>>();

/** Whoever gets the same answer after the same gets the same event: what writes it needs to do so once. */
function eventOf(answer: Answer, before: Answer | undefined): Event {
  const known = getOrInsert(events, answer, () => new WeakMap());
  const found = known.get(before ?? answer)?.deref();
  if (found) return found;
  const event = before ? patchOf(answer, before) : { result: { ...toldOf(answer), data: JSON.parse(answer.text) } };
  known.set(before ?? answer, new WeakRef(event));
  return event;
}

function patchOf(answer: Answer, before: Answer): Event {
  const patch = jsonPatch.compare(JSON.parse(before.text), JSON.parse(answer.text));
  if (JSON.stringify(patch).length > answer.text.length) return eventOf(answer, undefined);
  return { result: { ...toldOf(answer), patch } };
}

const toldOf = ({ sequence, revision }: Answer) => ({ sequence, revision });

function failure(error: unknown): unknown {
  return faultOf(error, ErrorCode.KnowledgeSubscription, 'subscribe again');
}
