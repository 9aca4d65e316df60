import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
} from 'graphql';
import { type ConcordError, ErrorCode } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import type { Call } from '../../calls/call.ts';
import { faultOf } from '../../calls/faults.ts';
import { requireScope } from '../../calls/scope.ts';
import { type ChangeWhere, compileFilter } from '../../changes/filter.ts';
import { subscribe } from '../../changes/subscriber.ts';
import type { LoggedChange } from '../../graph/updates/changeLog.ts';
import { refuseClosedValues } from '../closed/closedValues.ts';
import { Operations } from '../query/operations.ts';
import { type VisibilityParts, visibleChanges } from './visibleChanges.ts';

/** A GraphQL subscription, as it was sent. */
export interface SubscriptionRequest {
  subscription: string;
  /** Which of the operations in it; absent where there is only one. */
  operationName?: string;
  variables?: Record<string, unknown>;
  /** The cursor to resume after; goes before the argument `afterSequence`. */
  after?: number;
}

/** The changes that a subscription asks for and its principal sees, in sequence. */
export interface AskedChanges extends AsyncIterable<LoggedChange> {
  /** The cursor that they start after. */
  readonly start: number;
  /** The subscription itself. */
  readonly document: DocumentNode;
}

/** Begins to follow changes; settles when the subscription stands, and throws ConcordError -32012, -32013. */
export type FollowChanges = (asked: SubscriptionRequest, call: Call) => Promise<AskedChanges>;

export interface FollowParts extends VisibilityParts {
  schema: GraphQLSchema;
  introspection: boolean;
  maxDepth: number;
  /** Changes that may wait for one subscriber. */
  buffer: number;
}

/**
 * The way to the changes, whichever protocol they are then sent by: scope, conditions, what is visible, and failures.
 */
export function changeFollower(parts: FollowParts): FollowChanges {
  const { feed, schema, buffer, closedTo } = parts;
  const operations = new Operations(schema, parts);
  return async ({ subscription, operationName, variables, after }, call) => {
    const { principal, signal } = call;
    requireScope(call, 'knowledge:subscribe', ErrorCode.KnowledgeSubscription);
    const document = operations.parse(subscription, 'subscription', operationName);
    const { where, afterSequence } = argumentsOf(schema, document, variables);
    const asked = compileFilter(where);
    const closed = closedTo(principal);
    if (closed) refuseClosedValues(schema, document, variables, closed);
    const visible = visibleChanges(parts, principal);
    try {
      const changes = await subscribe(feed, {
        tenant: principal.tenant,
        after: after ?? cursorOf(afterSequence),
        buffer,
        signal,
      });
      return Object.assign(seen(changes, asked, visible), { start: changes.start, document });
    } catch (error) {
      throw failure(error);
    }
  };
}

async function* seen(
  changes: AsyncIterable<LoggedChange>,
  asked: (change: LoggedChange) => boolean,
  visible: (change: LoggedChange) => Promise<LoggedChange | undefined>,
): AsyncGenerator<LoggedChange> {
  try {
    for await (const change of changes) {
      const shown = asked(change) ? await visible(change) : undefined;
      if (shown) yield shown;
    }
  } catch (error) {
    throw failure(error);
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

/** A subscription that cannot be followed as it is. */
export function invalid(message: string): ConcordError {
  return refuse('validation', message, {}, { code: ErrorCode.KnowledgeSubscription });
}

function failure(error: unknown): unknown {
  return faultOf(error, ErrorCode.KnowledgeSubscription, 'subscribe again after the last event');
}
