import { groupBy } from '../../base/groupBy.ts';
import type { Database } from '../../graph/database/database.ts';
import { type ClosedIris, closedError } from '../../graph/names/closed.ts';
import type { Dictionary } from '../../graph/names/dictionary.ts';
import { type CurrentStatement, StatementReader } from '../../graph/statements/statementReader.ts';
import { whyClosed } from '../closed/closedStatements.ts';
import type { IdentifiedPatch } from './applyPatches.ts';
import type { FieldOfEntity } from './entities/entityPatches.ts';

export interface ClearingParts {
  database: Database;
  dictionary: Dictionary;
  timeoutMs: number;
}

/**
 * What takes back every value that fields have now: a `remove` for each that is open to the caller. A value that comes
 * to be between this and the update's transaction stays.
 * @param most removals; one more is made where there are more
 * @throws ConcordError -32013 for a field that is closed to the caller
 */
export async function removalsOf(
  { database, dictionary, timeoutMs }: ClearingParts,
  tenant: string,
  fields: FieldOfEntity[],
  closed: ClosedIris | undefined,
  most: number,
): Promise<IdentifiedPatch[]> {
  if (fields.length === 0) return [];
  const hidden = closed && fields.find(({ predicate }) => closed.predicates.has(predicate))?.predicate;
  if (closed && hidden !== undefined) throw closedError('predicate', hidden, closed);
  const byPlace = groupBy(fields, ({ predicate, graph }) => JSON.stringify([predicate, graph ?? null]));
  const statements = await database.read(async (tx) => {
    const reader = new StatementReader(tx, tenant, dictionary);
    const found: CurrentStatement[] = [];
    for (const [first, ...others] of byPlace.values()) {
      if (first === undefined) continue;
      const subjects = [...new Set([first, ...others].map(({ subject }) => subject))];
      const { predicate, graph } = first;
      found.push(...(await reader.inGraph(predicate, graph, subjects, most + 1 - found.length)));
    }
    return found;
  }, timeoutMs);
  return (
    statements
      // The reader tells the classes of both ends.
      .filter(({ statement }) => closed === undefined || whyClosed(statement, closed, new Map()) === undefined)
      .map(({ id, statement: { certainty: _, provenance: __, ...statement } }) => ({
        op: 'remove',
        statement,
        statementId: id,
      }))
  );
}
