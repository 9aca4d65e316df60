import { anyEdge, entityQualifies, isCertaintyOnly, tenant } from './conditions.ts';
import { conjunction } from './conjunction.ts';
import { node } from './kinds.ts';
import { bare, isEntity, labelText } from './labels.ts';
import { ownConditions } from './ownProperties.ts';
import type { Place } from './place.ts';
import type { Rewrite } from './rewrite.ts';
import { after, nameOf, type Tree, tree } from './tree.ts';

/**
 * A node that exists as far as the conditions go.
 * @param joins whether a qualified relationship begins or ends here
 */
export function nodePattern(place: Place, of: Tree, joins: boolean): string {
  const { rewrite, bound } = place;
  const named = tree(of, 'variable');
  const labels = tree(of, 'labelExpression');
  const own = after(of, 'WHERE');
  if (named && bound.has(nameOf(named))) {
    const inner = ownConditions(place, of, named.source, node);
    const label = labels ? `:${bare(labelText(rewrite, labels, 'labels'))}` : '';
    return nodeText(place, named.source, label, inner.map, inner.where, own);
  }
  const variable = named?.source ?? rewrite.variable();
  const inner = ownConditions(place, of, variable, node);
  const given = nodeConditions(rewrite, variable, labels, joins);
  if (named) bound.add(nameOf(named));
  return nodeText(place, variable, given.labels, inner.map, [...inner.where, ...given.conditions], own);
}

function nodeText(
  place: Place,
  variable: string,
  labels: string,
  map: string,
  conditions: string[],
  own?: Tree,
): string {
  const predicates = own ? [conjunction(place.rewrite, own, place.scope)] : [];
  if (place.inline) predicates.push(...conditions);
  else place.where.push(...conditions);
  return `(${variable}${labels}${map}${predicates.length > 0 ? ` WHERE ${predicates.join(' AND ')}` : ''})`;
}

/** What makes a node one that exists: it is of the tenant, an entity or a literal, and something qualified is said of it. */
function nodeConditions(
  rewrite: Rewrite,
  variable: string,
  labels: Tree | undefined,
  joins: boolean,
): { labels: string; conditions: string[] } {
  const entity = isEntity(labels);
  const given = labels ? labelText(rewrite, labels, 'labels') : undefined;
  const text =
    given !== undefined && entity === 'named'
      ? bare(given)
      : [...(given === undefined ? [] : [given]), entity === 'implied' ? 'Entity' : '(Entity|Literal)'].join(
          '&',
        );
  const conditions = [`${variable}.tenant = ${tenant}`];
  if (!joins && entity !== 'unsure' && isCertaintyOnly(rewrite.shape) && !rewrite.shape.closed) {
    conditions.push(entityQualifies(variable));
  } else if (!joins) {
    const edge = anyEdge(rewrite.variable(), rewrite.shape);
    const where = edge.where.length > 0 ? ` WHERE ${edge.where.join(' AND ')}` : '';
    const said = `EXISTS { (${variable})-${edge.pattern}-()${where} }`;
    if (rewrite.limited) conditions.push(said);
    else if (entity === 'unsure') conditions.push(`(${variable}:Entity OR ${said})`);
  }
  return { labels: `:${text}`, conditions };
}

/** A node where the pattern names none. */
export function anyNode(place: Place): string {
  const variable = place.rewrite.variable();
  const { labels, conditions } = nodeConditions(place.rewrite, variable, undefined, false);
  return nodeText(place, variable, labels, '', conditions);
}
