import { entitiesOf } from '../../graph/statements/statement.ts';
import type { CurrentStatement, KnownEntity } from '../../graph/statements/statementReader.ts';
import type { Difference } from './applyPatches.ts';

/**
 * What updates do to the highest certainty of entities, by which queries that require certainty know whether an entity
 * is there for them.
 */
export interface EntityCertainties {
  /** Entities whose highest certainty is known to change, to this. */
  known: { id: string; highest: number }[];
  /** Entities that may have lost their most certain statement. */
  lost: string[];
}

/**
 * @param before the statements that held and that the update may touch
 * @param entities those that existed of the entities that the patches name
 */
export function entityCertainties(
  { created, revised, retired }: Difference,
  before: CurrentStatement[],
  entities: ReadonlyMap<string, KnownEntity>,
): EntityCertainties {
  const held = new Map(before.map((current) => [current.id, current]));
  const gained = highestOf([...created, ...revised]);
  const given = highestOf([...retired, ...revised.flatMap(({ id }) => held.get(id) ?? [])]);
  const result: EntityCertainties = { known: [], lost: [] };
  for (const id of new Set([...gained.keys(), ...given.keys()])) {
    const entity = entities.get(id);
    const now = gained.get(id);
    const stored = entity?.highest ?? 1;
    // What a replacement retracts may speak of entities that no patch names.
    const isUnknown = entity === undefined && now === undefined;
    const isLost = (given.get(id) ?? -1) >= stored && (now ?? 0) < stored;
    const highest = Math.max(entity ? stored : 0, now ?? 0);
    if (isUnknown || isLost) result.lost.push(id);
    else if (highest !== stored) result.known.push({ id, highest });
  }
  return result;
}

/** The highest certainty among the statements of each entity. */
function highestOf(statements: CurrentStatement[]): Map<string, number> {
  const highest = new Map<string, number>();
  for (const { statement } of statements) {
    const certainty = statement.certainty ?? 1;
    for (const { id } of entitiesOf(statement)) highest.set(id, Math.max(certainty, highest.get(id) ?? 0));
  }
  return highest;
}
