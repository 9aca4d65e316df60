import { createRequire } from 'node:module';
import type { Parser as ParserClass } from 'node-sql-parser';
import { longestSql } from './checkSql.ts';
import { harmlessOfMysql } from './mysqlFunctions.ts';

/** The parser of one dialect: it is loaded at the first statement. */
let parser: ParserClass | undefined;

function load(): ParserClass {
  const { Parser } = createRequire(import.meta.url)('node-sql-parser/build/mariadb') as { Parser: typeof ParserClass };
  return new Parser();
}

/** What a tree may be made of, as the parser names it; all else is refused. */
const harmlessTypes = new Set(
  [
    'select column_ref number bigint single_quote_string string bool null date time timestamp datetime interval star',
    'binary_expr unary_expr function aggr_func expr_list case when else cast extract window origin default dual',
    'backticks_quote_string ASC DESC collate',
  ].flatMap((line) => line.split(' ')),
);
const harmlessOperators = new Set(
  '=|<=>|<>|!=|<|<=|>|>=|+|-|*|/|%|DIV|MOD|AND|OR|XOR|NOT|!|IS|IS NOT|LIKE|NOT LIKE|IN|NOT IN|BETWEEN|NOT BETWEEN|&&'.split(
    '|',
  ),
);
/** Members of its nodes. What else is there must be empty. */
const harmlessMembers = new Set(
  [
    'type value with name stmt columns tableList columnList ast options distinct expr as into position from where',
    'groupby having orderby limit collate locking_read window seperator parentheses parentheses_symbol _next set_op db',
    'table join on using args over schema left right operator keyword symbol target dataType length scale cond result',
    'unit field source separator as_window_specification window_specification partitionby window_frame_clause column',
    'prefix suffix quoted nulls modifiers recursive escape column_offset',
  ].flatMap((line) => line.split(' ')),
);
const ownSchemas = /^(?:mysql|information_schema|performance_schema|sys)$/i;

type Node = Record<string, unknown>;

/**
 * Looks whether a text is one statement of MySQL or MariaDB that only reads tables, by a parser's tree. Where the parser
 * and a server may read a text differently, it is refused: comments, of which a server runs some, and backslashes.
 * @param most characters
 * @returns what it is refused for; undefined where it isn't
 */
export function faultOfMysql(sql: string, most = longestSql): string | undefined {
  if (sql.length > most) return `is longer than ${most} characters`;
  if (/[\0\\]/.test(sql)) return 'holds a backslash or a character that no text has';
  if (/--|\/\*|#/.test(sql)) return 'holds a comment, or what may be one';
  if (sql.includes('"')) return 'holds double quotes: names have backticks, and texts single quotes';
  parser ??= load();
  let trees: unknown;
  try {
    trees = parser.parse(sql).ast;
  } catch (error) {
    return `is not understood: ${String((error as Error).message).slice(0, 120)}`;
  }
  const statements = [trees].flat();
  if (statements.length !== 1) return `is ${statements.length} statements; one is taken`;
  const [root] = statements as Node[];
  return root?.type === 'select' ? faultIn(root) : 'is no SELECT';
}

function faultIn(root: Node): string | undefined {
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (typeof node !== 'object' || node === null) continue;
    const fault = Array.isArray(node) ? undefined : faultOfNode(node as Node);
    if (fault !== undefined) return fault;
    waiting.push(...Object.values(node));
  }
  return undefined;
}

function faultOfNode(node: Node): string | undefined {
  for (const [name, value] of Object.entries(node)) {
    const isEmpty = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
    if (!isEmpty && !harmlessMembers.has(name)) return `has a part that is not taken (${name.slice(0, 40)})`;
  }
  const { type } = node;
  if (typeof type === 'string' && !harmlessTypes.has(type)) return `has a ${type.slice(0, 40)}, which is not taken`;
  if (type === 'origin' && node.value !== '?') return 'has a word that is not taken';
  if (type === 'function') return faultOfFunction(node);
  if (type === 'aggr_func' && !harmlessOfMysql.has(String(node.name).toLowerCase())) return 'has an unknown aggregate';
  if (typeof node.operator === 'string' && !harmlessOperators.has(node.operator.toUpperCase()))
    return `has the operator ${node.operator.slice(0, 20)}, which is not taken`;
  return faultOfPlaces(node);
}

function faultOfPlaces(node: Node): string | undefined {
  const { into, locking_read: locks, recursive, options, db } = node;
  if (typeof into === 'object' && into !== null && Object.values(into).some((each) => each !== null))
    return 'has INTO, which writes';
  if (locks) return 'locks rows';
  if (recursive) return 'has WITH RECURSIVE, which may have no end';
  if (options) return 'has options, which are not taken';
  return typeof db === 'string' && ownSchemas.test(db) ? "reads the database's own tables" : undefined;
}

/** `{name: {name: [{value: 'lower'}]}}` */
function faultOfFunction({ name }: Node): string | undefined {
  const { name: parts, schema } = (name ?? {}) as { name?: { value?: unknown; type?: unknown }[]; schema?: unknown };
  const [only, ...others] = parts ?? [];
  const called = String(only?.value ?? '');
  const isPlain = others.length === 0 && !schema && only?.type === 'default';
  if (isPlain && harmlessOfMysql.has(called.toLowerCase())) return undefined;
  return `calls ${called.slice(0, 100)}, which is not one of the functions that are taken`;
}
