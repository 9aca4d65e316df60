import type { LoggedChange } from '../graph/updates/changeLog.ts';

/** One condition of a `where`: a value that must be equal, or a list that must hold it. Both given, both must hold. */
export interface Condition {
  eq?: string | null;
  in?: string[] | null;
}

/** The argument of `statementChanged(where:)`; all that is given must hold. */
export interface ChangeWhere {
  op?: Condition | null;
  subject?: Condition | null;
  predicate?: Condition | null;
  object?: Condition | null;
  graph?: Condition | null;
  sourceAgentId?: Condition | null;
}

type Field = keyof ChangeWhere;

const fieldOf: Record<Field, (change: LoggedChange) => string | undefined> = {
  op: ({ op }) => op,
  subject: ({ statement }) => statement.subject.id,
  predicate: ({ statement }) => statement.predicate.id,
  object: ({ statement: { object } }) => ('id' in object ? object.id : String(object.value)),
  graph: ({ statement }) => statement.graph,
  sourceAgentId: ({ sourceAgentId }) => sourceAgentId,
};

/** Compiles a `where` into a test of changes. `eq: null` for a graph means the default graph. */
export function compileFilter(where: ChangeWhere | null | undefined): (change: LoggedChange) => boolean {
  const tests = (Object.keys(fieldOf) as Field[]).flatMap((field) => {
    const condition = where?.[field];
    return condition ? testsOf(condition).map((test) => (change: LoggedChange) => test(fieldOf[field](change))) : [];
  });
  return (change) => tests.every((test) => test(change));
}

function testsOf(condition: Condition): ((value: string | undefined) => boolean)[] {
  const wanted = 'eq' in condition ? (condition.eq ?? undefined) : undefined;
  const among = condition.in ? new Set(condition.in) : undefined;
  return [
    ...('eq' in condition ? [(value: string | undefined) => value === wanted] : []),
    ...(among ? [(value: string | undefined) => value !== undefined && among.has(value)] : []),
  ];
}
