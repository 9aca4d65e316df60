import type { Scalar } from '../../../../src/vocabulary/vocabulary.ts';
import type { Random } from '../random.ts';
import type { Property, Terms } from './vocabularies.ts';
import { ids, values } from './world.ts';

/**
 * What a variable holds. Of equally short paths `shortestPath` takes any: only the length of a `shortest` is told. A
 * `value` is of the graph's data or of a type that isn't known.
 */
export type Holds =
  | 'node'
  | 'relationship'
  | 'path'
  | 'shortest'
  | 'nodes'
  | 'relationships'
  | 'value'
  | 'text'
  | 'number'
  | 'list'
  | 'map';
export type Variables = Map<string, Holds>;

/** Properties of literals as well: what they hold is of any type. */
const ofLiterals = new Set(['value', 'datatype', 'language']);

/** Text that some readers count, escape or end otherwise than others. */
export const oddTexts = [
  '😀',
  '𝒳y',
  '🇩🇪',
  'e\u0301',
  '\u200b',
  '\ufeff',
  '\r\n',
  '\u2028',
  '*/',
  '//',
  "'",
  '"',
  '\\',
  '$own.tenant',
  '$ownTenant',
  '__concord1',
  "' AS a UNION MATCH (s) RETURN s {.*} AS a //",
];

/** Names as a rewriter may give them, each with a number behind it. */
const oddNames = ['own', 'ownTenant', 'g', 'l', 'v1_', '__concord', '`😀', '`a b', '`é\u200b', '`$own.', "`'//"];

const quoted = (name: string, count: number) => (name.startsWith('`') ? `${name}${count}\`` : `${name}${count}`);

/** What the pieces of one random query share. */
export class Maker {
  readonly random: Random;
  readonly terms: Terms;
  /** Values that the query takes from outside. */
  readonly parameters: Record<string, unknown> = {};
  /** Neo4j lets a query have these, or `&`, `|` and `!`. */
  readonly colons: boolean;
  /** Whether names and values are of a kind that may confuse a rewriter, here and there. */
  private readonly odd: boolean;
  /** Whether something in it fails for some values. */
  fails = false;
  private made = 0;
  private left: number;

  /**
   * @param size how many pieces the query may have that hold others
   * @param colons whether labels stand as `:A:B`
   */
  constructor(random: Random, terms: Terms, size: number, colons: boolean, odd = true) {
    this.random = random;
    this.terms = terms;
    this.left = size;
    this.colons = colons;
    this.odd = odd;
  }

  name(): string {
    this.made += 1;
    return this.oddly(0.12) ? quoted(this.random.pick(oddNames), this.made) : `v${this.made}`;
  }

  oddly(probability: number): boolean {
    return this.odd && this.random.chance(probability);
  }

  /** A name for a column that begins like this. */
  column(name: string): string {
    return this.oddly(0.1) ? `\`${name}${this.random.pick(oddTexts)}\`` : name;
  }

  /** Nothing, or a comment. */
  comment(): string {
    if (!this.oddly(0.12)) return '';
    const text = this.random
      .pick(oddTexts)
      .replaceAll('*/', '')
      .repeat(1 + this.random.below(9));
    return this.random.chance(0.5) ? `/*${text}*/ ` : `//${text.replaceAll(/[\r\n\u2028]/g, '')}\n`;
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
    const given = typeof value === 'string' && this.oddly(0.05) ? this.random.pick(oddTexts) : value;
    if (this.random.chance(0.3)) {
      const count = Object.keys(this.parameters).length;
      const name = this.oddly(0.2) ? quoted(this.random.pick(oddNames), count) : `p${count}`;
      this.parameters[name.replaceAll('`', '')] = given;
      return `$${name}`;
    }
    return typeof given === 'string' ? literal(given, this.random.chance(0.2) ? '"' : "'") : String(given);
  }
}

function literal(text: string, quote: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`);
  return `${quote}${escaped.replaceAll('\r', '\\r')}${quote}`;
}
