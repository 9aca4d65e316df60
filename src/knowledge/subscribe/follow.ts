import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
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
import type { LoggedChange } from '../../graph/updates/changeLog.ts';
import type { ClassesOf } from '../closed/closedStatements.ts';
import { refuseClosedValues } from '../closed/closedValues.ts';
import { requireShort } from '../keptVariables.ts';
import { Operations } from '../query/operations.ts';
import type { QueryParts } from '../query/query.ts';
import { ChangeClasses, type ClassesOfChange } from './changeClasses.ts';
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
}

/** The changes that a subscription asks for and its principal sees, in sequence. */
export interface AskedChanges extends Batches<LoggedChange> {
  /**
   * The cursor that they start after. Of those since a time it isn't told: who asks for one time after another would
   * learn when each change was made, also of those that it doesn't see.
   */
  readonly start: number | undefined;
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

/** Begins to follow changes; settles when the subscription stands, and throws ConcordError -32012, -32013. */
export type FollowChanges = (asked: SubscriptionRequest, call: Call) => Promise<AskedChanges>;

export interface FollowParts extends Pick<QueryParts, 'schema' | 'introspection' | 'closedTo' | 'now'> {
  feed: ChangeFeed;
  classesOf: ClassesOf;
  maxDepth: number;
  /** Changes that may wait for one subscriber. */
  buffer: number;
  slots: Slots;
}

/**
 * The way to the changes, whichever protocol they are then sent by: scope, conditions, what is visible, and failures.
 */
export function changeFollower(parts: FollowParts): FollowChanges {
  const { feed, schema, buffer, closedTo, slots } = parts;
  const classes = new ChangeClasses(feed, parts.classesOf);
  const operations = new Operations(schema, parts);
  return async ({ subscription, operationName, variables, after: given, since, bounds = {} }, call) => {
    const { principal, signal } = call;
    requireScope(call, 'knowledge:subscribe', ErrorCode.KnowledgeSubscription);
    requireShort(variables);
    const document = operations.parse(subscription, 'subscription', operationName);
    const { where, afterSequence } = argumentsOf(schema, document, variables);
    const filter = filterOf(where);
    const after = given ?? cursorOf(afterSequence);
    const time = after === undefined ? timeOf(since, parts.now()) : undefined;
    const closed = closedTo(principal);
    if (closed) refuseClosedValues(schema, document, variables, closed);
    const classesOf = classes.reader(principal.tenant);
    const visible = visibleChanges(closedTo, classesOf, principal);
    const { leave } = slots.enter(principal);
    // A stream that is given up before its first event is never iterated.
    signal.addEventListener('abort', leave);
    try {
      signal.throwIfAborted();
      const changes = await subscribe(feed, {
        tenant: principal.tenant,
        filter,
        after: time === undefined ? after : await feed.after(principal.tenant, time),
        buffer,
        signal,
      });
      const shown = seen(changes, { filter, classesOf, visible, leave, view: viewOf(filter, bounds) });
      return Object.assign(shown, {
        start: time === undefined ? changes.start : undefined,
        document,
        shape: JSON.stringify([subscription, operationName, variables]),
      });
    } catch (error) {
      leave();
      throw failure(error);
    }
  };
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
  const stop = () => {
    changes.stop();
    leave();
  };
  async function next(): Promise<LoggedChange[] | undefined> {
    passed = looked;
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
      if (shown.length > 0) return shown;
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
}

/** The arguments of the one `statementChanged` field, variables put in. */
function argumentsOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Record<string, unknown> = {},
): Arguments {
  const operation = getOperationAST(document);
  const definition = schema.getSubscriptionType()?.getFields().statementChanged;
  const field = operation?.selectionSet.selections.find((node): node is FieldNode => node.kind === 'Field');
  if (
    !operation ||
    !definition ||
    field?.name.value !== 'statementChanged' ||
    operation.selectionSet.selections.length !== 1
  ) {
    throw invalid('Write the subscription as one field: subscription { statementChanged(where: …) { … } }');
  }
  const coerced = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  if (coerced.errors) throw invalid(coerced.errors[0]?.message ?? 'The variables do not fit');
  try {
    return getArgumentValues(definition, field, coerced.coerced);
  } catch (error) {
    throw invalid((error as Error).message);
  }
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
