import { sql } from 'kysely';
import type { Scalar } from '../../vocabulary/vocabulary.ts';
import { all, named, type Piece, type SqlDialect } from './statement.ts';
import type { FieldSource, PathStep, TableClass, TableWords } from './tableWords.ts';

export type { Piece } from './statement.ts';

/** What rows of one table are called in a statement. */
export type Alias = string;

/** Rows of tables in one statement: their aliases, columns, and the ways from the ones to others. */
export class Rows {
  private last = 0;

  constructor(
    private readonly words: TableWords,
    readonly dialect: SqlDialect,
  ) {}

  alias(): Alias {
    this.last += 1;
    return `t${this.last}`;
  }

  table(of: string, alias: Alias): Piece {
    return this.named(this.classOf(of).table.path, alias);
  }

  key(of: string, alias: Alias): Piece {
    const { key } = this.classOf(of);
    if (key === undefined) throw new Error(`Rows of ${of} have no key`);
    return named(alias, key);
  }

  hasKey(of: string): boolean {
    return this.classOf(of).key !== undefined;
  }

  keyName(of: string): string | undefined {
    return this.classOf(of).key;
  }

  column(of: string, alias: Alias, field: string): Piece {
    const source = this.sourceOf(of, field);
    if (source.kind === 'column') return named(alias, source.column);
    if (source.kind === 'path') throw new Error(`${field} is a link`);
    return sql`concat_ws(${sql.lit(' ')}, ${all(
      source.columns.map((each) => named(alias, each)),
      sql`, `,
    )})`;
  }

  /** What a field is called in an answer: as its column, where it is one. */
  nameOf(of: string, field: string): string {
    const source = this.sourceOf(of, field);
    return source.kind === 'column' ? source.column : field.replaceAll(' ', '_');
  }

  scalar(of: string, field: string): Scalar {
    const found = this.definitionOf(of).fields.find(({ name }) => name === field);
    if (found?.kind !== 'literal') throw new Error(`${of} has no column for ${field}`);
    return found.scalar;
  }

  isLink(of: string, field: string): boolean {
    return this.sourceOf(of, field).kind === 'path';
  }

  isList(of: string, field: string): boolean {
    const found = this.definitionOf(of).fields.find(({ name }) => name === field);
    return found?.kind === 'inverse' || (found?.kind === 'link' && found.list);
  }

  targetOf(of: string, field: string): string {
    const found = this.definitionOf(of).fields.find(({ name }) => name === field);
    if (found === undefined || found.kind === 'literal') throw new Error(`${field} is no link`);
    return found.target;
  }

  definitionOf(of: string) {
    const found = this.words.vocabulary.classes.find(({ name }) => name === of);
    if (!found) throw new Error(`There is no class ${of}`);
    return found;
  }

  /** Whether there is a row at the end of a link, that meets a condition. */
  linked(of: string, alias: Alias, field: string, meets?: (end: Alias) => Piece): Piece {
    const { from, where, end } = this.way(of, alias, field);
    const also = meets ? sql` AND ${meets(end)}` : sql``;
    return sql`EXISTS (SELECT 1 FROM ${from} WHERE ${where}${also})`;
  }

  linkCount(of: string, alias: Alias, field: string): Piece {
    const { from, where } = this.way(of, alias, field);
    return sql`(SELECT count(*) FROM ${from} WHERE ${where})`;
  }

  /** What stands at the end of a link, once or in a list. */
  atEnd(of: string, alias: Alias, field: string, what: (end: Alias) => Piece): Piece {
    const { from, where, end } = this.way(of, alias, field);
    return sql`(SELECT ${what(end)} FROM ${from} WHERE ${where})`;
  }

  /** The tables along a link, and what joins them; the first to the rows of `alias`, by `where`. */
  way(of: string, alias: Alias, field: string): { from: Piece; where: Piece; end: Alias } {
    const [first, ...further] = this.stepsOf(of, field);
    if (!first) throw new Error(`${field} leads nowhere`);
    let end = this.alias();
    let from = this.named(first.table, end);
    const where = on(first, alias, end);
    for (const step of further) {
      const next = this.alias();
      from = sql`${from} JOIN ${this.named(step.table, next)} ON ${on(step, end, next)}`;
      end = next;
    }
    return { from, where, end };
  }

  /** What joins the rows of `alias` to those of `end`, at the end of a link: tables between them, and a condition. */
  between(of: string, alias: Alias, field: string, end: Alias): { joins: Piece; where: Piece } {
    const steps = this.stepsOf(of, field);
    const joins: Piece[] = [];
    let at = alias;
    for (const step of steps.slice(0, -1)) {
      const next = this.alias();
      joins.push(sql` JOIN ${this.named(step.table, next)} ON ${on(step, at, next)}`);
      at = next;
    }
    const last = steps.at(-1);
    if (!last) throw new Error(`${field} leads nowhere`);
    return { joins: all(joins, sql``), where: on(last, at, end) };
  }

  /** Joins the rows at the end of a link to those of `alias`. */
  joined(of: string, alias: Alias, field: string): { joins: Piece; end: Alias } {
    let end = alias;
    const joins = this.stepsOf(of, field).map((step) => {
      const next = this.alias();
      const join = sql`JOIN ${this.named(step.table, next)} ON ${on(step, end, next)}`;
      end = next;
      return join;
    });
    return { joins: all(joins, sql` `), end };
  }

  number(value: number): Piece {
    return parameter('Float', value, this.dialect);
  }

  private stepsOf(of: string, field: string): PathStep[] {
    const source = this.sourceOf(of, field);
    if (source.kind !== 'path') throw new Error(`${field} is no link`);
    return source.steps;
  }

  private sourceOf(of: string, field: string): FieldSource {
    const found = this.classOf(of).fields.get(field);
    if (!found) throw new Error(`${of} has no field ${field}`);
    return found;
  }

  private classOf(of: string): TableClass {
    const found = this.words.classes.get(of);
    if (!found) throw new Error(`There is no class ${of}`);
    return found;
  }

  private named([schema, name]: [string, string], alias: Alias): Piece {
    return sql`${named(schema, name)} AS ${named(alias)}`;
  }
}

function on(step: PathStep, before: Alias, here: Alias): Piece {
  return all(
    step.on.map((each) => sql`${named(here, each.here)} = ${named(before, each.before)}`),
    sql` AND `,
  );
}

/** A column of any type as a text, as the database compares its texts. */
export function textOf(column: Piece, dialect: SqlDialect): Piece {
  return dialect === 'mysql' ? column : sql`CAST(${column} AS text)`;
}

const types: Partial<Record<Scalar, Piece>> = {
  Int: sql`numeric`,
  Float: sql`numeric`,
  Date: sql`date`,
  DateTime: sql`timestamp`,
};

/** A value as what it is compared with: of a parameter alone PostgreSQL would take the type of the column. */
export function parameter(scalar: Scalar, value: string | number | boolean, dialect: SqlDialect): Piece {
  const type = types[scalar];
  return dialect === 'postgresql' && type ? sql`CAST(${value} AS ${type})` : sql`${value}`;
}
