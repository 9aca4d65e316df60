import { isCertaintyProperty } from '../names.ts';
import type { Kind } from './kinds.ts';
import { data, isData, memberOf, nothing } from './kinds.ts';
import { type EntityText, ofLiterals, qualifiedValue } from './literals.ts';
import { type Rewrite, refuse } from './rewrite.ts';
import type { Tree } from './tree.ts';

/** A piece of the rewritten query and what it is. */
export interface Typed {
  text: string;
  kind: Kind;
}

/** What says of a past statement how it ended: unknown at the time. */
const ofHistory = new Set(
  'relationshipType retractedAt retractedBy retractedIn retractedRevision'.split(' '),
);

/**
 * Reads a property of whatever it is.
 * @param key as it is written, and its name
 */
export function readProperty(
  rewrite: Rewrite,
  from: EntityText & { kind: Kind },
  key: { source: string; name: string },
  at: Tree,
): Typed {
  const { kind } = from;
  if (kind.is === 'node' && from.isVariable) rewrite.shown?.set(`${from.text}.${key.name}`, [from, key.name]);
  const raw = `${from.text}.${key.source}`;
  if (isData(kind) || kind.is === 'map') return { text: raw, kind: memberOf(kind, key.name) };
  if (key.name === 'tenant' || isCertaintyProperty(key.name)) throw refuse(`the property ${key.name}`, at);
  if (kind.is === 'relationship') {
    return rewrite.shape.asOf && ofHistory.has(key.name)
      ? { text: 'null', kind: nothing }
      : { text: raw, kind: data };
  }
  // A literal has these itself; of an entity they are left out below.
  if (!ofLiterals.has(key.name)) rewrite.refuseClosed('properties', key.name);
  if (!rewrite.limited) return { text: raw, kind: kind.is === 'node' ? data : memberOf(kind, key.name) };
  if (kind.is !== 'node') throw refuse(`the property ${key.name} of what may or may not be an entity`, at);
  return { text: ofEntity(rewrite, from, key), kind: data };
}

/** A property of a node where more than the tenant limits what is read. */
function ofEntity(
  rewrite: Rewrite,
  from: EntityText,
  { source, name }: { source: string; name: string },
): string {
  const raw = `${from.text}.${source}`;
  if (name === 'id' || name === 'type') return raw;
  const field = rewrite.isClosed(name) ? undefined : rewrite.fields.get(name);
  if (field && rewrite.readsProjection) return raw;
  const best = field && qualifiedValue(from, { source, name }, field, rewrite.shape);
  if (ofLiterals.has(name)) {
    // Only what is in parentheses may stand before a label.
    const otherwise = best === undefined ? '' : `ELSE ${best} `;
    return `CASE WHEN (${from.text}):Literal THEN ${raw} ${otherwise}END`;
  }
  // A property that no field of the vocabulary projects is left over from another vocabulary.
  return best ?? 'null';
}
