import { type ExecutionResult, execute, type GraphQLSchema } from 'graphql';
import { untilAborted } from '../base/untilAborted.ts';
import type { StreamAccount } from '../calls/streamAccount.ts';
import { type StreamEnd, streamEnd } from '../calls/streamEnd.ts';
import type { LoggedChange } from '../graph/updates/changeLog.ts';
import type { AskedChanges } from '../knowledge/subscribe/follow.ts';
import { eventOf } from '../knowledge/subscribe/subscribe.ts';
import { graphqlError } from './errors.ts';

export interface ResultOptions {
  schema: GraphQLSchema;
  variables?: Record<string, unknown>;
  /** Its reason is CallerGone, or the error to end with. */
  signal: AbortSignal;
  /** Called when the first result is asked for. */
  open(): StreamAccount;
}

/**
 * The selected fields of each change. The next change is looked at when the last is on its way, so that a slow socket holds them back.
 * It throws GraphQLError with the code, the reason and the cursor to resume after.
 */
export async function* changeResults(
  changes: AskedChanges,
  { schema, variables, signal, open }: ResultOptions,
): AsyncGenerator<ExecutionResult, void> {
  const account = open();
  let cursor = changes.start;
  // Unless it says otherwise: left while a result was on its way.
  let end: StreamEnd = { reason: 'caller-gone' };
  try {
    for await (const change of untilAborted(changes, signal)) {
      yield await execute({
        schema,
        document: changes.document,
        variableValues: variables,
        rootValue: { statementChanged: fieldsOf(change) },
      });
      cursor = change.sequence;
      account.sent();
    }
    signal.throwIfAborted();
    end = { reason: 'completed' };
  } catch (thrown) {
    end = streamEnd(signal.aborted ? signal.reason : thrown, cursor);
    if (end.error) throw graphqlError(end.error);
  } finally {
    account.ended(end);
  }
}

/** A change as the type StatementChange of the schema has it. */
function fieldsOf(change: LoggedChange) {
  const event = eventOf(change);
  const statement = { ...event.statement, predicate: event.statement.predicate.id };
  return { ...event, sequence: change.sequence, statement };
}
