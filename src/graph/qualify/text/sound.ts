import type { Scalar } from '../../../vocabulary/vocabulary.ts';
import { isInt, ofLiterals, type ProjectedField } from './literals.ts';
import { cypher, literal, operation, type Part, type Piece } from './piece.ts';

/*
 * Somebody who edits the graph past Concord can write any value anywhere. What isn't of its property's type is nothing
 * to a query: it would fail a function, and be shown as what it isn't.
 */

/** Whether a value is of the type that its property has. */
export type Test = (value: Part) => Piece;

/** What the projected property of an entity must be; undefined where nothing is known of it. */
export function testOfField(name: string, field: ProjectedField | undefined): Test | undefined {
  if (field === undefined || ofLiterals.has(name)) return undefined;
  return field.list ? lists[field.scalar] : values[field.scalar];
}

/** What the property of a statement's edge must be. */
export function testOfEdge(name: string): Test | undefined {
  return edges.get(name);
}

/** The property as it is where it is of its type, else null. */
export function soundly(raw: Part, test: Test): Piece {
  return operation`CASE WHEN ${test(raw)} THEN ${raw} END`;
}

const isText: Test = (value) => cypher`${value} IS :: STRING NOT NULL`;
const isTime: Test = (value) => cypher`${value} IS :: ZONED DATETIME NOT NULL`;
const isInteger: Test = (value) => cypher`${value} IS :: INTEGER NOT NULL`;

const values: Record<Scalar, Test> = {
  String: isText,
  ID: isText,
  Boolean: (value) => cypher`${value} IS :: BOOLEAN NOT NULL`,
  Int: isInt,
  // Only a number is comparable with these, and what is none or infinite isn't between them.
  Float: (value) => cypher`${literal(-Number.MAX_VALUE)} <= ${value} AND ${value} <= ${literal(Number.MAX_VALUE)}`,
  DateTime: isTime,
  Date: (value) => cypher`${value} IS :: DATE NOT NULL`,
};

const isTexts: Test = (value) => cypher`${value} IS :: LIST<STRING NOT NULL> NOT NULL`;

const lists: Record<Scalar, Test> = {
  String: isTexts,
  ID: isTexts,
  Boolean: (value) => cypher`${value} IS :: LIST<BOOLEAN NOT NULL> NOT NULL`,
  Int: (value) => cypher`${value} IS :: LIST<INTEGER NOT NULL> NOT NULL`,
  // Neo4j 5.26 takes no list that is stored for one of either.
  Float: (value) =>
    operation`${value} IS :: LIST<FLOAT NOT NULL> NOT NULL OR ${value} IS :: LIST<INTEGER NOT NULL> NOT NULL`,
  DateTime: (value) => cypher`${value} IS :: LIST<ZONED DATETIME NOT NULL> NOT NULL`,
  Date: (value) => cypher`${value} IS :: LIST<DATE NOT NULL> NOT NULL`,
};

const edges = new Map<string, Test>([
  ['certainty', (value) => cypher`0 <= ${value} AND ${value} <= 1.0`],
  ['observedAt', isTime],
  ['recordedAt', isTime],
  ['retractedAt', isTime],
  ['revision', isInteger],
  ...'statementId predicate graph provenance sourceAgentId taskId updateId'
    .split(' ')
    .map((name): [string, Test] => [name, isText]),
  ['sources', isTexts],
  ['sourceDetails', isTexts],
]);
