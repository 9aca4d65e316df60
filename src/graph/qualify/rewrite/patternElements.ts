import { after, has, isTree, nameOf, plain, type Tree, tree, trees } from '../grammar/tree.ts';
import {
  anyEdge,
  edgeConditions,
  entityQualifies,
  isCertaintyOnly,
  isCurrent,
  isOfTenant,
  isThere,
  type Moment,
  momentOf,
  realType,
  wasOfType,
} from '../text/conditions.ts';
import { edgesOf } from '../text/consulted.ts';
import { node, relationship } from '../text/kinds.ts';
import {
  all,
  count,
  cypher,
  join,
  nameOf as named,
  nothing,
  operation,
  type Part,
  type Piece,
  Variable,
} from '../text/piece.ts';
import { type Condition, conditionsOf, Own, whereOf } from './conjunction.ts';
import { alternatives, isEntity, labelText, typeCondition, typesText, withLabels } from './labels.ts';
import type { Place } from './place.ts';
import { type Rewrite, refuse } from './rewrite.ts';
import { countOf } from './writtenValue.ts';

/**
 * A node that exists as far as the conditions go.
 * @param joins whether a qualified relationship begins or ends here
 */
export function nodePattern(place: Place, of: Tree, joins: boolean): Piece {
  const { bound, scope, own } = place;
  const { rewrite } = scope;
  const name = tree(of, 'variable');
  const variable = (name && scope.find(nameOf(name))?.variable) ?? new Variable();
  const labels = tree(of, 'labelExpression');
  const condition = after(of, 'WHERE');
  own.addProperties(of, { value: variable, kind: node }, scope);
  if (condition) own.add(condition, scope);
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

/**
 * What makes a node one that exists: it is of the tenant, an entity or a literal, and something qualified is said of
 * it.
 */
function newNode(place: Place, variable: Variable, given: Tree | undefined, joins: boolean): Piece {
  const { rewrite } = place.scope;
  const { shape, limited } = rewrite;
  const entity = isEntity(given);
  const labels = withLabels(rewrite, given, entity);
  const conditions: Condition[] = [isOfTenant(variable)];
  if (!joins && entity !== 'unsure' && isCertaintyOnly(shape) && !shape.closed) {
    place.existence.set(variable, entityQualifies(variable));
  } else if (!joins) {
    const said = () => {
      const { pattern, where } = anyEdge(new Variable(), shape);
      // An edge made by hand may have anything at its other end.
      const other = new Variable();
      return cypher`EXISTS { (${variable})-${pattern}-(${other})${whereOf([...where, isThere(other)])} }`;
    };
    if (limited) conditions.push(said);
    else if (entity === 'unsure') conditions.push(() => operation`(${variable}:${named('Entity')}) OR ${said()}`);
  }
  place.where.push(...conditions);
  return cypher`(${variable}:${labels})`;
}

/** A relationship, or a path of them, that qualifies. */
export function relationshipPattern(place: Place, of: Tree, quantified: boolean): Piece {
  const { scope } = place;
  const { rewrite } = scope;
  const length = tree(of, 'pathLength');
  const name = tree(of, 'variable');
  const variable = (name && scope.find(nameOf(name))?.variable) ?? new Variable();
  const each = length ? new Variable() : variable;
  const isPath = length !== undefined || quantified;
  const { types, conditions } = edgeOf(rewrite, of, each, length !== undefined, isPath);
  const said = statementAsOf(of) !== undefined;
  const condition = said ? undefined : after(of, 'WHERE');
  if (length && condition) throw refuse('WHERE on a path of variable length', of);
  const own = quantified || length ? new Own() : place.own;
  own.addProperties(of, { value: each, kind: relationship }, scope);
  if (condition) {
    const local = name ? scope.with([[nameOf(name), variable, relationship]]) : scope;
    own.add(condition, local);
  }
  let where: Piece = nothing;
  if (length) alongPath(place, of, variable, each, own);
  else if (quantified) {
    if (!place.repeated) place.guards.push(() => allVisible(rewrite, of, variable));
    where = whereOf(conditionsOf({ own, where: conditions, existence: new Map(), guards: [] }));
  } else place.where.push(...conditions);
  if (rewrite.consults) place.edges.push(edgesOf(variable, length !== undefined || quantified || place.repeated));
  const body = cypher`${variable}${types}${length ? lengthText(length) : nothing}${where}`;
  const [left, right] = [
    tree(of, 'leftArrow') ? cypher`<-` : cypher`-`,
    tree(of, 'rightArrow') ? cypher`->` : cypher`-`,
  ];
  return cypher`${left}[${body}]${right}`;
}

/** The conditions of a path of variable length, each of whose relationships must meet them. */
function alongPath(
  { scope: { rewrite }, where, own, paths }: Place,
  of: Tree,
  path: Variable,
  each: Variable,
  given: Own,
): void {
  where.push(() => allVisible(rewrite, of, path));
  paths.add(path);
  if (given.safe.length > 0) own.safe.push(along(each, path, given.safe));
  if (given.risky.length > 0) own.risky.push(along(each, path, given.risky));
}

/** That every relationship of a list is one that qualifies, by what is asked of each: made anew for each place. */
function allVisible(rewrite: Rewrite, of: Tree, path: Variable): Part {
  const one = new Variable();
  return along(one, path, edgeOf(rewrite, of, one, true, true).conditions);
}

const along = (one: Variable, path: Variable, what: readonly Part[]) =>
  cypher`all(${one} IN ${path} WHERE ${all(what)})`;

/** `*1..3` */
function lengthText(of: Tree): Piece {
  const bounds = of.parts.map((part): Part => {
    if (isTree(part)) throw refuse('a length of this form', of);
    if (part.word === 'TIMES') return cypher`*`;
    return part.word === 'DOTDOT' ? cypher`..` : count(countOf(part.text, of));
  });
  return join(bounds);
}

/**
 * The types as they stand in the pattern, and what is to ask of an edge: never a past one, unless one asks for the
 * past.
 * @param isPath whether it is one of several, which have nodes between them that no pattern names
 */
function edgeOf(
  rewrite: Rewrite,
  of: Tree,
  edge: Variable,
  long: boolean,
  isPath: boolean,
): { types: Piece; conditions: Part[] } {
  const moment = momentAt(rewrite, of);
  const conditions = [...edgeConditions(edge, rewrite.shape, moment), ...(isPath ? passed(of, edge) : [])];
  const given = tree(of, 'labelExpression');
  const names = given && alternatives(given);
  if (given && names) {
    if (!moment) return { types: cypher`:${typesText(rewrite, given)}`, conditions };
    return {
      types: cypher`:${typesText(rewrite, given, ['PAST'])}`,
      conditions: [wasOfType(edge, names), ...conditions],
    };
  }
  const type = moment ? realType(edge) : cypher`type(${edge})`;
  const ofType = given ? [cypher`(${typeCondition(rewrite, given, type)})`] : [];
  if (moment) return { types: nothing, conditions: [...ofType, ...conditions] };
  if (long) return { types: nothing, conditions: [isCurrent(edge), ...ofType, ...conditions] };
  const current = cypher`!${named('PAST')}`;
  return {
    types: given ? cypher`:(${labelText(rewrite, given, 'types')})&${current}` : cypher`:${current}`,
    conditions,
  };
}

/** Where a path goes on from an edge there must be a node of the tenant's: an edge made by hand may lead anywhere. */
function passed(of: Tree, edge: Variable): Piece[] {
  const [isLeft, isRight] = [tree(of, 'leftArrow') !== undefined, tree(of, 'rightArrow') !== undefined];
  return [
    ...(isLeft || !isRight ? [isThere(cypher`startNode(${edge})`)] : []),
    ...(isRight || !isLeft ? [isThere(cypher`endNode(${edge})`)] : []),
  ];
}

/** The moment that this pattern is read as of. */
function momentAt(rewrite: Rewrite, of: Tree): Moment | undefined {
  const own = statementAsOf(of)?.moment;
  if (own === undefined) return momentOf(rewrite.shape);
  if (!rewrite.parameters.has(own)) rewrite.parameters.set(own, of);
  return { by: 'time', is: cypher`datetime(${{ is: 'given', name: own }})` };
}

/** The property that stands for the point in time; no relationship has it. */
const asOf = '__concordAsOf';

/**
 * Whether a relationship pattern is read as of a point in time of its own, whatever the query is read as of.
 * `vocabulary/typedefs.ts` writes it so:
 *
 *     -[s WHERE $asOf IS NULL OR s.__concordAsOf = $asOf]->
 *
 * which asks nothing where there is no such point, for `@neo4j/graphql` writes an absent argument as `NULL`.
 * @returns the parameter that gives the point in time, nothing where there is none; undefined where the pattern isn't
 *   of this form
 */
export function statementAsOf(of: Tree): { moment?: string } | undefined {
  const where = of.rule === 'relationshipPattern' ? after(of, 'WHERE') : undefined;
  if (where?.rule !== 'expression') return undefined;
  const [absent, same, ...more] = trees(where);
  const [given] = absent ? trees(absent) : [];
  if (!absent || !same || !given || more.length > 0) return undefined;
  const form = `${plain(given)} IS NULL OR ${nameOf(tree(of, 'variable') ?? of)} . ${asOf} = ${plain(given)}`;
  if (plain(where) !== form) return undefined;
  if (given.rule === 'literal' && has(given, 'NULL')) return {};
  const name = given.rule === 'parameter' ? tree(given, 'parameterName') : undefined;
  return name && { moment: nameOf(name) };
}

/** Whether the query has such a pattern with a point in time. */
export function saysMoment(of: Tree): boolean {
  return statementAsOf(of)?.moment !== undefined || of.parts.some((part) => isTree(part) && saysMoment(part));
}
