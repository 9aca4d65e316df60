import type { ConcordError } from '../../base/errors.ts';
import { type ClosedIris, closedError } from '../../graph/names/closed.ts';
import { entitiesOf, type Statement } from '../../graph/statements/statement.ts';
import type { Classes } from '../../graph/statements/statementReader.ts';

/** Reads the classes of those of these entities of a tenant that are there. */
export type ClassesOf = (tenant: string, ids: string[]) => Promise<Classes>;

/**
 * Why a statement is closed: for its predicate, or for the class of what it speaks of. Undefined for one that is open.
 */
export function whyClosed(statement: Statement, closed: ClosedIris, classes: Classes): ConcordError | undefined {
  const { id: predicate } = statement.predicate;
  if (closed.predicates.has(predicate)) return closedError('predicate', predicate, closed);
  for (const { id, type } of entitiesOf(statement)) {
    for (const iri of [type, classes.get(id)?.type]) {
      if (iri !== undefined && closed.classes.has(iri)) return closedError('class', iri, closed);
    }
  }
  return undefined;
}
