import { getOrInsert } from '../../base/getOrInsert.ts';
import { groupBy } from '../../base/groupBy.ts';
import { highestCertainty } from '../../graph/names/names.ts';
import { projectedProperties } from '../../graph/statements/projection.ts';
import type { CurrentStatement } from '../../graph/statements/statementReader.ts';
import type { Attributed, EntityState, StatementTransactor } from '../../graph/statements/statementTransactor.ts';
import type { LiteralField } from '../../vocabulary/vocabulary.ts';
import type { PatchOutcome } from './applyPatches.ts';
import type { EntityCertainties } from './entityCertainties.ts';
import type { Step } from './plan.ts';

/**
 * Writes what updates come to that have no subject in common. Every query is sent before the first answer is awaited,
 * in the order in which they must run.
 * @param highest the highest certainty of entities, from 0 to 1, which exist or are among those that the updates state
 *   something of
 */
export async function writeOutcomes(
  graph: StatementTransactor,
  updates: Pick<Step, 'outcome' | 'entities' | 'by'>[],
  literalFields: ReadonlyMap<string, LiteralField>,
  highest: EntityCertainties['known'],
): Promise<void> {
  const all = (pick: (outcome: PatchOutcome) => CurrentStatement[]) =>
    updates.flatMap(({ outcome, by }) => pick(outcome).map((current) => ({ ...current, by })));
  const states = new EntityStates();
  for (const { classIri, ids } of updates.flatMap((update) => update.entities))
    for (const id of ids) states.of(id).classIri = classIri;
  for (const { outcome } of updates) project(states, graph, outcome, literalFields);
  for (const { id, highest: certainty } of highest)
    states.of(id).properties[highestCertainty] = certainty < 1 ? certainty : null;
  const created = all((outcome) => outcome.created);
  await Promise.all([
    ...byPredicate(
      all(({ retired }) => retired),
      (predicate, statements) => graph.retire(predicate, statements),
    ),
    ...byPredicate(
      all(({ revised }) => revised),
      (predicate, statements) => graph.revise(predicate, statements),
    ),
    (states.all.length > 0 || created.length > 0) && graph.state(states.all, created),
  ]);
}

/** What becomes of entities, each once. */
class EntityStates {
  private readonly byId = new Map<string, EntityState>();

  of(id: string): EntityState {
    return getOrInsert(this.byId, id, () => ({ id, properties: {} }));
  }

  get all(): EntityState[] {
    return [...this.byId.values()];
  }
}

function byPredicate(
  statements: Attributed[],
  write: (predicate: string, statements: Attributed[]) => Promise<void>,
): Promise<void>[] {
  return [...groupBy(statements, ({ statement }) => statement.predicate.id)].map(([predicate, group]) =>
    write(predicate, group),
  );
}

/** Sets the projected properties of every entity that the update says something new about. */
function project(
  states: EntityStates,
  graph: StatementTransactor,
  { created, revised, retired, after }: PatchOutcome,
  literalFields: ReadonlyMap<string, LiteralField>,
): void {
  const isProjected = ({ statement }: CurrentStatement) => literalFields.has(statement.predicate.id);
  const touched = new Map<string, Set<string>>();
  for (const { statement } of [...created, ...revised, ...retired].filter(isProjected)) {
    getOrInsert(touched, statement.subject.id, () => new Set()).add(statement.predicate.id);
  }
  const holding = groupBy(after.filter(isProjected), ({ statement }) =>
    key(statement.subject.id, statement.predicate.id),
  );
  for (const [id, predicates] of touched) {
    for (const predicate of predicates) {
      const field = literalFields.get(predicate);
      if (field === undefined) continue;
      const held = holding.get(key(id, predicate)) ?? [];
      Object.assign(states.of(id).properties, projectedProperties(graph.propertyOf(predicate), field, held));
    }
  }
}

function key(subject: string, predicate: string): string {
  return JSON.stringify([subject, predicate]);
}
