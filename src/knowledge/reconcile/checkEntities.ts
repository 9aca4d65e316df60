import { isDeepStrictEqual } from 'node:util';
import neo4j from 'neo4j-driver';
import { groupBy } from '../../base/groupBy.ts';
import type { Queryable } from '../../graph/database/queryable.ts';
import type { Dictionary } from '../../graph/names/dictionary.ts';
import { certaintyPropertyOf } from '../../graph/names/names.ts';
import { type EntityRow, entitiesById } from '../../graph/reconcile/entityPages.ts';
import { projectedProperties } from '../../graph/statements/projection.ts';
import { StatementReader } from '../../graph/statements/statementReader.ts';
import type { LiteralField } from '../../vocabulary/vocabulary.ts';
import type { Found } from './difference.ts';

interface EntityParts {
  dictionary: Dictionary;
  literalFields: ReadonlyMap<string, LiteralField>;
}

/** Where these entities have another label than their class, or show other values than their statements say. */
export async function checkEntities(
  tx: Queryable,
  tenant: string,
  ids: string[],
  { dictionary, literalFields }: EntityParts,
): Promise<Found[]> {
  const entities = await entitiesById(tx, tenant, ids);
  const classes = dictionary.classesByLabel();
  const right = await projections(tx, tenant, ids, { dictionary, literalFields });
  return entities.flatMap((entity) => [
    ...wrongClass(entity, tenant, classes),
    ...wrongProjections(entity, tenant, right.get(entity.id) ?? {}),
  ]);
}

/** What the properties of these entities are to be, by their ids. */
async function projections(
  tx: Queryable,
  tenant: string,
  ids: string[],
  { dictionary, literalFields }: EntityParts,
): Promise<Map<string, Record<string, unknown>>> {
  const reader = new StatementReader(tx, tenant, dictionary);
  const all = new Map<string, Record<string, unknown>>(ids.map((id) => [id, {}]));
  for (const [predicate, field] of literalFields) {
    if (dictionary.findRelationshipType(predicate) === undefined) continue;
    const found = groupBy(await reader.bySubject(predicate, ids), ({ statement }) => statement.subject.id);
    for (const [id, properties] of all)
      Object.assign(properties, projectedProperties(dictionary.property(predicate), field, found.get(id) ?? []));
  }
  return all;
}

function wrongClass(
  { element, id, labels, properties }: EntityRow,
  tenant: string,
  classes: ReadonlyMap<string, string>,
): Found[] {
  const said = labels.filter((label) => classes.has(label));
  const is = [...classes].filter(([, iri]) => iri === properties.type).map(([label]) => label);
  if (isDeepStrictEqual(said, is)) return [];
  const others = labels.filter((label) => !classes.has(label));
  const edit = { kind: 'node', op: 'changed', element, labelsBefore: [...others, ...is], labelsAfter: labels } as const;
  return [{ difference: { kind: 'class', tenant, id, of: said.sort().join(':') }, edits: [edit] }];
}

/**
 * A value that no statement says is what somebody has set by hand. Of one that is missing nobody can tell whether it was
 * removed or lost: it is shown again.
 */
function wrongProjections(
  { element, id, labels, properties }: EntityRow,
  tenant: string,
  right: Record<string, unknown>,
): Found[] {
  const names = Object.keys(right).filter((name) => !isDeepStrictEqual(shown(right[name]), shown(properties[name])));
  const set = names.filter((name) => properties[name] !== undefined && !isCertaintyOf(name, right));
  const lost = names.filter((name) => !set.includes(name));
  const difference = (of: string[]) => ({ kind: 'projection', tenant, id, of: of.join(', ') }) as const;
  const only = (of: string[]) => Object.fromEntries(of.map((name) => [name, right[name] ?? null]));
  const found: Found[] = [];
  if (set.length > 0) {
    const correction = only(set);
    const edit = {
      kind: 'node',
      op: 'changed',
      element,
      labelsBefore: labels,
      labelsAfter: labels,
      correction,
    } as const;
    found.push({ difference: difference(set), edits: [edit] });
  }
  if (lost.length > 0) found.push({ difference: difference(lost), project: { id, properties: only(lost) } });
  return found;
}

const isCertaintyOf = (name: string, right: Record<string, unknown>) =>
  Object.keys(right).some((property) => certaintyPropertyOf(property) === name);

/** A value as it is compared, whether the driver is to write it or has read it. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown);
  if (value === null || value === undefined) return null;
  if (neo4j.isInt(value as object)) return Number(value);
  return typeof value === 'object' ? String(value) : value;
}
