import neo4j from 'neo4j-driver';
import { RefusedCypher } from './grammar/refusedCypher.ts';
import type { PageAsked } from './paging/keyset.ts';
import type { GivenParameter, QualifiedText, Written } from './qualifiedText.ts';
import { type Conditions, shapeOf, valuesOf } from './text/conditions.ts';

export { RefusedCypher } from './grammar/refusedCypher.ts';
export type { GroupOrder, GroupsAsked, Measure } from './paging/groups.ts';
export type { PageAsked } from './paging/keyset.ts';
export type { Conditions } from './text/conditions.ts';
export { type ProjectedField, projectedFieldsOf } from './text/literals.ts';

/** A query that reads only what qualifies; its columns have other names in its text. */
export interface Qualified extends Pick<QualifiedText, 'cypher' | 'columns' | 'consulted' | 'usesIndex'> {
  /**
   * The parameters to run it with.
   * @param given the caller's
   * @throws RefusedCypher where one is missing, or must be a list and isn't
   */
  parametersFor(given?: Readonly<Record<string, unknown>>): Record<string, unknown>;
}

/** A text with what decides on what becomes of it. */
export function writtenFor(
  cypher: string,
  conditions: Conditions,
  consults: boolean,
  isOwn: boolean,
  page?: PageAsked,
): Written {
  const { closed } = conditions;
  return { cypher, shape: shapeOf(conditions), ...(closed && { closed }), consults, isOwn, ...(page && { page }) };
}

export function withValues(text: QualifiedText, conditions: Conditions): Qualified {
  const { cypher, columns, consulted, usesIndex, literals, given } = text;
  return {
    cypher,
    columns,
    consulted,
    usesIndex,
    parametersFor: (values = {}) => ({
      ...Object.fromEntries(Object.entries(literals).map(([name, value]) => [name, forNeo4j(value)])),
      ...givenValues(given, values),
      ...valuesOf(conditions),
    }),
  };
}

const forNeo4j = (value: unknown) => (typeof value === 'bigint' ? neo4j.int(value) : value);

function givenValues(
  given: ReadonlyMap<string, GivenParameter>,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    [...given].map(([printed, { name, isList, position }]) => {
      if (!Object.hasOwn(values, name)) throw new RefusedCypher(`the parameter $${name}, which is not given`, position);
      const value = values[name] ?? null;
      if (isList && value !== null && !Array.isArray(value))
        throw new RefusedCypher(`the parameter $${name} as a list, which it is not`, position);
      return [printed, value];
    }),
  );
}
