import { type DocumentNode, type ExecutionResult, execute, type GraphQLSchema, getOperationAST, Kind } from 'graphql';
import { Batches } from '../base/batches.ts';
import { getOrInsert } from '../base/getOrInsert.ts';
import { accountedStream } from '../calls/accountedStream.ts';
import type { StreamEvent } from '../calls/call.ts';
import { asConcordError } from '../calls/faults.ts';
import type { StreamAccount } from '../calls/streamAccount.ts';
import type { Statement } from '../graph/statements/statement.ts';
import type { LoggedChange } from '../graph/updates/changeLog.ts';
import type { AskedChanges } from '../knowledge/subscribe/follow.ts';
import { isOfSnapshot } from '../knowledge/subscribe/snapshotChange.ts';
import { snapshotCursor } from '../knowledge/subscribe/snapshotPlace.ts';
import { snapshotStream } from '../knowledge/subscribe/snapshotStream.ts';
import { eventOf } from '../knowledge/subscribe/subscribe.ts';
import { snapshotField } from '../schema/subscription.ts';
import type { SnapshotEnd } from '../wire/types.ts';
import type { ResultFor } from './entityResults.ts';
import { graphqlError } from './errors.ts';

export interface ResultOptions {
  schema: GraphQLSchema;
  variables?: Record<string, unknown>;
  /** Its reason is CallerGone, or the error to end with. */
  signal: AbortSignal;
  /** Called when the first result is asked for. */
  open(): StreamAccount;
  /** Settles once the caller has read enough of what was written to be sent more. */
  pace?(): Promise<void> | undefined;
  /** Where it is to the changes of a class: its results. */
  entities?: ResultFor;
}

/**
 * The selected fields of each change. The next change is looked at when the last is on its way, so that a slow socket
 * holds them back. It throws GraphQLError with the code, the reason and the cursor to resume after.
 */
export async function* changeResults(
  changes: AskedChanges,
  { schema, variables, signal, open, pace, entities }: ResultOptions,
): AsyncGenerator<ExecutionResult, void> {
  const asked = { schema, variableValues: variables };
  const bounds = { signal, account: open(), pace };
  try {
    if (entities) {
      const shown = withEntities(changes, (change) =>
        entities(change, (document) => execute({ ...asked, document, rootValue: rootOf(change, document) })),
      );
      const cursor = { start: changes.start, of: ({ change }: Shown) => change.sequence };
      for await (const { result } of accountedStream(shown, { ...bounds, cursor })) if (result) yield result;
      return;
    }
    if (fieldOf(changes.document) === snapshotField) {
      const cursor = { start: changes.snapshot ? snapshotCursor(changes.snapshot.place) : changes.start, of: idOf };
      for await (const step of accountedStream(withSnapshot(changes), { ...bounds, cursor })) {
        yield await resultOf(step.result, changes.shape, () =>
          execute({ ...asked, document: changes.document, rootValue: { [snapshotField]: stepFields(step) } }),
        );
      }
      return;
    }
    const cursor = { start: changes.start, of: ({ sequence }: LoggedChange) => sequence };
    for await (const change of accountedStream(changes, { ...bounds, cursor })) {
      yield await resultOf(change, changes.shape, () =>
        execute({ ...asked, document: changes.document, rootValue: { statementChanged: fieldsOf(change) } }),
      );
    }
  } catch (thrown) {
    throw graphqlError(asConcordError(thrown));
  }
}

interface Shown {
  change: LoggedChange;
  /** Absent where the change is not told. */
  result: ExecutionResult | undefined;
}

/** Looks for the entities as part of the stream, so that its end tells of what fails. */
async function* withEntities(
  changes: AsyncIterable<LoggedChange>,
  resultFor: (change: LoggedChange) => Promise<ExecutionResult | undefined>,
): AsyncGenerator<Shown, void> {
  for await (const change of changes) yield { change, result: await resultFor(change) };
}

type Step = StreamEvent<LoggedChange | SnapshotEnd>;

const idOf = ({ id }: Step) => id;

/** The statements that there are, what says that these were all, and the changes; without a snapshot only these. */
function withSnapshot(changes: AskedChanges): Batches<Step> {
  const stepOf = (change: LoggedChange) => ({ id: String(change.sequence), result: change });
  const behind = new Batches(async () => (await changes.next())?.map(stepOf), changes.stop);
  if (!changes.snapshot) return behind;
  return snapshotStream(changes.snapshot, behind, ({ change, cursor }) => ({ id: cursor, result: change }));
}

/** As the type StatementOrChange of the schema has it. */
function stepFields({ id: cursor, result }: Step) {
  if (!('op' in result)) return { cursor, complete: result };
  return { cursor, [isOfSnapshot(result) ? 'statement' : 'change']: fieldsOf(result) };
}

type Result = ReturnType<typeof execute>;

const results = new WeakMap<object, Map<string, Result>>();

/** The result of a change is found once for all who select the same of it. */
function resultOf(change: object, shape: string, find: () => Result): Result {
  return getOrInsert(
    getOrInsert(results, change, () => new Map()),
    shape,
    find,
  );
}

/** Whichever field it is that a subscription has. */
function rootOf(change: LoggedChange, document: DocumentNode): Record<string, unknown> {
  return { [fieldOf(document)]: fieldsOf(change) };
}

/** The name of the one field of a subscription. */
function fieldOf(document: DocumentNode): string {
  const [field] = getOperationAST(document)?.selectionSet.selections ?? [];
  return field?.kind === Kind.FIELD ? field.name.value : '';
}

/** A change as the type StatementChange of the schema has it. */
function fieldsOf(change: LoggedChange) {
  const { previous = [], statement, ...rest } = change;
  const { changeMetadata } = eventOf(change);
  return { ...rest, changeMetadata, statement: flat(statement), previous: previous.map(flat) };
}

function flat(statement: Statement) {
  return { ...statement, predicate: statement.predicate.id };
}
