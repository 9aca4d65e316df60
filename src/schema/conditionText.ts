/** Conditions on one value, as @neo4j/graphql's `StringScalarFilters` and their like have them. */
export type Condition = Readonly<Record<string, unknown>>;

/** A value that conditions are asked of, as Cypher. */
export interface Compared {
  /** What is null where there is no value. */
  raw: string;
  /** What is compared instead; absent: the same. */
  value?: string;
}

/** The parameters of a text, named in the order in which they come. */
export class Parameters {
  readonly values: Record<string, unknown> = {};

  /** Takes a value; gives its name with the `$`. */
  add(value: unknown): string {
    const name = `p${Object.keys(this.values).length}`;
    this.values[name] = value;
    return `$${name}`;
  }
}

const operators: Record<string, string> = {
  eq: '=',
  in: 'IN',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  contains: 'CONTAINS',
  startsWith: 'STARTS WITH',
  endsWith: 'ENDS WITH',
};

/**
 * Conditions on one value as Cypher, each whole in itself: all of them hold. As in @neo4j/graphql, what is compared
 * with null asks for what is absent.
 */
export function conditionTexts(condition: Condition, { raw, value = raw }: Compared, parameters: Parameters): string[] {
  return texts(condition, raw, (name, given) => `${value} ${operators[name]} ${parameters.add(given)}`).concat(
    texts(insensitive(condition), raw, (name, given) => {
      const parameter = parameters.add(given);
      const lower = name === 'in' ? `[each IN ${parameter} | toLower(each)]` : `toLower(${parameter})`;
      return `toLower(${value}) ${operators[name]} ${lower}`;
    }),
  );
}

const insensitive = ({ caseInsensitive }: Condition) => (caseInsensitive ?? {}) as Condition;

function texts(condition: Condition, raw: string, text: (name: string, given: unknown) => string): string[] {
  const compared = Object.entries(condition).filter(([name]) => name in operators);
  return compared.map(([name, given]) => (given === null ? `${raw} IS NULL` : text(name, given)));
}
