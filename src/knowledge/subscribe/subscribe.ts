import { z } from 'zod';
import { Batches } from '../../base/batches.ts';
import { ErrorCode } from '../../base/errors.ts';
import { getOrInsert } from '../../base/getOrInsert.ts';
import type { Call, EventStream, StreamEvent, StreamingMethod } from '../../calls/call.ts';
import { parseParams } from '../../calls/params.ts';
import type { Statement } from '../../graph/statements/statement.ts';
import type { LoggedChange } from '../../graph/updates/changeLog.ts';
import type * as Wire from '../../wire/types.ts';
import type { LiveAnswer, SnapshotEnd } from '../../wire/types.ts';
import { conditionParams } from '../conditions.ts';
import { identifier, notBoth, optional } from '../patch.ts';
import type { Operations } from '../query/operations.ts';
import { unsupportedLanguage } from '../query/query.ts';
import { type AskedChanges, type FollowChanges, invalid, type SubscriptionRequest } from './follow.ts';
import type { FollowQuery } from './live/liveQueries.ts';
import { snapshotCursor, snapshotPlaceOf } from './snapshotPlace.ts';
import { snapshotStream } from './snapshotStream.ts';

export type ChangeEvent = Wire.ChangeEvent<Statement>;

/** What is asked for, and where it begins. */
export const subscriptionParams = {
  subscriptionQuery: z.string().min(1, 'is empty').max(100_000, 'is longer than 100000 characters'),
  queryLanguage: optional(z.string()),
  variables: optional(z.record(z.string(), z.unknown())),
  metadata: optional(
    z
      .looseObject({
        afterSequence: optional(z.int().min(0)),
        requiredCertainty: conditionParams.requiredCertainty,
        maxAgeSeconds: conditionParams.maxAgeSeconds,
        /** Of a live query: what its later answers come as. */
        answers: optional(z.enum(['whole', 'patch'])),
        /** Whether to begin with the statements that there are. */
        snapshot: optional(z.boolean()),
        since: optional(z.iso.datetime({ offset: true, error: 'is not an ISO 8601 time with an offset or Z' })),
      })
      .refine(({ afterSequence, since }) => afterSequence === undefined || since === undefined, {
        path: ['since'],
        error: 'is given beside afterSequence; give one of them',
      })
      .meta(notBoth('afterSequence', 'since')),
  ),
};

/** What `knowledge/subscribe` takes. */
export const subscribeParams = z.strictObject({
  ...subscriptionParams,
  taskId: optional(identifier),
  sessionId: optional(identifier),
});

/**
 * `knowledge/subscribe`: the changes that a GraphQL subscription asks for, as `changesMethod` gives them, with
 * `metadata.snapshot` the statements that there are before them; of a query its answer, and again whenever it has become
 * another. Knowledge graph extension 1.0, section 4.3.
 * @throws ConcordError -32602, -32010, -32012, -32013
 */
export function subscribeMethod(
  follow: FollowChanges,
  followQuery: FollowQuery,
  operations: Pick<Operations, 'isQuery'>,
): StreamingMethod<ChangeEvent | SnapshotEnd | LiveAnswer> {
  const changes = changesMethod(follow);
  return async (raw, call) => {
    const asked = parseParams(subscribeParams, raw);
    const { metadata } = asked;
    const { subscription: query, variables, bounds = {}, after, since } = subscriptionRequest(asked, true);
    if (!operations.isQuery(query)) return metadata?.snapshot ? snapshotFirst(asked, follow, call) : changes(raw, call);
    if (after !== undefined || since !== undefined || metadata?.snapshot)
      throw invalid('A live query begins with its answer as it is now: leave afterSequence, since and snapshot out');
    return followQuery({ query, variables, bounds, asPatch: metadata?.answers === 'patch' }, call);
  };
}

/**
 * The changes that a GraphQL subscription asks for, as they are committed. Resumes after `Last-Event-ID`,
 * `metadata.afterSequence` or the argument `afterSequence`, or begins at the time `metadata.since`; else it starts after
 * the last change that there is, and says which that is.
 * @throws ConcordError -32602, -32012, -32013
 */
export function changesMethod(follow: FollowChanges): StreamingMethod<ChangeEvent> {
  const follows: StreamingMethod<ChangeEvent> = async (raw, call) => {
    const request = subscriptionRequest(parseParams(subscribeParams, raw));
    const after = lastEventId(call.lastEventId) ?? request.after;
    return changesOf(await follow({ ...request, after }, call));
  };
  return Object.assign(follows, { params: subscribeParams });
}

/** Begins with the snapshot, or goes on behind `Last-Event-ID`, which may be in the middle of it. */
async function snapshotFirst(
  asked: z.output<typeof subscribeParams>,
  follow: FollowChanges,
  call: Call,
): Promise<EventStream<ChangeEvent | SnapshotEnd>> {
  const request = subscriptionRequest(asked, true);
  const place = snapshotPlaceOf(call.lastEventId ?? '');
  const after = place ? undefined : lastEventId(call.lastEventId);
  if (after !== undefined && request.after === undefined && request.since === undefined)
    return changesOf(await follow({ ...request, after }, call));
  const changes = await follow({ ...request, snapshot: place ?? true }, call);
  const { snapshot } = changes;
  if (!snapshot) throw new Error('A snapshot was asked for, and none is there');
  const stream = snapshotStream(snapshot, events(changes), ({ change, cursor }) => {
    return { id: cursor, result: eventOf(change) };
  });
  return Object.assign(stream, { cursor: snapshotCursor(snapshot.place) });
}

function changesOf(changes: AskedChanges): EventStream<ChangeEvent> {
  const { start } = changes;
  return Object.assign(events(changes), start !== undefined && { cursor: String(start) });
}

function events(changes: Batches<LoggedChange>): Batches<StreamEvent<ChangeEvent>> {
  const next = async () => (await changes.next())?.map(streamEventOf);
  return new Batches(next, changes.stop);
}

/** Whoever gets the same change gets the same event: what writes it needs to do so once. */
const known = new WeakMap<LoggedChange, StreamEvent<ChangeEvent>>();

function streamEventOf(change: LoggedChange): StreamEvent<ChangeEvent> {
  return getOrInsert(known, change, () => ({ id: String(change.sequence), result: eventOf(change) }));
}

/** A change as the extension has it. */
export function eventOf({ op, statement, changeId, timestamp, ...metadata }: LoggedChange): ChangeEvent {
  return { op, statement, changeId, timestamp, changeMetadata: metadata };
}

const shape = z.object(subscriptionParams);

/**
 * @param takesSnapshot whether `metadata.snapshot` may be asked for
 * @throws ConcordError `unsupported-language`, `validation` for a snapshot that isn't told there
 */
export function subscriptionRequest(asked: z.output<typeof shape>, takesSnapshot = false): SubscriptionRequest {
  const { subscriptionQuery: subscription, queryLanguage = 'graphql', variables, metadata } = asked;
  if (queryLanguage !== 'graphql')
    throw unsupportedLanguage(queryLanguage, ['graphql'], ErrorCode.KnowledgeSubscription);
  const { since, afterSequence: after, requiredCertainty, maxAgeSeconds, snapshot } = metadata ?? {};
  if (snapshot && !takesSnapshot)
    throw invalid('A snapshot is told by knowledge/subscribe alone: leave metadata.snapshot out');
  return { subscription, variables, after, since, bounds: { requiredCertainty, maxAgeSeconds } };
}

function lastEventId(id: string | undefined): number | undefined {
  if (id === undefined || id === '') return undefined;
  if (!/^\d{1,15}$/.test(id)) throw invalid(`Last-Event-ID '${id.slice(0, 50)}' is not a cursor of this service`);
  return Number(id);
}
