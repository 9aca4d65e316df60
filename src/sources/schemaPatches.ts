import { datatypeOf, statementIdOf } from '../graph/statements/statement.ts';
import type { Patch, Statement } from '../wire/types.ts';

/**
 * What makes the statements that there are into those that there should be: nothing where they are the same. What
 * belongs to one entity stands together, what is taken back first.
 */
export function schemaPatches(stated: readonly Statement[], wanted: readonly Statement[]): Patch[] {
  const before = new Map(stated.map((each) => [keyOf(each), each]));
  const after = new Map(wanted.map((each) => [keyOf(each), each]));
  const removed = [...before].filter(([key]) => !after.has(key)).map(([, each]) => patchOf('remove', each));
  const added = [...after]
    .filter(([key, each]) => !before.has(key) || before.get(key)?.certainty !== each.certainty)
    .map(([, each]) => patchOf('add', each));
  const bySubject = (one: Patch, other: Patch) => compared(one.statement.subject.id, other.statement.subject.id);
  return [...removed, ...added].sort(bySubject);
}

function patchOf(op: 'add' | 'remove', statement: Statement): Patch {
  return { op, statement };
}

const compared = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

function keyOf(statement: Statement): string {
  const { object } = statement;
  const typed = 'value' in object ? { ...object, type: datatypeOf(object.value, object.type) } : object;
  return statementIdOf('', { ...statement, object: typed });
}
