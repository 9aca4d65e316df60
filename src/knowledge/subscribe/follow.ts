import {
  type DocumentNode,
  type GraphQLSchema,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  Kind,
} from 'graphql';
import { Batches } from '../../base/batches.ts';
import { type ConcordError, ErrorCode } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import type { Call } from '../../calls/call.ts';
import { faultOf } from '../../calls/faults.ts';
import { requireScope } from '../../calls/scope.ts';
import type { Slots } from '../../calls/slots.ts';
import type { ChangeFeed } from '../../changes/feed.ts';
import { type ChangeFilter, type ChangeWhere, compileFilter } from '../../changes/filter.ts';
import { type Changes, subscribe } from '../../changes/subscriber.ts';
import { type Bounds, type View, viewOf } from '../../changes/view.ts';
import { type LoggedChange, madeIn } from '../../graph/updates/changeLog.ts';
import { snapshotField } from '../../schema/subscription.ts';
import { beginDelivery } from '../../telemetry/links.ts';
import { refuseClosedValues } from '../closed/closedValues.ts';
import { requireShort } from '../keptVariables.ts';
import type { QueryParts } from '../query/query.ts';
import type { ChangeClasses, ClassesOfChange } from './changeClasses.ts';
import { classChangesOf } from './classChanges.ts';
import type { ReadSnapshot, SnapshotAsked, SnapshotEvent } from './snapshot.ts';
import { requireReached, type SnapshotPlace, snapshotPlaceOf } from './snapshotPlace.ts';
import { type VisibleChange, visibleChanges } from './visibleChanges.ts';

/** A GraphQL subscription, as it was sent. */
export interface SubscriptionRequest {
  subscription: string;
  /** Which of the operations in it; absent where there is only one. */
  operationName?: string;
  variables?: Record<string, unknown>;
  /** The cursor to resume after; goes before the argument `afterSequence`. */
  after?: number;
  /** ISO 8601: begins with the changes of this time; a cursor goes before it. */
  since?: string;
  /** Of which statements it wants to be told. */
  bounds?: Bounds;
  /** Whether it wants the statements that there are before the changes: from the beginning, or behind a place. */
  snapshot?: true | SnapshotPlace;
  /**
   * Whether it came to /graphql, which has fields of its own: those of the changes of a class, whose conditions on
   * entities are left to who asked, and the one that begins with a snapshot.
   */
  isGraphql?: boolean;
}

/** The changes that a subscription asks for and its principal sees, in sequence. */
export interface AskedChanges extends Batches<LoggedChange> {
  /**
   * The cursor that they start after. Of those since a time it isn't told: who asks for one time after another would
   * learn when each change was made, also of those that it doesn't see.
   */
  readonly start: number | undefined;
  /** What comes before the changes, where it was asked for. */
  readonly snapshot?: Snapshot;
  /** The subscription itself. */
  readonly document: DocumentNode;
  /** The same of those whose events have the same fields. */
  readonly shape: string;
  /**
   * The sequence number up to which nothing more is to come: what was handed out counts once the next is asked for. For
   * Concord itself, which resumes there; the caller isn't told, as of `start`.
   */
  position(): number;
}

/** The statements of one revision, and where it begins to tell them. */
export interface Snapshot {
  readonly place: SnapshotPlace;
  readonly statements: Batches<SnapshotEvent>;
}

/** Begins to follow changes; settles when the subscription stands, and throws ConcordError -32012, -32013. */
export type FollowChanges = (asked: SubscriptionRequest, call: Call) => Promise<AskedChanges>;

export interface FollowParts extends Pick<QueryParts, 'schema' | 'operations' | 'closedTo' | 'now'> {
  feed: ChangeFeed;
  classes: ChangeClasses;
  /** Changes that may wait for one subscriber. */
  buffer: number;
  slots: Slots;
  readSnapshot: ReadSnapshot;
}

/**
 * The way to the changes, whichever protocol they are then sent by: scope, conditions, what is visible, and failures.
 */
export function changeFollower(parts: FollowParts): FollowChanges {
  const { feed, schema, operations, classes, buffer, closedTo, slots } = parts;
  return async (asked, call) => {
    const { subscription, operationName, variables, since, bounds = {} } = asked;
    const { principal, signal } = call;
    requireScope(call, 'knowledge:subscribe', ErrorCode.KnowledgeSubscription);
    requireShort(variables);
    const document = operations.parse(subscription, 'subscription', operationName);
    const { where, isOfClass, ...given } = argumentsOf(schema, document, variables, asked.isGraphql);
    const wanted = asked.snapshot ?? given.snapshot;
    if (isOfClass || wanted) requireScope(call, 'knowledge:query', ErrorCode.KnowledgeSubscription);
    const filter = filterOf(where);
    const after = asked.after ?? cursorOf(given.afterSequence);
    if (wanted) requireAlone(after, since);
    const time = after === undefined ? timeOf(since, parts.now()) : undefined;
    const closed = closedTo(principal);
    if (closed) refuseClosedValues(schema, document, variables, closed);
    const classesOf = classes.reader(principal.tenant);
    const visible = visibleChanges(closedTo, classesOf, principal);
    const { leave } = slots.enter(principal);
    // A stream that is given up before its first event is never iterated.
    signal.addEventListener('abort', leave);
    const begin = (from: number | undefined) =>
      subscribe(feed, { tenant: principal.tenant, filter, after: from, buffer, signal });
    try {
      signal.throwIfAborted();
      const snapshot = wanted && (await snapshotOf(parts, wanted, { principal, filter, bounds, signal }));
      const from = snapshot?.place.sequence;
      const changes =
        from === undefined
          ? await begin(time === undefined ? after : await feed.after(principal.tenant, time))
          : changesLater(from, begin);
      const shown = seen(changes, { filter, classesOf, visible, leave, view: viewOf(filter, bounds) });
      return Object.assign(shown, {
        start: time === undefined ? changes.start : undefined,
        ...(snapshot && { snapshot }),
        document,
        shape: JSON.stringify([subscription, operationName, variables]),
      });
    } catch (error) {
      leave();
      throw failure(error);
    }
  };
}

/** A snapshot of the graph as it is now, or the one that a place is in. */
async function snapshotOf(
  { feed, readSnapshot }: FollowParts,
  asked: true | SnapshotPlace,
  of: Omit<SnapshotAsked, 'place'>,
): Promise<Snapshot> {
  const now = await feed.place(of.principal.tenant);
  const place = asked === true ? now : asked;
  requireReached(place, now);
  const pages = readSnapshot({ ...of, place });
  const fail = (error: unknown) => {
    throw failure(error);
  };
  return { place, statements: new Batches(() => pages.next().catch(fail), pages.stop) };
}

/** Changes that are asked for when the first is wanted: what comes before them may take long, and the log keeps them. */
function changesLater(start: number, begin: (from: number) => Promise<Changes>): Changes {
  let begun: Promise<Changes> | undefined;
  const next = async () => {
    begun ??= begin(start);
    return (await begun).next();
  };
  const stop = () => void begun?.then((changes) => changes.stop()).catch(() => {});
  return Object.assign(new Batches(next, stop), { start, idleAt: () => undefined });
}

type SeenChanges = Batches<LoggedChange> & Pick<AskedChanges, 'position'>;

interface SeenParts {
  filter: ChangeFilter;
  classesOf: ClassesOfChange;
  visible: VisibleChange;
  view: View;
  leave: () => void;
}

function seen(changes: Changes, { filter, classesOf, visible, leave, view }: SeenParts): SeenChanges {
  let [passed, looked] = [changes.start, changes.start];
  // A batch is on its way until the next is asked for.
  let delivered = () => {};
  const stop = () => {
    delivered();
    changes.stop();
    leave();
  };
  async function next(): Promise<LoggedChange[] | undefined> {
    passed = looked;
    delivered();
    for (let batch = await changes.next(); batch; batch = await changes.next()) {
      const shown: LoggedChange[] = [];
      looked = batch.at(-1)?.sequence ?? looked;
      for (const change of batch) {
        const classes = filter.asksClasses ? await classesOf(change) : undefined;
        // Without classes it has been asked before it came here.
        if (classes && !filter.touches(change, classes)) continue;
        const answer = visible(change);
        const part = answer instanceof Promise ? await answer : answer;
        const each = part && view(part, classes);
        if (each) shown.push(each);
      }
      if (shown.length > 0) {
        delivered = beginDelivery(
          batch.flatMap((change) => madeIn(change) ?? []),
          shown.length,
        );
        return shown;
      }
      passed = looked;
    }
    stop();
    return undefined;
  }
  const fail = (error: unknown) => {
    stop();
    throw failure(error);
  };
  const position = () => Math.max(passed, changes.idleAt() ?? 0);
  return Object.assign(new Batches(() => next().catch(fail), stop), { position });
}

function requireAlone(after: number | undefined, since: string | undefined): void {
  if (after === undefined && since === undefined) return;
  throw invalid('A snapshot begins with the statements as they are now: leave afterSequence and since out');
}

function filterOf(where: ChangeWhere | null | undefined): ChangeFilter {
  try {
    return compileFilter(where);
  } catch (error) {
    throw error instanceof RangeError ? invalid(error.message) : error;
  }
}

interface Arguments {
  where?: ChangeWhere | null;
  afterSequence?: number | null;
  /** Whether its field is that of a class. */
  isOfClass?: boolean;
  /** Of the field that begins with a snapshot, where it is to begin: unless that is behind it, among the changes. */
  snapshot?: true | SnapshotPlace;
}

/** The arguments of the one field of a subscription, variables put in; of a class, its changes are what is asked for. */
function argumentsOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Record<string, unknown> = {},
  isGraphql = false,
): Arguments {
  const operation = getOperationAST(document);
  const [field, ...others] = operation?.selectionSet.selections ?? [];
  const name = field?.kind === Kind.FIELD ? field.name.value : '';
  const definition = schema.getSubscriptionType()?.getFields()[name];
  const made = definition && classChangesOf(definition);
  if (!operation || field?.kind !== Kind.FIELD || !definition || others.length > 0)
    throw invalid('Write the subscription as one field: subscription { statementChanged(where: …) { … } }');
  if (made && !isGraphql)
    throw invalid(`${name} is served at /graphql; here, ask for statementChanged(where: {subject: {type: …}})`);
  if (name === snapshotField && !isGraphql)
    throw invalid(`${name} is served at /graphql; here, ask for statementChanged with metadata.snapshot`);
  const coerced = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  if (coerced.errors) throw invalid(coerced.errors[0]?.message ?? 'The variables do not fit');
  try {
    const given: Arguments & { after?: string | null } = getArgumentValues(definition, field, coerced.coerced);
    if (name === snapshotField) return { where: given.where, ...beginningOf(given.after) };
    if (!made) return given;
    return { ...given, where: { subject: { type: { eq: made.class } } }, isOfClass: true };
  } catch (error) {
    throw invalid((error as Error).message);
  }
}

/** Where a stream that begins with a snapshot goes on. */
function beginningOf(cursor: string | null | undefined): Pick<Arguments, 'snapshot' | 'afterSequence'> {
  if (cursor === null || cursor === undefined) return { snapshot: true };
  if (/^\d{1,15}$/.test(cursor)) return { afterSequence: Number(cursor) };
  const place = snapshotPlaceOf(cursor);
  if (place) return { snapshot: place };
  throw invalid(`after '${cursor.slice(0, 50)}' is not a cursor of this service: give that of the last event`);
}

function cursorOf(afterSequence: number | null | undefined): number | undefined {
  if (afterSequence === null || afterSequence === undefined) return undefined;
  if (Number.isSafeInteger(afterSequence) && afterSequence >= 0) return afterSequence;
  throw invalid(`afterSequence ${afterSequence} is not a cursor: give the sequence of the last change`);
}

/** Milliseconds since 1970. */
function timeOf(since: string | undefined, now: number): number | undefined {
  if (since === undefined) return undefined;
  const time = Date.parse(since);
  if (time <= now) return time;
  const told = new Date(now).toISOString();
  throw refuse('since-ahead', `The time ${since} is ahead of the service's clock, which says ${told}`, { now: told });
}

/** A subscription that cannot be followed as it is. */
export function invalid(message: string): ConcordError {
  return refuse('validation', message, {}, { code: ErrorCode.KnowledgeSubscription });
}

function failure(error: unknown): unknown {
  return faultOf(error, ErrorCode.KnowledgeSubscription, 'subscribe again after the last event');
}
