import { anyEdge, entityQualifies, isCertaintyOnly, isOfTenant } from './conditions.ts';
import { type Condition, conditionsOf, Own, whereOf } from './conjunction.ts';
import { node } from './kinds.ts';
import { isEntity, labelText, withLabels } from './labels.ts';
import { ownProperties } from './ownProperties.ts';
import { cypher, nameOf as named, nothing, operation, type Piece, Variable } from './piece.ts';
import type { Place } from './place.ts';
import { after, nameOf, type Tree, tree } from './tree.ts';

/**
 * A node that exists as far as the conditions go.
 * @param joins whether a qualified relationship begins or ends here
 */
export function nodePattern(place: Place, of: Tree, joins: boolean): Piece {
  const { rewrite, bound, scope } = place;
  const name = tree(of, 'variable');
  const variable = (name && scope.find(nameOf(name))?.variable) ?? new Variable();
  const labels = tree(of, 'labelExpression');
  const condition = after(of, 'WHERE');
  const own = place.inline ? new Own(true) : place.own;
  ownProperties(rewrite, of, { value: variable, kind: node }, own, scope);
  if (condition) own.add(rewrite, condition, scope);
  if (bound.has(variable)) {
    const given = labels && cypher`:${labelText(rewrite, labels, 'labels')}`;
    return nodeText(place, variable, given ?? nothing, own, []);
  }
  bound.add(variable);
  // Before a condition that can fail a node must be known to be there by itself, wherever its edges stand.
  const isJoined = joins && !place.apart && !(place.inline && place.risks);
  return newNode(place, variable, labels, own, isJoined);
}

/** A node where the pattern names none. */
export function anyNode(place: Place): Piece {
  return newNode(place, new Variable(), undefined, new Own(), false);
}

/** What makes a node one that exists: it is of the tenant, an entity or a literal, and something qualified is said of it. */
function newNode(place: Place, variable: Variable, given: Tree | undefined, own: Own, joins: boolean): Piece {
  const { shape, limited } = place.rewrite;
  const entity = isEntity(given);
  const labels = withLabels(place.rewrite, given, entity);
  const conditions: Condition[] = [isOfTenant(variable)];
  if (!joins && entity !== 'unsure' && isCertaintyOnly(shape) && !shape.closed) {
    const exists = entityQualifies(variable);
    if (place.inline) conditions.push(exists);
    else place.existence.set(variable, exists);
  } else if (!joins) {
    const said = () => {
      const { pattern, where } = anyEdge(new Variable(), shape);
      return cypher`EXISTS { (${variable})-${pattern}-()${whereOf(where)} }`;
    };
    if (limited) conditions.push(said);
    else if (entity === 'unsure')
      conditions.push(() => operation`(${variable}:${named('Entity')}) OR ${said()}`);
  }
  return nodeText(place, variable, cypher`:${labels}`, own, conditions);
}

function nodeText(place: Place, variable: Variable, labels: Piece, own: Own, conditions: Condition[]): Piece {
  if (!place.inline) {
    place.where.push(...conditions);
    return cypher`(${variable}${labels})`;
  }
  if (place.risks && !place.repeated) place.guards.push(...conditions);
  const inner = conditionsOf({ own, where: conditions, existence: new Map(), guards: [] });
  return cypher`(${variable}${labels}${whereOf(inner)})`;
}
