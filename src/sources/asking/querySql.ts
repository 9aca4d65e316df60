import { sql } from 'kysely';
import { comparedFields } from '../../questions/answering/plan.ts';
import type { EntitySet, Measure, Order, Query } from '../../questions/query.ts';
import { labelOf } from '../../questions/reading/labels.ts';
import { conditionSql } from './conditionSql.ts';
import { type Alias, type Piece, Rows, textOf } from './rows.ts';
import { all, named, printed, type SqlDialect, type Statement } from './statement.ts';
import type { TableWords } from './tableWords.ts';

/** Columns that are shown of a row that has no name. */
const mostColumns = 8;

const functions: Record<Measure, Piece> = { sum: sql`sum`, average: sql`avg`, min: sql`min`, max: sql`max` };

/** Rows of a class, as a statement has them. */
interface Members {
  alias: Alias;
  from: Piece;
  where: Piece[];
}

/** The SQL of a typed query over the tables of a source. */
export function querySql(query: Query, words: TableWords, dialect: SqlDialect): Statement {
  return printed(new QuerySql(new Rows(words, dialect)).of(query), dialect);
}

class QuerySql {
  constructor(private readonly rows: Rows) {}

  of(query: Query): Piece {
    switch (query.kind) {
      case 'list':
        return this.list(query);
      case 'truth': {
        const members = this.part(query.set);
        return sql`SELECT EXISTS (SELECT 1 FROM ${members.from}${whereOf(members)}) AS ${named('answer')}`;
      }
      case 'count': {
        const members = this.part(query.set);
        return sql`SELECT count(*) AS ${named('count')} FROM ${members.from}${whereOf(members)}`;
      }
      case 'measure': {
        const members = this.part(query.set);
        const { measure, name } = this.measured(query.set.class, members.alias, query);
        return sql`SELECT ${measure} AS ${named(name)} FROM ${members.from}${whereOf(members)}`;
      }
      case 'groups':
        return this.groups(query);
    }
  }

  private list({ set, show }: Extract<Query, { kind: 'list' }>): Piece {
    const members = this.members(set);
    const columns = this.shown(set, show, members.alias).map(({ name, piece }) => sql`${piece} AS ${named(name)}`);
    const order = set.order && this.ordered(set, set.order, members);
    return sql`SELECT ${all(columns, sql`, `)} FROM ${members.from}${whereOf(members)}${order ?? sql``}`;
  }

  /** What tells a row apart, what it is called, and what is asked for or says why it is there; each once. */
  private shown(set: EntitySet, show: string[], alias: Alias): { name: string; piece: Piece }[] {
    const { class: of, order } = set;
    const { rows } = this;
    const definition = rows.definitionOf(of);
    const label = labelOf(definition);
    const key = rows.keyName(of);
    const counted = comparedFields(set).filter((name) => name.endsWith('Count'));
    const plain = definition.fields.filter(({ kind }) => kind === 'literal').slice(0, mostColumns);
    const names = [
      ...(label === undefined ? (show.length === 0 ? plain.map(({ name }) => name) : []) : [label]),
      ...show,
      ...comparedFields(set).filter((name) => !name.endsWith('Count')),
      ...(order?.by.kind === 'value' ? [order.by.field] : []),
    ];
    const numbers = [
      ...counted.map((each) => each.slice(0, -'Count'.length)),
      ...(order?.by.kind === 'count' ? [order.by.field] : []),
    ];
    const found = [
      ...(key === undefined ? [] : [{ name: key, piece: rows.key(of, alias) }]),
      ...names.map((each) => ({ name: rows.nameOf(of, each), piece: this.told(of, alias, each) })),
      ...numbers.map((each) => ({
        name: `${rows.nameOf(of, each)}_count`,
        piece: rows.linkCount(of, alias, each),
      })),
    ];
    return [...new Map(found.map((each) => [each.name, each])).values()];
  }

  /** A column, or what those are called that a link leads to. */
  private told(of: string, alias: Alias, field: string): Piece {
    const { rows } = this;
    if (!rows.isLink(of, field)) return rows.column(of, alias, field);
    const isList = rows.isList(of, field);
    return rows.atEnd(of, alias, field, (end) => {
      const called = this.called(rows.targetOf(of, field), end);
      if (!isList) return called;
      const text = textOf(called, rows.dialect);
      return rows.dialect === 'mysql'
        ? sql`group_concat(${text} ORDER BY ${text} SEPARATOR ${sql.lit(', ')})`
        : sql`string_agg(${text}, ${sql.lit(', ')} ORDER BY ${text})`;
    });
  }

  /** What a row is called, or else its key. */
  private called(of: string, alias: Alias): Piece {
    const label = labelOf(this.rows.definitionOf(of));
    if (label !== undefined) return this.rows.column(of, alias, label);
    if (!this.rows.hasKey(of)) throw new Error(`Rows of ${of} have neither a name nor a key`);
    return this.rows.key(of, alias);
  }

  private groups({ set, key, measure, order }: Extract<Query, { kind: 'groups' }>): Piece {
    const { rows } = this;
    const members = this.part(set);
    const isLink = rows.isLink(set.class, key);
    const { joins, end } = isLink ? rows.joined(set.class, members.alias, key) : { joins: sql``, end: members.alias };
    const target = isLink ? rows.targetOf(set.class, key) : set.class;
    const by = isLink ? this.called(target, end) : rows.column(set.class, members.alias, key);
    const parted = isLink && rows.hasKey(target) ? sql`${rows.key(target, end)}, ${by}` : by;
    const counted =
      measure.kind === 'count'
        ? { measure: sql`count(*)`, name: 'count' }
        : this.measured(set.class, members.alias, measure);
    const direction = order?.descending === false ? sql`ASC` : sql`DESC`;
    const part = order ? sql` LIMIT ${order.limit ?? 1} OFFSET ${order.offset}` : sql``;
    return sql`SELECT ${by} AS ${named(rows.nameOf(set.class, key))}, ${counted.measure} AS ${named(counted.name)}
FROM ${members.from} ${joins}${whereOf(members)}
GROUP BY ${parted} ORDER BY ${counted.measure} ${direction}, ${by}${part}`;
  }

  private measured(of: string, alias: Alias, { field, measure }: { field: string; measure: Measure }) {
    const name = `${measure}_${this.rows.nameOf(of, field)}`;
    return { measure: sql`${functions[measure]}(${this.rows.column(of, alias, field)})`, name };
  }

  /** The rows of a set; of the first of an order only these. */
  private part(set: EntitySet): Members {
    if (set.order?.limit === undefined) return this.members(set);
    const inner = this.members(set);
    const alias = this.rows.alias();
    const order = this.ordered(set, set.order, inner);
    const from = sql`(SELECT ${sql.id(inner.alias)}.* FROM ${inner.from}${whereOf(inner)}${order}) AS ${named(alias)}`;
    return { alias, from, where: [] };
  }

  /** The rows of a set without regard to its order. */
  private members({ class: of, where, from }: EntitySet): Members {
    const { rows } = this;
    const alias = rows.alias();
    const conditions = where ? [conditionSql(where, of, alias, rows)] : [];
    if (from) conditions.push(this.reached(from, alias));
    return { alias, from: rows.table(of, alias), where: conditions };
  }

  /** Whether a row is at the end of a link from a set. */
  private reached({ set, link }: NonNullable<EntitySet['from']>, alias: Alias): Piece {
    const before = this.part(set);
    const { joins, where } = this.rows.between(set.class, before.alias, link, alias);
    return sql`EXISTS (SELECT 1 FROM ${before.from}${joins} WHERE ${all([where, ...before.where], sql` AND `)})`;
  }

  /** What isn't known comes last. */
  private ordered({ class: of }: EntitySet, { by, descending, limit, offset }: Order, { alias }: Members): Piece {
    const value =
      by.kind === 'count' ? this.rows.linkCount(of, alias, by.field) : this.rows.column(of, alias, by.field);
    const unknown = by.kind === 'count' ? sql`` : sql`${value} IS NULL, `;
    const ties = this.rows.hasKey(of) ? sql`, ${this.rows.key(of, alias)}` : sql``;
    const part = limit === undefined ? sql`` : sql` LIMIT ${limit} OFFSET ${offset}`;
    return sql` ORDER BY ${unknown}${value} ${descending ? sql`DESC` : sql`ASC`}${ties}${part}`;
  }
}

function whereOf({ where }: Members): Piece {
  return where.length === 0 ? sql`` : sql` WHERE ${all(where, sql` AND `)}`;
}
