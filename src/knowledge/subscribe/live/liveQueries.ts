import jsonPatch from 'fast-json-patch';
import { getOperationAST, parse } from 'graphql';
import pLimit, { type LimitFunction } from 'p-limit';
import { Batches } from '../../../base/batches.ts';
import { ErrorCode } from '../../../base/errors.ts';
import { answerTooLarge } from '../../../base/limitExceeded.ts';
import type { Call, StreamEvent } from '../../../calls/call.ts';
import { faultOf } from '../../../calls/faults.ts';
import { requireScope } from '../../../calls/scope.ts';
import type { Slots } from '../../../calls/slots.ts';
import type { ChangeFeed } from '../../../changes/feed.ts';
import type { Bounds } from '../../../changes/view.ts';
import type { ClosedIris } from '../../../graph/names/closed.ts';
import { type Principal, rightsText } from '../../../security/principal.ts';
import type { LiveAnswer } from '../../../wire/types.ts';
import type { ClosedTo } from '../../conditions.ts';
import { maxTokens, type Operations } from '../../query/operations.ts';
import type { Query } from '../../query/query.ts';
import type { ClassesRead } from './classesRead.ts';
import { type Answer, type ClassesOfChange, LiveQuery } from './liveQuery.ts';
import { SharedQueries } from './sharedQueries.ts';

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

/** Whether it is a query, which is followed by its answers, and no subscription. */
export function isQuery(source: string): boolean {
  try {
    return getOperationAST(parse(source, { maxTokens, noLocation: true }))?.operation === 'query';
  } catch {
    return false;
  }
}

/**
 * The answers of queries, and again when they have become others. Who asks the same with the same rights under the same
 * policy follows the same run.
 */
export function queryFollower(parts: LiveParts): FollowQuery {
  const queries = new SharedQueries();
  const runs = new Runs();
  return async (asked, call) => {
    const { principal, signal } = call;
    requireScope(call, 'knowledge:subscribe', ErrorCode.KnowledgeSubscription);
    requireScope(call, 'knowledge:query', ErrorCode.KnowledgeSubscription);
    const slot = parts.slots.enter(principal);
    let [notify, leave] = [() => {}, () => {}];
    const stop = () => {
      signal.removeEventListener('abort', stop);
      slot.leave();
      leave();
      notify();
    };
    // A stream that is given up before its first event is never iterated.
    signal.addEventListener('abort', stop);
    try {
      signal.throwIfAborted();
      const key = keyOf(asked, principal, parts.closedTo(principal));
      const joined = queries.join(
        key,
        () => liveQuery(asked, principal, parts, runs),
        () => notify(),
      );
      leave = joined.leave;
      await joined.started;
      const woken = () =>
        new Promise<void>((resolve) => {
          notify = resolve;
        });
      return answers(joined.query, { asPatch: asked.asPatch, signal, woken, stop });
    } catch (error) {
      stop();
      signal.throwIfAborted();
      throw failure(error);
    }
  };
}

/** The same for who asks the same with the same rights, and is closed out of the same. */
function keyOf(
  { query, variables, bounds }: LiveRequest,
  principal: Principal,
  closed: ClosedIris | undefined,
): string {
  const closedNames = closed && [closed.classes, closed.predicates].map((each) => [...each.keys()].sort());
  return JSON.stringify([rightsText(principal), closedNames, query, variables, bounds]);
}

interface AnswersParts {
  asPatch: boolean;
  signal: AbortSignal;
  /** Settles when there may be another answer. */
  woken(): Promise<void>;
  stop(): void;
}

/** Only the newest answer is sent: whoever reads slowly misses those between, and nothing of what they came to. */
function answers(live: LiveQuery, { asPatch, signal, woken, stop }: AnswersParts): Batches<StreamEvent<LiveAnswer>> {
  let last: Answer | undefined;
  async function next(): Promise<StreamEvent<LiveAnswer>[] | undefined> {
    for (; !signal.aborted; await woken()) {
      const { answer, failure: fault } = live;
      if (fault !== undefined) {
        stop();
        throw failure(fault);
      }
      if (answer === undefined || answer === last) continue;
      const event = eventOf(answer, asPatch ? last : undefined);
      last = answer;
      return [event];
    }
    return undefined;
  }
  return new Batches(next, stop);
}

function liveQuery(
  { query, variables, bounds }: LiveRequest,
  principal: Principal,
  parts: LiveParts,
  runs: Runs,
): LiveQuery {
  const document = parts.operations.parse(query, 'query');
  const params = { query, ...(variables && { variables }), ...bounds };
  return new LiveQuery({
    feed: parts.feed,
    tenant: principal.tenant,
    classes: parts.classesRead(document, variables),
    classesOf: parts.classesOf(principal.tenant),
    async run(signal) {
      const { data, queryMetadata } = await runs.take(principal, () => parts.query(params, { principal, signal }));
      const text = JSON.stringify(data);
      if (text.length > longestAnswer) throw answerTooLarge(longestAnswer);
      return { text, revision: queryMetadata.revision };
    },
    intervalMs: parts.intervalMs,
  });
}

/** The live queries of one agent take turns, so that what it asks otherwise finds room. */
class Runs {
  private readonly limits = new Map<string, LimitFunction>();

  async take<T>(principal: Principal, work: () => Promise<T>): Promise<T> {
    const key = rightsText(principal);
    const limit = this.limits.get(key) ?? pLimit(mostRuns);
    this.limits.set(key, limit);
    try {
      return await limit(work);
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) this.limits.delete(key);
    }
  }
}

const whole = new WeakMap<Answer, StreamEvent<LiveAnswer>>();
const patches = new WeakMap<Answer, WeakMap<Answer, StreamEvent<LiveAnswer>>>();

/** Whoever gets the same answer after the same gets the same event: what writes it needs to do so once. */
function eventOf(answer: Answer, before: Answer | undefined): StreamEvent<LiveAnswer> {
  if (before === undefined) {
    const event = whole.get(answer) ?? { result: { ...toldOf(answer), data: JSON.parse(answer.text) } };
    whole.set(answer, event);
    return event;
  }
  const known = patches.get(answer) ?? new WeakMap<Answer, StreamEvent<LiveAnswer>>();
  patches.set(answer, known);
  const event = known.get(before) ?? patchOf(answer, before);
  known.set(before, event);
  return event;
}

function patchOf(answer: Answer, before: Answer): StreamEvent<LiveAnswer> {
  const patch = jsonPatch.compare(JSON.parse(before.text), JSON.parse(answer.text));
  if (JSON.stringify(patch).length > answer.text.length) return eventOf(answer, undefined);
  return { result: { ...toldOf(answer), patch } };
}

const toldOf = ({ sequence, revision }: Answer) => ({ sequence, revision });

function failure(error: unknown): unknown {
  return faultOf(error, ErrorCode.KnowledgeSubscription, 'subscribe again');
}
