/*
 * The tree that becomes the text of a query. Its text stands in templates of Concord's own source; what comes from a
 * caller is a variable, a parameter, a literal or a name, none of which holds text that is sent as it was written.
 * `printer.ts` makes the text.
 */

/** A variable. Each binding has one of its own, so that no name can be taken for another. */
export class Variable {
  readonly is = 'variable';
}

/** A parameter of the caller's. */
interface Given {
  is: 'given';
  name: string;
}

/**
 * A value that was written in the query, or that Concord compares with: it travels as a parameter. Whole numbers are
 * `bigint`.
 */
export interface Literal {
  is: 'literal';
  value: string | number | bigint | readonly string[];
}

/** A label, a relationship type, a property or the key of a map: letters, digits and underscores. */
export interface Name {
  is: 'name';
  name: string;
}

/** A whole number from 0 that the grammar wants in the text. */
interface Count {
  is: 'count';
  count: number;
}

/** Text of Concord's own with what stands in it. Nothing but this file makes one. */
class TextPiece {
  readonly is = 'piece';

  constructor(
    readonly texts: readonly string[],
    readonly parts: readonly Part[],
  ) {}
}

export type Piece = TextPiece;
export type Part = Piece | Variable | Given | Literal | Name | Count;

/** A template of Cypher. */
export function cypher(template: TemplateStringsArray, ...parts: Part[]): Piece {
  // A template's texts are in the source; an array that was made while running has no `raw`, and isn't frozen.
  if (!Object.isFrozen(template) || !Object.isFrozen(template.raw)) throw new Error('Cypher is made of templates only');
  return new TextPiece(template, parts);
}

/** The same in parentheses: an operation, which may stand wherever a value may. */
export function operation(template: TemplateStringsArray, ...parts: Part[]): Piece {
  return cypher`(${cypher(template, ...parts)})`;
}

export const nothing = cypher``;

/** The pieces one after another. */
export function join(parts: readonly Part[], separator = nothing): Piece {
  return new TextPiece(
    Array.from({ length: parts.length + 1 }, () => ''),
    parts.map((part, index) => (index === 0 ? part : cypher`${separator}${part}`)),
  );
}

const comma = cypher`, `;

export function list(parts: readonly Part[]): Piece {
  return join(parts, comma);
}

/** All conditions at once; the conditions are whole in themselves. */
export function all(conditions: readonly Part[]): Piece {
  return join(conditions, cypher` AND `);
}

export const collect = cypher`COLLECT`;
export const counting = cypher`COUNT`;
export const exists = cypher`EXISTS`;
/** The beginning of a pattern comprehension. */
export const comprehending = cypher`[`;

/** The beginning of a choice among values that have been fetched. */
export const among = cypher`[`;

/** Whether a sub-query that collects or counts stands in it, or what one has fetched. */
export const holdsCollection = finder([collect, counting, among]);
/** Whether any sub-query of the caller's or of a value stands in it. */
export const holdsSubquery = finder([collect, counting, among, exists, comprehending]);

function finder(wanted: readonly Piece[]): (part: Part) => boolean {
  const found = new WeakMap<Piece, boolean>(wanted.map((each) => [each, true]));
  return function holds(part) {
    if (part.is !== 'piece') return false;
    const known = found.get(part) ?? part.parts.some(holds);
    found.set(part, known);
    return known;
  };
}

export const literal = (value: Literal['value']): Literal => ({ is: 'literal', value });

export const nameOf = (name: string): Name => ({ is: 'name', name });

export const count = (value: number): Count => ({ is: 'count', count: value });

/** A property of a variable, or of what stands in parentheses. */
export const property = (of: Part, name: string): Piece => cypher`${of}.${nameOf(name)}`;

const signs = {
  EQ: '=',
  NEQ: '<>',
  LE: '<=',
  GE: '>=',
  LT: '<',
  GT: '>',
  PLUS: '+',
  MINUS: '-',
  TIMES: '*',
  DIVIDE: '/',
  PERCENT: '%',
  POW: '^',
  DOUBLEBAR: '||',
  REGEQ: '=~',
  COLONCOLON: '::',
  TYPED: '::',
  EXCLAMATION_MARK: '!',
  BAR: '|',
};

const words = `
  AND OR XOR NOT IN IS NULL STARTS ENDS WITH CONTAINS NORMALIZED NFC NFD NFKC NFKD TRUE FALSE
  NOTHING BOOL BOOLEAN VARCHAR STRING INT SIGNED INTEGER INTEGER64 INT64 FLOAT FLOAT64 DATE LOCAL TIME DATETIME ZONED WITHOUT TIMEZONE ZONE
  TIMESTAMP DURATION POINT NODE VERTEX RELATIONSHIP EDGE MAP LIST ARRAY PATH PATHS PROPERTY VALUE ANY ALL NONE SINGLE BOTH LEADING TRAILING
  ASC ASCENDING DESC DESCENDING`;

/** Keywords and signs, by what the lexer calls them. */
export const keywords: ReadonlyMap<string, Piece> = new Map(
  [
    ...Object.entries(signs),
    ...words
      .trim()
      .split(/\s+/)
      .map((word) => [word, word]),
  ].map(([name = '', text = '']) => [name, new TextPiece([text], [])]),
);

/** Pieces by names that stand in Concord's source, such as those of functions. */
export function constants(template: TemplateStringsArray): ReadonlyMap<string, Piece> {
  const names = cypher(template).texts.join('').trim().split(/\s+/);
  return new Map(names.map((name) => [name.toLowerCase(), new TextPiece([name], [])]));
}
