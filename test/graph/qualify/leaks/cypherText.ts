import type { Scalar } from '../../../../src/vocabulary/vocabulary.ts';
import type { Random } from '../random.ts';
import type { Property, Terms } from './vocabularies.ts';
import { ids, values } from './world.ts';

/**
 * What a variable holds. Of equally short paths `shortestPath` takes any: only the length of a `shortest` is told. A `value` is of the graph's
 * data or of a type that isn't known.
 */
export type Holds =
  | 'node'
  | 'relationship'
  | 'path'
  | 'shortest'
  | 'relationships'
  | 'value'
  | 'text'
  | 'number'
  | 'list'
  | 'map';
export type Variables = Map<string, Holds>;

/** Properties of literals as well: what they hold is of any type. */
const ofLiterals = new Set(['value', 'datatype', 'language']);

/** What the pieces of one random query share. */
export class Maker {
  readonly random: Random;
  readonly terms: Terms;
  /** Values that the query takes from outside. */
  readonly parameters: Record<string, unknown> = {};
  /** Neo4j lets a query have these, or `&`, `|` and `!`. */
  readonly colons: boolean;
  private made = 0;
  private left: number;

  /**
   * @param size how many pieces the query may have that hold others
   * @param colons whether labels stand as `:A:B`
   */
  constructor(random: Random, terms: Terms, size: number, colons: boolean) {
    this.random = random;
    this.terms = terms;
    this.left = size;
    this.colons = colons;
  }

  name(): string {
    this.made += 1;
    return `v${this.made}`;
  }

  /** Whether there may be another piece that holds others, with this probability. */
  more(probability: number): boolean {
    if (this.left <= 0 || !this.random.chance(probability)) return false;
    this.left -= 1;
    return true;
  }

  of(variables: Variables, holds: Holds): string[] {
    return [...variables].filter(([, each]) => each === holds).map(([name]) => name);
  }

  type(): string {
    return this.random.pick(this.random.chance(0.6) ? this.terms.links : this.terms.types);
  }

  label(): string {
    return this.random.pick(this.terms.labels);
  }

  /** Properties of entities that hold one value of one of these scalars, or none. */
  property(scalars: Scalar[], list = false): string | undefined {
    const fitting = this.terms.properties.filter(
      (each) => scalars.includes(each.scalar) && each.list === list && !ofLiterals.has(each.text),
    );
    return fitting.length > 0 ? this.random.pick(fitting).text : undefined;
  }

  anyProperty(): Property {
    return this.random.pick(this.terms.properties);
  }

  id(): string {
    return this.given(this.random.pick(ids));
  }

  /** A value that the property may have. */
  valueOf({ scalar }: Pick<Property, 'scalar'>): string {
    const value = this.random.pick(values[scalar]);
    if (scalar === 'Date') return "date('2001-02-03')";
    if (scalar === 'DateTime') return "datetime('2024-01-02T03:04:05Z')";
    return this.given(value);
  }

  /** A literal or a parameter. */
  given(value: string | number | boolean): string {
    if (this.random.chance(0.3)) {
      const name = `p${Object.keys(this.parameters).length}`;
      this.parameters[name] = value;
      return `$${name}`;
    }
    return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value);
  }
}
