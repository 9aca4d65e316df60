import { after, has, isTree, nameOf, plain, type Tree, tree, trees } from '../grammar/tree.ts';
import { carried, carrying } from '../text/consulted.ts';
import { holdsElements } from '../text/functions.ts';
import type { Kind } from '../text/kinds.ts';
import { edgesBehind } from '../text/literals.ts';
import { count, cypher, join, list, nothing, type Part, type Piece, property, Variable } from '../text/piece.ts';
import { Aggregated, aggregates } from './aggregated.ts';
import type { Clause, Columns, Use } from './clauses.ts';
import { conjunction } from './conjunction.ts';
import { expression } from './expressions.ts';
import { mayFail } from './failing.ts';
import { keyword } from './labels.ts';
import { readVariable } from './properties.ts';
import { nameAt, refuse, required } from './rewrite.ts';
import { type Named, Scope } from './scope.ts';
import { countOf } from './writtenValue.ts';

/** One column. */
interface Item {
  name: string;
  variable: Variable;
  kind: Kind;
  text: Piece;
  source?: Tree;
  /** Whether it is a variable under its name. */
  isHandedOn?: boolean;
}

/** `WITH` or `RETURN`. */
export function projection(of: Tree, scope: Scope, use: Use, columns: Columns): Clause {
  const body = tree(of, 'returnBody');
  const given = body && tree(body, 'returnItems');
  if (body === undefined || given === undefined) throw refuse('this clause', of);
  if (has(body, 'ALL') || tree(body, 'groupBy')) throw refuse('GROUP BY or ALL in a projection', body);
  const isReturn = of.rule === 'returnClause';
  const isAnswer = isReturn && use.by === 'agent';
  const answer = isReturn ? columns : undefined;
  const sources = trees(given, 'returnItem');
  const groups = sources.some(aggregates);
  const distinct = has(body, 'DISTINCT');
  const strict = distinct || groups;
  const { named, edges, before } = namedItems(sources, scope, answer);
  const every = has(given, 'TIMES') ? scope.all().map((each) => whole(each, answer)) : [];
  // A plain star takes along what is added here, such as the edges, and so it stays where it can.
  const isStar = has(given, 'TIMES') && !isReturn && !strict;
  const items = [...every, ...named];
  if (items.length === 0 && !isStar) throw refuse('* where there is no variable', given);
  checkNames(items, of);
  if (isAnswer) checkAnswer(items, of);
  const bound = items.map(({ name, variable, kind }): Named => [name, variable, kind]);
  const next = scope.only(bound);
  const ordering = strict ? next.with([]) : scope.beside(bound);
  for (const { source, variable, kind } of items) {
    if (source && source.rule !== 'reference') ordering.projected.set(plain(source), { value: variable, kind });
  }
  const pages = trees(body)
    .filter((each) => each !== given)
    .map((each) => paging(each, each.rule === 'orderBy' ? ordering : next));
  const handsOn = !strict && pages.length === 0 && named.every(({ isHandedOn }) => isHandedOn);
  const { where, asked } = filter(of, ordering, handsOn);
  const texts = [...(isStar ? [cypher`*`] : every.map(textOf)), ...named.map(textOf), ...asked];
  // Between clauses there is a column only where there are edges to carry.
  const column =
    isReturn || use.consulted === undefined ? use.consulted : edges.length > 0 ? new Variable() : undefined;
  if (column !== undefined && !isStar)
    texts.push(cypher`${carrying(edges, edges.length > 0 ? strict : groups, isAnswer)} AS ${column}`);
  // What collects the edges groups the rows already.
  const apart = distinct && (column === undefined || edges.length === 0) ? cypher`DISTINCT ` : nothing;
  const word = isReturn ? cypher`RETURN` : cypher`WITH`;
  const kept = isStar ? edges : column === undefined ? [] : [carried(column)];
  return {
    text: cypher`${before}${word} ${apart}${list(texts)}${join(pages)}${where}`,
    scope: next.restingOn(kept),
    ...(isReturn && { columns: bound }),
  };
}

const textOf = ({ text }: Item) => text;

/** The columns that a projection names, the edges that its rows rest on, and the clause before it. */
function namedItems(
  sources: readonly Tree[],
  scope: Scope,
  columns: Columns | undefined,
): { named: Item[]; edges: Part[]; before: Piece } {
  const { rewrite } = scope;
  const { shown, aggregated } = rewrite;
  rewrite.shown = new Map();
  rewrite.aggregated = new Aggregated(sources);
  const named = sources.map((each) => item(each, scope, columns));
  const edges = [...scope.edges, ...literalEdges(rewrite.shown, scope)];
  const before = rewrite.aggregated?.before() ?? nothing;
  Object.assign(rewrite, { shown, aggregated });
  return { named, edges, before };
}

/**
 * ` WHERE …` of a projection, and the column that it asks, if it needs one.
 * @param handsOn whether it is a WITH that only hands variables on: Neo4j takes it, and its condition, for a part of
 *   the MATCH before it
 */
function filter(of: Tree, scope: Scope, handsOn: boolean): { where: Piece; asked: Piece[] } {
  const predicate = after(tree(of, 'whereClause') ?? of, 'WHERE');
  if (predicate === undefined) return { where: nothing, asked: [] };
  if (!handsOn || !mayFail(predicate, scope, true))
    return { where: cypher` WHERE ${conjunction(predicate, scope)}`, asked: [] };
  const column = new Variable();
  return {
    where: cypher` WHERE ${column}`,
    asked: [cypher`(${expression(predicate, scope).value}) AS ${column}`],
  };
}

/** The literal statements behind the properties that a projection shows of its entities. */
function literalEdges(shown: ReadonlyMap<Variable, Set<string>>, scope: Scope): Piece[] {
  const { rewrite } = scope;
  if (!rewrite.consults) return [];
  return [...shown].flatMap(([entity, names]) =>
    [...names].flatMap((name) => {
      const field = rewrite.fields.get(name);
      return field && scope.holds(entity) ? [edgesBehind(entity, field, rewrite.shape)] : [];
    }),
  );
}

/** @param columns the variables of the answer, by name; absent behind `WITH` */
function item(of: Tree, scope: Scope, columns: Columns | undefined): Item {
  const source = required(trees(of)[0], 'this projection', of);
  const { value, kind } = expression(source, scope);
  const alias = has(of, 'AS') ? trees(of, 'variable').at(-1) : undefined;
  const name = alias ? nameOf(alias) : source.rule === 'reference' ? nameOf(source) : source.source;
  if (columns === undefined && alias === undefined) {
    // A WITH takes a variable along under its name.
    if (value.is !== 'variable') throw refuse('an expression without AS in a WITH', of);
    return { name, variable: value, kind, text: cypher`${value}`, source, isHandedOn: true };
  }
  const variable = columns ? columnOf(columns, name) : new Variable();
  return { name, variable, kind, text: cypher`${value} AS ${variable}`, source };
}

/** A variable as a column. */
function whole([name, variable, kind]: Named, columns: Columns | undefined): Item {
  if (columns === undefined) return { name, variable, kind, text: cypher`${variable}` };
  const column = columnOf(columns, name);
  return { name, variable: column, kind, text: cypher`${variable} AS ${column}` };
}

function columnOf(columns: Columns, name: string): Variable {
  const variable = columns.get(name) ?? new Variable();
  columns.set(name, variable);
  return variable;
}

function checkNames(items: readonly Item[], of: Tree): void {
  const names = new Set<string>();
  for (const { name } of items) {
    if (names.has(name)) throw refuse(`the name ${name} for two columns`, of);
    names.add(name);
  }
}

function checkAnswer(items: readonly Item[], of: Tree): void {
  for (const { name, kind } of items) {
    if (!holdsElements(kind)) continue;
    throw refuse(
      `a whole node, relationship or path as a result ("${name}")`,
      of,
      'return its properties: n {.id, .type}',
    );
  }
}

/** ` ORDER BY …`, ` SKIP …` or ` LIMIT …` */
export function paging(of: Tree, scope: Scope): Piece {
  if (of.rule === 'orderBy') return cypher` ORDER BY ${list(trees(of).map((each) => orderItem(each, scope)))}`;
  const number = required(trees(of)[0], 'this clause', of);
  const written = tree(number, 'numberLiteral');
  // How many rows there are depends on none of them: Neo4j lets no variable stand there.
  const value = written ? count(countOf(plain(written), number)) : expression(number, new Scope(scope.rewrite)).value;
  return of.rule === 'skip' ? cypher` SKIP ${value}` : cypher` LIMIT ${value}`;
}

function orderItem(of: Tree, scope: Scope): Piece {
  const [by, order] = trees(of);
  if (by === undefined) throw refuse('this ORDER BY', of);
  const [word] = order?.parts ?? [];
  const direction = word && !isTree(word) ? cypher` ${keyword(word.word, of)}` : nothing;
  return cypher`${rawOf(by, scope) ?? expression(by, scope).value}${direction}`;
}

/**
 * What rows may be sorted by as the graph has it, so that Neo4j can take them in the order of an index instead of sorting
 * them: a property whose value is right in each row, and the tenant of a node, which nothing else may read. That is the
 * same for all nodes, so that its order tells nothing; but Neo4j wants it before the property.
 */
function rawOf(of: Tree, scope: Scope): Piece | undefined {
  const [base, ...more] = trees(of);
  if (of.rule !== 'expression2' || base?.rule !== 'reference' || more.length !== 1) return undefined;
  const [, name] = plain(of).split(`${plain(base)} . `);
  if (name === undefined || !/^\w+$/.test(name)) return undefined;
  const { value, kind } = readVariable(base, scope);
  if (kind.is !== 'node' || value.is !== 'variable') return undefined;
  return name === 'tenant' || scope.proven.get(value)?.has(name) ? property(value, nameAt(name, of).name) : undefined;
}
