import { groupBy } from '../../base/groupBy.ts';
import type { CurrentStatement, StatementReader } from '../../graph/statements/statementReader.ts';
import type { LiteralField } from '../../vocabulary/vocabulary.ts';
import type { IdentifiedPatch } from './applyPatches.ts';

/**
 * Reads every current statement that the patches name, replace or need for a projection: two queries a predicate at
 * most, sent together. A statement is found by its identity, so that a subject with a million others costs nothing
 * more; all statements of a subject and predicate are read only where `replace` or a projected field needs them.
 */
export async function readTouched(
  graph: StatementReader,
  patches: IdentifiedPatch[],
  literalFields: ReadonlyMap<string, LiteralField>,
): Promise<CurrentStatement[]> {
  const byPredicate = groupBy(patches, ({ statement }) => statement.predicate.id);
  const reads: Promise<CurrentStatement[]>[] = [];
  for (const [predicate, group] of byPredicate) {
    const isWhole = (patch: IdentifiedPatch) => literalFields.has(predicate) || patch.op === 'replace';
    const subjects = new Set(group.filter(isWhole).map(({ statement }) => statement.subject.id));
    const ids = new Set(
      group.filter(({ statement }) => !subjects.has(statement.subject.id)).map(({ statementId }) => statementId),
    );
    if (subjects.size > 0) reads.push(graph.bySubject(predicate, [...subjects]));
    if (ids.size > 0) reads.push(graph.byId(predicate, [...ids]));
  }
  return (await Promise.all(reads)).flat();
}
