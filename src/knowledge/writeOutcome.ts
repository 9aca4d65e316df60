import { projectedProperties } from '../graph/projection.ts';
import type { CurrentStatement } from '../graph/statementReader.ts';
import type { Attributed, Attribution, StatementTransactor } from '../graph/statementTransactor.ts';
import { groupBy } from '../groupBy.ts';
import type { LiteralField } from '../vocabulary/vocabulary.ts';
import type { Outcome } from './applyPatches.ts';
import type { ClassifiedEntities } from './classify.ts';
import type { EntityCertainties } from './entityCertainties.ts';

/** What one update comes to, and what is to stand on it. */
export interface Written {
  outcome: Outcome;
  entities: ClassifiedEntities[];
  by: Attribution;
}

/**
 * Writes what updates come to that have no subject in common. Every query is sent before the first answer is awaited, in the order in
 * which they must run.
 */
export async function writeOutcomes(
  graph: StatementTransactor,
  updates: Written[],
  literalFields: ReadonlyMap<string, LiteralField>,
): Promise<void> {
  const all = (pick: (outcome: Outcome) => CurrentStatement[]) =>
    updates.flatMap(({ outcome, by }) => pick(outcome).map((current) => ({ ...current, by })));
  const entities = groupBy(
    updates.flatMap((update) => update.entities),
    ({ classIri }) => classIri,
  );
  const projections = updates.flatMap(({ outcome }) => projectionsOf(graph, outcome, literalFields));
  await Promise.all([
    ...[...entities].map(([classIri, some]) =>
      graph.ensureEntities(classIri, [...new Set(some.flatMap(({ ids }) => ids))]),
    ),
    ...byPredicate(
      all(({ retired }) => retired),
      (predicate, statements) => graph.retire(predicate, statements),
    ),
    ...byPredicate(
      all(({ revised }) => revised),
      (predicate, statements) => graph.revise(predicate, statements),
    ),
    ...byPredicate(
      all(({ created }) => created),
      (predicate, statements) => graph.create(predicate, statements),
    ),
    projections.length > 0 && graph.project(projections),
  ]);
}

/** Writes what entities are to know of their statements' certainty, after those. */
export async function writeCertainties(
  graph: StatementTransactor,
  { known, lost }: EntityCertainties,
): Promise<void> {
  await Promise.all([known.length > 0 && graph.rate(known), lost.length > 0 && graph.rateAnew(lost)]);
}

function byPredicate(
  statements: Attributed[],
  write: (predicate: string, statements: Attributed[]) => Promise<void>,
): Promise<void>[] {
  return [...groupBy(statements, ({ statement }) => statement.predicate.id)].map(([predicate, group]) =>
    write(predicate, group),
  );
}

/** The projected properties of every entity that the update says something new about. */
function projectionsOf(
  graph: StatementTransactor,
  { created, revised, retired, after }: Outcome,
  literalFields: ReadonlyMap<string, LiteralField>,
): Parameters<StatementTransactor['project']>[0] {
  const isProjected = ({ statement }: CurrentStatement) => literalFields.has(statement.predicate.id);
  const touched = new Map<string, Set<string>>();
  for (const { statement } of [...created, ...revised, ...retired].filter(isProjected)) {
    const predicates = touched.get(statement.subject.id) ?? new Set();
    touched.set(statement.subject.id, predicates.add(statement.predicate.id));
  }
  const holding = groupBy(after.filter(isProjected), ({ statement }) =>
    key(statement.subject.id, statement.predicate.id),
  );
  return [...touched].map(([id, predicates]) => ({
    id,
    properties: Object.assign(
      {},
      ...[...predicates].map((predicate) => {
        const field = literalFields.get(predicate);
        if (field === undefined) return {};
        return projectedProperties(graph.propertyOf(predicate), field, holding.get(key(id, predicate)) ?? []);
      }),
    ),
  }));
}

function key(subject: string, predicate: string): string {
  return JSON.stringify([subject, predicate]);
}
