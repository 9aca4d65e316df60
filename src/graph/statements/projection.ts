import neo4j from 'neo4j-driver';
import type { LiteralField, Scalar } from '../../vocabulary/vocabulary.ts';
import { fits } from '../../wire/fieldValues.ts';
import { certaintyPropertyOf } from '../names/names.ts';
import { isLiteral } from './statement.ts';
import type { CurrentStatement } from './statementReader.ts';
import { dateTime, type Neo4jValue } from './values.ts';

/** What of a statement decides whether it is shown. */
type Ranked = Pick<CurrentStatement, 'id' | 'statement' | 'observedAt'>;

/**
 * The properties of an entity that show the current statements of one predicate: the projected one and, of a single
 * value, the certainty of its statement where that is below 1. Queries that require certainty ask for it instead of the
 * statements.
 * @returns null for a property that there isn't
 */
export function projectedProperties(
  property: string,
  field: LiteralField,
  statements: Ranked[],
): Record<string, Neo4jValue | Neo4jValue[] | null> {
  const value = projectionOf(field, statements);
  if (field.list) return { [property]: value };
  const certainties = statements
    .filter(({ statement: { object } }) => isLiteral(object) && asScalar(field.scalar, object.value) !== undefined)
    .map(({ statement }) => statement.certainty ?? 1);
  const best = Math.max(...certainties);
  return { [property]: value, [certaintyPropertyOf(property)]: value === null || best >= 1 ? null : best };
}

/**
 * What an entity's property shows of the current statements of one predicate (DESIGN, "Graph model", Projection): the
 * value of the best one, or of all in a list field, best first. A value that doesn't fit the field isn't shown.
 * @returns null where nothing is to be shown
 */
export function projectionOf(field: LiteralField, statements: Ranked[]): Neo4jValue | Neo4jValue[] | null {
  const values = [...statements].sort(byRank).flatMap(({ statement: { object } }) => {
    const value = isLiteral(object) ? asScalar(field.scalar, object.value) : undefined;
    return value === undefined ? [] : [value];
  });
  if (!field.list) return values[0] ?? null;
  return values.length > 0 ? [...new Map(values.map((value) => [String(value), value])).values()] : null;
}

/** Highest certainty, then newest observation, then statement id, so that every replica ranks alike. */
function byRank(one: Ranked, other: Ranked): number {
  return (
    (other.statement.certainty ?? 1) - (one.statement.certainty ?? 1) ||
    other.observedAt - one.observedAt ||
    (one.id < other.id ? -1 : 1)
  );
}

/**
 * The value as a Neo4j value of the field's type, or undefined if it doesn't fit. The rule `literal-type` draws the
 * same lines.
 */
function asScalar(scalar: Scalar, value: string | number | boolean): Neo4jValue | undefined {
  if (!fits(scalar, value)) return undefined;
  switch (scalar) {
    case 'Int':
      return neo4j.int(Number(value));
    case 'DateTime':
      return dateTime(Date.parse(String(value)));
    case 'Date':
      return neo4j.types.Date.fromStandardDate(new Date(`${value}T12:00:00`));
    default:
      return value;
  }
}
