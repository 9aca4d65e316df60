import neo4j from 'neo4j-driver';
import type { Closed } from '../closed.ts';
import { certaintyPropertyOf, highestCertainty } from '../names.ts';
import { dateTime } from '../values.ts';

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

/** Which conditions there are, without their values: the rewritten text, and whether there is one, depends on nothing else. */
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

/** The one parameter that carries the values. */
export const parameter = '__concord';

/** What the variables begin with that a rewritten query adds. */
export const prefix = '__concord';

export const tenant = `$${parameter}.tenant`;

export function shapeOf({
  graphs,
  requiredCertainty,
  observedSince,
  asOf,
  asOfRevision,
  closed,
}: Conditions): Shape {
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

/** The value of the parameter. */
export function valuesOf(conditions: Conditions): Record<string, unknown> {
  const { graphs, requiredCertainty, observedSince, asOf, asOfRevision, closed } = conditions;
  return {
    tenant: conditions.tenant,
    ...(graphs && { graphs: graphs.named }),
    ...(requiredCertainty !== undefined && { certainty: requiredCertainty }),
    ...(observedSince && { since: dateTime(observedSince.getTime()) }),
    ...(asOf && { asOf: dateTime(asOf.getTime()) }),
    ...(asOfRevision !== undefined && { asOf: neo4j.int(asOfRevision) }),
    ...(closed && {
      closedPredicates: [...closed.predicates.keys()],
      closedClasses: [...closed.classes.keys()],
    }),
  };
}

/** Whether anything but the tenant limits what is read. */
export function isLimited(shape: Shape): boolean {
  return shape.closed !== undefined || !isProjectionRight(shape);
}

/** Whether an entity's projected values are right as they are: what is closed takes either all values of a property away, or none. */
export function isProjectionRight({ graphs, certainty, since, asOf }: Shape): boolean {
  return graphs === undefined && !certainty && !since && !asOf;
}

/** Whether certainty is all that limits it: then an entity's projected value is the best that qualifies, if any does. */
export function isCertaintyOnly({ graphs, certainty, since, asOf }: Shape): boolean {
  return certainty && graphs === undefined && !since && !asOf;
}

/**
 * Where certainty is all that is asked, the entity itself tells whether the statement behind its projected property qualifies.
 * @param entity a variable, or an expression that gives an entity
 */
export function projectedQualifies(entity: string, property: string): string {
  return isCertain(entity, certaintyPropertyOf(property));
}

/** Where certainty is all that is asked, whether any statement about an entity qualifies. */
export function entityQualifies(entity: string): string {
  return isCertain(entity, highestCertainty);
}

const isCertain = (entity: string, property: string) =>
  `coalesce(${entity}.\`${property}\`, 1.0) >= $${parameter}.certainty`;

/** A point in a graph's history. */
export interface Moment {
  by: 'time' | 'revision';
  /** Cypher that gives it. */
  text: string;
}

/** The moment that the whole query reads as of; undefined where it reads what holds now. */
export function momentOf({ asOf }: Shape): Moment | undefined {
  return asOf ? { by: asOf, text: `$${parameter}.asOf` } : undefined;
}

/**
 * What an edge must meet, whatever its type.
 * @param moment the one that it is read as of; undefined where it must hold now, which the pattern sees to
 */
export function edgeConditions(edge: string, shape: Shape, moment = momentOf(shape)): string[] {
  const conditions: string[] = [];
  if (shape.certainty) conditions.push(`coalesce(${edge}.certainty, 1.0) >= $${parameter}.certainty`);
  if (shape.since) conditions.push(`${edge}.observedAt >= $${parameter}.since`);
  if (shape.graphs) conditions.push(graphCondition(edge, shape.graphs));
  if (shape.closed?.predicates) conditions.push(`NOT ${edge}.predicate IN $${parameter}.closedPredicates`);
  if (shape.closed?.classes) {
    // By the class's IRI, so that it holds for a class as soon as there is an entity of it, whatever this replica knows of its label.
    conditions.push(
      `NOT coalesce(startNode(${edge}).type, '') IN $${parameter}.closedClasses`,
      `NOT coalesce(endNode(${edge}).type, '') IN $${parameter}.closedClasses`,
    );
  }
  if (moment !== undefined) {
    const [made, ended] =
      moment.by === 'time' ? ['recordedAt', 'retractedAt'] : ['revision', 'retractedRevision'];
    conditions.push(
      `${edge}.${made} <= ${moment.text}`,
      `(${edge}.${ended} IS NULL OR ${edge}.${ended} > ${moment.text})`,
    );
  }
  return conditions;
}

function graphCondition(edge: string, graphs: { default: boolean; named: boolean }): string {
  const inDefault = `${edge}.graph IS NULL`;
  const inNamed = `${edge}.graph IN $${parameter}.graphs`;
  if (graphs.default && graphs.named) return `(${inDefault} OR ${inNamed})`;
  // Where no graph is visible, the list is empty; a plain `false` breaks Neo4j's planner in some places.
  return graphs.default ? inDefault : inNamed;
}

/** An edge of one type as a pattern has it, with all that it must meet. */
export function typedEdge(edge: string, type: string, shape: Shape): { pattern: string; where: string[] } {
  const conditions = edgeConditions(edge, shape);
  if (!shape.asOf) return { pattern: `[${edge}:\`${type}\`]`, where: conditions };
  const ofType = `(${edge}.relationshipType IS NULL OR ${edge}.relationshipType = '${type}')`;
  return { pattern: `[${edge}:\`${type}\`|PAST]`, where: [ofType, ...conditions] };
}

/** An edge of whatever type. */
export function anyEdge(edge: string, shape: Shape): { pattern: string; where: string[] } {
  return { pattern: shape.asOf ? `[${edge}]` : `[${edge}:!PAST]`, where: edgeConditions(edge, shape) };
}
