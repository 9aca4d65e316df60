import { groupBy } from '../../base/groupBy.ts';
import { entitiesOf, idsOf } from '../../graph/statements/statement.ts';
import type { KnownEntity } from '../../graph/statements/statementReader.ts';
import type { IdentifiedPatch, PatchOutcome } from './applyPatches.ts';

/** Entities that are to exist, of one class or of none that is known. */
export interface ClassifiedEntities {
  classIri?: string;
  ids: string[];
}

/**
 * Which entities an update creates or gives a class to. A class once given stays: a patch that says otherwise is left
 * to the rule `class-mismatch`.
 * @param existing the entities that exist
 */
export function classify(
  patches: IdentifiedPatch[],
  outcome: PatchOutcome,
  existing: ReadonlyMap<string, KnownEntity>,
): ClassifiedEntities[] {
  const said = new Map<string, string>();
  for (const { op, statement } of patches) {
    if (op === 'remove') continue;
    for (const { id, type } of entitiesOf(statement)) if (type !== undefined && !said.has(id)) said.set(id, type);
  }
  const needed = idsOf(outcome.created.map(({ statement }) => statement));
  const created = needed.filter((id) => !existing.has(id));
  const classified = [...said.keys()].filter((id) => existing.has(id) && existing.get(id)?.type === undefined);
  return [...groupBy([...created, ...classified], (id) => said.get(id))].map(([classIri, ids]) => ({
    classIri,
    ids,
  }));
}

/**
 * The patches that name an entity under another class than it has: also one whose statement holds already must not pass
 * over that in silence.
 * @param existing the entities that exist
 */
export function misclassified(
  patches: IdentifiedPatch[],
  existing: ReadonlyMap<string, KnownEntity>,
): IdentifiedPatch[] {
  return patches.filter(
    ({ op, statement }) =>
      op !== 'remove' &&
      entitiesOf(statement).some(({ id, type }) => {
        const known = existing.get(id)?.type;
        return type !== undefined && known !== undefined && type !== known;
      }),
  );
}
