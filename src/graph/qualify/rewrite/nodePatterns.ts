import { after, nameOf, type Tree, tree } from '../grammar/tree.ts';
import { anyEdge, entityQualifies, isCertaintyOnly, isOfTenant } from '../text/conditions.ts';
import { node } from '../text/kinds.ts';
import { cypher, nameOf as named, nothing, operation, type Piece, Variable } from '../text/piece.ts';
import { type Condition, whereOf } from './conjunction.ts';
import { isEntity, labelText, withLabels } from './labels.ts';
import { ownProperties } from './ownProperties.ts';
import type { Place } from './place.ts';

/**
 * A node that exists as far as the conditions go.
 * @param joins whether a qualified relationship begins or ends here
 */
export function nodePattern(place: Place, of: Tree, joins: boolean): Piece {
  const { rewrite, bound, scope, own } = place;
  const name = tree(of, 'variable');
  const variable = (name && scope.find(nameOf(name))?.variable) ?? new Variable();
  const labels = tree(of, 'labelExpression');
  const condition = after(of, 'WHERE');
  ownProperties(rewrite, of, { value: variable, kind: node }, own, scope);
  if (condition) own.add(rewrite, condition, scope);
  if (bound.has(variable)) {
    const given = labels && cypher`:${labelText(rewrite, labels, 'labels')}`;
    return cypher`(${variable}${given ?? nothing})`;
  }
  bound.add(variable);
  return newNode(place, variable, labels, joins && !place.apart);
}

/** A node where the pattern names none. */
export function anyNode(place: Place): Piece {
  return newNode(place, new Variable(), undefined, false);
}

/** What makes a node one that exists: it is of the tenant, an entity or a literal, and something qualified is said of it. */
function newNode(place: Place, variable: Variable, given: Tree | undefined, joins: boolean): Piece {
  const { shape, limited } = place.rewrite;
  const entity = isEntity(given);
  const labels = withLabels(place.rewrite, given, entity);
  const conditions: Condition[] = [isOfTenant(variable)];
  if (!joins && entity !== 'unsure' && isCertaintyOnly(shape) && !shape.closed) {
    place.existence.set(variable, entityQualifies(variable));
  } else if (!joins) {
    const said = () => {
      const { pattern, where } = anyEdge(new Variable(), shape);
      return cypher`EXISTS { (${variable})-${pattern}-()${whereOf(where)} }`;
    };
    if (limited) conditions.push(said);
    else if (entity === 'unsure')
      conditions.push(() => operation`(${variable}:${named('Entity')}) OR ${said()}`);
  }
  place.where.push(...conditions);
  return cypher`(${variable}:${labels})`;
}
