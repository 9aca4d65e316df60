import { sql } from 'kysely';
import type { Comparison, Condition, ValueOf } from '../../questions/query.ts';
import { type Alias, type Piece, parameter, type Rows, textOf } from './rows.ts';
import { all } from './statement.ts';

const signs = {
  eq: sql`=`,
  gt: sql`>`,
  gte: sql`>=`,
  lt: sql`<`,
  lte: sql`<=`,
} as const;

/** What must hold for a row of a class's table, by its alias. What isn't known is neither so nor not so. */
export function conditionSql(condition: Condition, of: string, alias: Alias, rows: Rows): Piece {
  const inner = (each: Condition) => conditionSql(each, of, alias, rows);
  switch (condition.kind) {
    case 'is':
      return condition.ids.length === 0 ? sql`1 = 0` : sql`${rows.key(of, alias)} IN (${sql.join(condition.ids)})`;
    case 'known':
      return rows.isLink(of, condition.field)
        ? rows.linked(of, alias, condition.field)
        : sql`${rows.column(of, alias, condition.field)} IS NOT NULL`;
    case 'link': {
      const target = rows.targetOf(of, condition.field);
      return rows.linked(of, alias, condition.field, (end) => conditionSql(condition.of, target, end, rows));
    }
    case 'compare':
      return compared(condition, of, alias, rows);
    case 'count': {
      const number = rows.linkCount(of, alias, condition.field);
      const other =
        typeof condition.value === 'object'
          ? ofOther(condition.value, rows, (end) => rows.linkCount(of, end, condition.field))
          : rows.number(condition.value);
      return sql`${number} ${signOf(condition.op)} ${other}`;
    }
    case 'not':
      return sql`NOT (${inner(condition.of)})`;
    default:
      return sql`(${all(condition.of.map(inner), condition.kind === 'and' ? sql` AND ` : sql` OR `)})`;
  }
}

function compared(
  { field, op, value }: Extract<Condition, { kind: 'compare' }>,
  of: string,
  alias: Alias,
  rows: Rows,
): Piece {
  const scalar = rows.scalar(of, field);
  const column = rows.column(of, alias, field);
  if (typeof value === 'object')
    return sql`${column} ${signOf(op)} ${ofOther(value, rows, (end) => rows.column(of, end, field))}`;
  if (op === 'contains' || op === 'startsWith' || op === 'endsWith')
    return sql`lower(${textOf(column, rows.dialect)}) LIKE ${patternOf(op, String(value))}`;
  if (scalar === 'String' || scalar === 'ID')
    return sql`${textOf(column, rows.dialect)} ${signOf(op)} ${parameter('String', value, rows.dialect)}`;
  return sql`${column} ${signOf(op)} ${parameter(scalar, value, rows.dialect)}`;
}

/** What another row of the class has. */
function ofOther({ class: of, id }: ValueOf, rows: Rows, what: (alias: Alias) => Piece): Piece {
  const other = rows.alias();
  return sql`(SELECT ${what(other)} FROM ${rows.table(of, other)} WHERE ${rows.key(of, other)} = ${id})`;
}

function signOf(op: Comparison): Piece {
  if (op === 'contains' || op === 'startsWith' || op === 'endsWith') throw new Error(`${op} is of texts`);
  return signs[op];
}

function patternOf(op: 'contains' | 'startsWith' | 'endsWith', value: string): string {
  const plain = value.toLowerCase().replace(/[\\%_]/g, '\\$&');
  return `${op === 'startsWith' ? '' : '%'}${plain}${op === 'endsWith' ? '' : '%'}`;
}
