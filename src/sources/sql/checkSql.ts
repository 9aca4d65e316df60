import { loadModule, parseSync } from 'libpg-query';
import { harmlessFunctions } from './functions.ts';

/** Characters of a statement: far longer ones would exhaust the parser. */
export const longestSql = 10_000;

/** What a statement may be made of, as PostgreSQL's grammar names it; all else is refused. */
const harmlessNodes = new Set(
  [
    'SelectStmt ResTarget ColumnRef A_Star A_Const A_Expr BoolExpr NullTest BooleanTest FuncCall CoalesceExpr CaseExpr',
    'CaseWhen MinMaxExpr SubLink TypeCast TypeName RangeVar RangeSubselect JoinExpr Alias SortBy WindowDef WithClause',
    'CommonTableExpr List String Integer Float Boolean BitString A_ArrayExpr RowExpr GroupingSet SQLValueFunction',
  ].flatMap((line) => line.split(' ')),
);

/** What says the time; others say who the user is. */
const harmlessValues = /^SVFOP_(CURRENT_DATE|CURRENT_TIME|CURRENT_TIMESTAMP|LOCALTIME|LOCALTIMESTAMP)(_N)?$/;

type Node = Record<string, unknown>;

/**
 * Looks whether a text is one SQL statement of PostgreSQL that only reads tables, by PostgreSQL's own grammar (18).
 * @param most characters
 * @param takesParameters whether values come beside it: of strangers it has none
 * @returns what it is refused for; undefined where it isn't
 */
export async function faultOfSql(sql: string, most = longestSql, takesParameters = false): Promise<string | undefined> {
  if (sql.length > most) return `is longer than ${most} characters`;
  if (sql.includes('\0')) return 'holds a character that no text has';
  await loadModule();
  let statements: { stmt?: Node }[];
  try {
    statements = parseSync(sql).stmts ?? [];
  } catch (error) {
    return `is not SQL: ${(error as Error).message.slice(0, 200)}`;
  }
  if (statements.length !== 1) return `is ${statements.length} statements; one is taken`;
  const [{ stmt } = {}] = statements;
  if (!stmt || !('SelectStmt' in stmt)) return 'is no SELECT';
  return faultIn(stmt, takesParameters);
}

/** Every node of the tree, also those that the parser gives without their names. */
function faultIn(root: Node, takesParameters: boolean): string | undefined {
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (typeof node !== 'object' || node === null) continue;
    for (const [key, value] of Object.entries(node)) {
      const isTaken = Array.isArray(node) || (takesParameters && key === 'ParamRef');
      const fault = isTaken ? undefined : faultOfMember(key, value);
      if (fault !== undefined) return fault;
      waiting.push(value);
    }
  }
  return undefined;
}

function faultOfMember(key: string, value: unknown): string | undefined {
  if (/^[A-Z]/.test(key) && !harmlessNodes.has(key)) return `has a ${key}, which is not taken`;
  switch (key) {
    case 'intoClause':
      return 'has INTO, which makes a table';
    case 'recursive':
      return 'has WITH RECURSIVE, which may have no end';
    case 'FuncCall':
      return faultOfFunction(namesOf((value as Node).funcname));
    case 'RangeVar':
      return faultOfTable(value as Node);
    case 'SQLValueFunction':
      return harmlessValues.test(String((value as Node).op)) ? undefined : 'asks who the user is';
    case 'TypeCast':
      return faultOfType(namesOf(((value as Node).typeName as Node | undefined)?.names));
    case 'A_Expr':
      return faultOfOperator(namesOf((value as Node).name));
    default:
      return undefined;
  }
}

/** `[{String: {sval: 'a'}}, …]` → `['a', …]` */
function namesOf(list: unknown): string[] {
  const names = (Array.isArray(list) ? list : []) as { String?: { sval?: string } }[];
  return names.map((each) => each.String?.sval ?? '');
}

function faultOfFunction(names: string[]): string | undefined {
  const [name = '', schema = 'pg_catalog'] = names.toReversed();
  if (names.length <= 2 && schema === 'pg_catalog' && harmlessFunctions.has(name)) return undefined;
  return `calls ${names.join('.').slice(0, 100)}, which is not one of the functions that are taken`;
}

function faultOfTable({ catalogname, schemaname, relname }: Node): string | undefined {
  if (catalogname !== undefined) return 'names another database';
  const isOwn = (name: unknown) => /^(pg_|information_schema$)/i.test(String(name ?? ''));
  return isOwn(schemaname) || (schemaname === undefined && isOwn(relname))
    ? "reads the database's own tables"
    : undefined;
}

/** Casts to what names functions, tables and users look these up. */
function faultOfType(names: string[]): string | undefined {
  return /^reg/.test(names.at(-1) ?? '') ? `casts to ${names.at(-1)}, which is not taken` : undefined;
}

function faultOfOperator(names: string[]): string | undefined {
  return names.length > 1 && names[0] !== 'pg_catalog' ? 'has an operator of another schema' : undefined;
}
