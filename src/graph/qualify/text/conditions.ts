import neo4j from 'neo4j-driver';
import type { Closed } from '../../names/closed.ts';
import { certaintyPropertyOf, highestCertainty } from '../../names/names.ts';
import { dateTime } from '../../statements/values.ts';
import { cypher, join, literal, nameOf, operation, type Part, type Piece, property, type Variable } from './piece.ts';

/** What a statement must meet to be read. */
export interface Conditions {
  tenant: string;
  /** The graphs that are visible; absent means all. */
  graphs?: { default: boolean; named: string[] };
  /** From 0 to 1; a statement without certainty has 1. */
  requiredCertainty?: number;
  observedSince?: Date;
  /** Reads what was recorded by then and not yet retracted. */
  asOf?: Date;
  /** Reads what the updates up to this revision had made of the graph; not together with `asOf`. */
  asOfRevision?: number;
  /** What may not be named, and is otherwise not there. */
  closed?: Closed;
}

/**
 * Which conditions there are, without their values: the rewritten text, and whether there is one, depends on nothing
 * else.
 */
export interface Shape {
  graphs?: { default: boolean; named: boolean };
  certainty: boolean;
  since: boolean;
  asOf: 'time' | 'revision' | false;
  closed?: ClosedShape;
}

/** Whether predicates and classes are closed, and the names in the graph that a query may not use. */
interface ClosedShape {
  predicates: boolean;
  classes: boolean;
  labels: string[];
  types: string[];
}

/**
 * The parameters that carry the values; no parameter of a caller's is called so. One for each: Neo4j plans a member of
 * a map for longer.
 */
export const own = {
  tenant: cypher`$ownTenant`,
  certainty: cypher`$ownCertainty`,
  since: cypher`$ownSince`,
  graphs: cypher`$ownGraphs`,
  closedPredicates: cypher`$ownClosedPredicates`,
  closedClasses: cypher`$ownClosedClasses`,
  asOf: cypher`$ownAsOf`,
  past: cypher`$ownPast`,
};

export function shapeOf({ graphs, requiredCertainty, observedSince, asOf, asOfRevision, closed }: Conditions): Shape {
  return {
    ...(graphs && { graphs: { default: graphs.default, named: graphs.named.length > 0 } }),
    certainty: requiredCertainty !== undefined && requiredCertainty > 0,
    since: observedSince !== undefined,
    asOf: asOf !== undefined ? 'time' : asOfRevision !== undefined && 'revision',
    ...(closed && {
      closed: {
        predicates: closed.predicates.size > 0,
        classes: closed.classes.size > 0,
        labels: [...closed.labels.keys()],
        types: [...closed.types.keys()],
      },
    }),
  };
}

/** The values of the parameters. */
export function valuesOf(conditions: Conditions): Record<string, unknown> {
  const { graphs, requiredCertainty, observedSince, asOf, asOfRevision, closed } = conditions;
  return {
    ownTenant: conditions.tenant,
    ownPast: 'PAST',
    ...(graphs && { ownGraphs: graphs.named }),
    ...(requiredCertainty !== undefined && { ownCertainty: requiredCertainty }),
    ...(observedSince && { ownSince: dateTime(observedSince.getTime()) }),
    ...(asOf && { ownAsOf: dateTime(asOf.getTime()) }),
    ...(asOfRevision !== undefined && { ownAsOf: neo4j.int(asOfRevision) }),
    ...(closed && {
      ownClosedPredicates: [...closed.predicates.keys()],
      ownClosedClasses: [...closed.classes.keys()],
    }),
  };
}

/** Whether anything but the tenant limits what is read. */
export function isLimited(shape: Shape): boolean {
  return shape.closed !== undefined || !isProjectionRight(shape);
}

/**
 * Whether an entity's projected values are right as they are: what is closed takes either all values of a property
 * away, or none.
 */
export function isProjectionRight({ graphs, certainty, since, asOf }: Shape): boolean {
  return graphs === undefined && !certainty && !since && !asOf;
}

/**
 * Whether certainty is all that limits it: then an entity's projected value is the best that qualifies, if any does.
 */
export function isCertaintyOnly({ graphs, certainty, since, asOf }: Shape): boolean {
  return certainty && graphs === undefined && !since && !asOf;
}

/** A node is of the tenant. */
export const isOfTenant = (node: Part): Piece => cypher`${property(node, 'tenant')} = ${own.tenant}`;

/** What no pattern names is a node of the tenant's, and none of Concord's own. */
export const isThere = (node: Part): Piece =>
  cypher`${isOfTenant(node)} AND (${node}:${nameOf('Entity')}|${nameOf('Literal')})`;

/** The type of an edge that holds now is never the one of the past. */
export const isCurrent = (edge: Variable): Piece => cypher`type(${edge}) <> ${own.past}`;

/**
 * Where certainty is all that is asked, the entity itself tells whether the statement behind its projected property
 * qualifies.
 */
export function projectedQualifies(entity: Variable, name: string): Piece {
  return isCertain(entity, certaintyPropertyOf(name));
}

/** Where certainty is all that is asked, whether any statement about an entity qualifies. */
export function entityQualifies(entity: Variable): Piece {
  return isCertain(entity, highestCertainty);
}

const isCertain = (of: Part, name: string) => cypher`coalesce(${property(of, name)}, 1.0) >= ${own.certainty}`;

/** A point in a graph's history. */
export interface Moment {
  by: 'time' | 'revision';
  is: Piece;
}

/** The moment that the whole query reads as of; undefined where it reads what holds now. */
export function momentOf({ asOf }: Shape): Moment | undefined {
  return asOf ? { by: asOf, is: own.asOf } : undefined;
}

/**
 * What is a statement has an id; an edge that somebody has made by hand has none. It is true of every statement that a
 * pattern has found, and of nothing before.
 */
const isStated = (edge: Part): Piece => cypher`${property(edge, 'statementId')} IS NOT NULL`;

/**
 * What an edge must meet, whatever its type.
 * @param moment the one that it is read as of; undefined where it must hold now, which the pattern sees to
 */
export function edgeConditions(edge: Part, shape: Shape, moment = momentOf(shape)): Piece[] {
  const conditions: Piece[] = [isStated(edge)];
  // What is beyond 1, as nobody can say by Concord, is as little certain as a text.
  if (shape.certainty)
    conditions.push(isCertain(edge, 'certainty'), cypher`coalesce(${property(edge, 'certainty')}, 1.0) <= 1.0`);
  if (shape.since) conditions.push(cypher`${property(edge, 'observedAt')} >= ${own.since}`);
  if (shape.graphs) conditions.push(graphCondition(property(edge, 'graph'), shape.graphs));
  if (shape.closed?.predicates) conditions.push(cypher`NOT ${property(edge, 'predicate')} IN ${own.closedPredicates}`);
  if (shape.closed?.classes) {
    // By the class's IRI, so that it holds for a class as soon as there is an entity of it, whatever this replica knows
    // of its label.
    conditions.push(
      cypher`NOT coalesce(startNode(${edge}).${nameOf('type')} IN ${own.closedClasses}, false)`,
      cypher`NOT coalesce(endNode(${edge}).${nameOf('type')} IN ${own.closedClasses}, false)`,
    );
  }
  if (moment !== undefined) {
    const [made, ended] = moment.by === 'time' ? ['recordedAt', 'retractedAt'] : ['revision', 'retractedRevision'];
    conditions.push(
      cypher`${property(edge, made)} <= ${moment.is}`,
      metOrAbsent(cypher`${property(edge, ended)} > ${moment.is}`),
    );
  }
  return conditions;
}

/** A condition that needn't be met where there is no such property. An OR would cost Neo4j's planner more. */
const metOrAbsent = (condition: Piece) => cypher`coalesce(${condition}, true)`;

function graphCondition(graph: Piece, visible: { default: boolean; named: boolean }): Piece {
  const inDefault = cypher`${graph} IS NULL`;
  const inNamed = cypher`${graph} IN ${own.graphs}`;
  // Not by `metOrAbsent`: what can't be compared must stay hidden.
  if (visible.default && visible.named) return operation`${inDefault} OR ${inNamed}`;
  // Where no graph is visible, the list is empty; a plain `false` breaks Neo4j's planner in some places.
  return visible.default ? inDefault : inNamed;
}

/** An edge of one of these types as a pattern has it, with all that it must meet. */
export function typedEdge(edge: Variable, types: readonly string[], shape: Shape): { pattern: Piece; where: Piece[] } {
  const conditions = edgeConditions(edge, shape);
  const named = join((shape.asOf ? [...types, 'PAST'] : types).map(nameOf), cypher`|`);
  return {
    pattern: cypher`[${edge}:${named}]`,
    where: shape.asOf ? [wasOfType(edge, types), ...conditions] : conditions,
  };
}

/** The type of an edge; of a past one, the type that it had. */
export const realType = (edge: Variable): Piece =>
  cypher`coalesce(${property(edge, 'relationshipType')}, type(${edge}))`;

/** Of a current edge the pattern tells the type, of a past one its property. */
export function wasOfType(edge: Variable, types: readonly string[]): Piece {
  return metOrAbsent(cypher`${property(edge, 'relationshipType')} IN ${literal(types)}`);
}

/** An edge of whatever type. */
export function anyEdge(edge: Variable, shape: Shape): { pattern: Piece; where: Piece[] } {
  return {
    pattern: shape.asOf ? cypher`[${edge}]` : cypher`[${edge}:!${nameOf('PAST')}]`,
    where: edgeConditions(edge, shape),
  };
}
