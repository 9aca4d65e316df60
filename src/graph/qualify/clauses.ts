import { Aggregated } from './aggregated.ts';
import { conjunction } from './conjunction.ts';
import { carried, carrying } from './consulted.ts';
import { aggregates, expression } from './expressions.ts';
import { holdsElements } from './functions.ts';
import { either, elementOf, type Kind } from './kinds.ts';
import { type EntityText, edgesBehind } from './literals.ts';
import { type Rewrite, refuse } from './rewrite.ts';
import type { Scope } from './scope.ts';
import { matching } from './subqueries.ts';
import { after, has, isTree, nameOf, plain, type Tree, tree, trees } from './tree.ts';

/** A query that has been rewritten, and what its columns are. */
export interface Rewritten {
  text: string;
  columns: ReadonlyMap<string, Kind>;
}

/** Where a query stands: its answer goes to the agent, to `CALL`, or to an expression. */
export interface Use {
  by: 'agent' | 'call' | 'expression';
  /** The column that tells what each row rests on. */
  consulted?: string;
}

/** Rewrites a query so that all it reads qualifies. */
export function query(rewrite: Rewrite, of: Tree, scope: Scope, use: Use, outside?: Scope): Rewritten {
  const union = soleUnion(of);
  let to = use;
  if (use.consulted !== undefined && mergesRows(union)) {
    // One more column would keep apart what UNION makes one.
    rewrite.tells = false;
    to = { by: use.by };
  }
  const parts = union.parts.map((part) =>
    isTree(part) ? singleQuery(rewrite, part, scope, to, outside) : part.text,
  );
  const text = parts.map((part) => (typeof part === 'string' ? part : part.text)).join(' ');
  const columns = new Map<string, Kind>();
  for (const part of parts) {
    if (typeof part === 'string') continue;
    for (const [name, kind] of part.columns) columns.set(name, either(columns.get(name) ?? kind, kind));
  }
  return { text, columns };
}

/** Whether it has a `UNION` without `ALL`. */
function mergesRows(union: Tree): boolean {
  const unions = union.parts.filter((part) => !isTree(part) && part.text.toUpperCase() === 'UNION');
  const all = union.parts.filter((part) => !isTree(part) && part.text.toUpperCase() === 'ALL');
  return unions.length > all.length;
}

/** The `UNION` of single queries that every query is which has nothing newer. */
function soleUnion(of: Tree): Tree {
  const [next, ...others] = trees(of);
  if (next === undefined || others.length > 0 || next.rule !== 'nextStatement')
    throw refuse('a local definition', of);
  const [regular, ...following] = trees(next);
  if (regular === undefined || following.length > 0) throw refuse('NEXT', next);
  const union = tree(regular, 'union');
  if (union === undefined) throw refuse('WHEN', regular);
  return union;
}

function singleQuery(
  rewrite: Rewrite,
  of: Tree,
  scope: Scope,
  use: Use,
  outside: Scope | undefined,
): Rewritten {
  if (has(of, 'LCURLY')) throw refuse('a query in braces', of);
  const clauses = trees(of, 'clause').map((each) => {
    const [only] = trees(each);
    if (only === undefined) throw refuse('this clause', each);
    return only;
  });
  let here = scope;
  let columns: ReadonlyMap<string, Kind> = new Map();
  const texts = clauses.map((each, index) => {
    // The first WITH of a CALL without a list imports.
    if (index === 0 && outside && each.rule === 'withClause') here = importing(each, outside).restingOn([]);
    const done = clause(rewrite, each, here, use);
    here = done.scope;
    columns = done.columns ?? columns;
    return done.text;
  });
  return { text: texts.join('\n'), columns };
}

function importing(of: Tree, outside: Scope): Scope {
  const items = tree(tree(of, 'returnBody') ?? of, 'returnItems');
  if (items && has(items, 'TIMES')) return outside;
  const names = items ? trees(items, 'returnItem').flatMap((each) => trees(each).slice(0, 1)) : [];
  if (!names.every((each) => each.rule === 'reference'))
    throw refuse('anything but variables in the WITH that imports them', of);
  return outside;
}

interface Clause {
  text: string;
  scope: Scope;
  columns?: ReadonlyMap<string, Kind>;
}

function clause(rewrite: Rewrite, of: Tree, scope: Scope, use: Use): Clause {
  switch (of.rule) {
    case 'matchClause': {
      const [hint] = [...trees(of, 'hint'), ...trees(of, 'searchClause')];
      if (hint) throw refuse(hint.rule === 'hint' ? 'a planner hint (USING)' : 'SEARCH', hint);
      const found = matching(rewrite, of, scope);
      return { text: `${has(of, 'OPTIONAL') ? 'OPTIONAL ' : ''}MATCH ${found.text}`, scope: found.scope };
    }
    case 'withClause':
    case 'returnClause':
      return projection(rewrite, of, scope, use);
    case 'unwindClause': {
      const named = tree(of, 'variable');
      const over = after(of, 'UNWIND');
      if (named === undefined || over === undefined) throw refuse('this UNWIND', of);
      const list = expression(rewrite, over, scope);
      return {
        text: `UNWIND ${list.text} AS ${named.source}`,
        scope: scope.with([[nameOf(named), elementOf(list.kind)]]),
      };
    }
    case 'subqueryClause':
      return call(rewrite, of, scope);
    case 'orderBySkipLimitClause':
      return {
        text: trees(of)
          .map((each) => paging(rewrite, each, scope))
          .join(' '),
        scope,
      };
    case 'callClause': {
      const named = tree(of, 'procedureName');
      throw refuse(`the procedure ${named?.source}`, of);
    }
    default:
      throw refuse(`the clause ${clauseName(of)}`, of);
  }
}

/** `LOAD CSV` of loadCSVClause */
function clauseName(of: Tree): string {
  return of.rule
    .replace(/Clause$/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toUpperCase();
}

function call(rewrite: Rewrite, of: Tree, scope: Scope): Clause {
  const batches = tree(of, 'subqueryInTransactionsParameters');
  if (batches) throw refuse('CALL … IN TRANSACTIONS', batches);
  const inner = tree(of, 'queryWithLocalDefinitions');
  if (inner === undefined) throw refuse('this CALL', of);
  const list = tree(of, 'subqueryScope');
  const optional = has(of, 'OPTIONAL') ? 'OPTIONAL ' : '';
  const column = rewrite.consults ? rewrite.variable() : undefined;
  const use: Use = { by: 'call', ...(column && { consulted: column }) };
  // Nothing is told any more where the sub-query couldn't.
  const edges = () => (column && rewrite.tells ? [...scope.edges, carried(column)] : scope.edges);
  if (list === undefined) {
    const { text, columns } = query(rewrite, inner, scope.importing([]), use, scope);
    return { text: `${optional}CALL {\n${text}\n}`, scope: scope.with(columns).restingOn(edges()) };
  }
  const names = trees(list, 'variable').map(nameOf);
  const within = has(list, 'TIMES') ? scope.inside() : scope.importing(names);
  const { text, columns } = query(rewrite, inner, within.restingOn([]), use);
  return {
    text: `${optional}CALL ${list.source} {\n${text}\n}`,
    scope: scope.with(columns).restingOn(edges()),
  };
}

interface Item {
  name: string;
  text: string;
  kind: Kind;
  source: Tree;
}

function projection(rewrite: Rewrite, of: Tree, scope: Scope, use: Use): Clause {
  const body = tree(of, 'returnBody');
  const list = body && tree(body, 'returnItems');
  if (body === undefined || list === undefined) throw refuse('this clause', of);
  if (has(body, 'ALL') || tree(body, 'groupBy')) throw refuse('GROUP BY or ALL in a projection', body);
  const isReturn = of.rule === 'returnClause';
  const distinct = has(body, 'DISTINCT');
  const strict = distinct || trees(list, 'returnItem').some(aggregates);
  const { shown, aggregated } = rewrite;
  rewrite.shown = new Map();
  rewrite.aggregated = rewrite.limited ? new Aggregated(() => rewrite.variable()) : undefined;
  const items = trees(list, 'returnItem').map((each) => item(rewrite, each, scope));
  const edges = [...scope.edges, ...literalEdges(rewrite, rewrite.shown.values(), scope)];
  const taken = rewrite.aggregated;
  Object.assign(rewrite, { shown, aggregated });
  const star = has(list, 'TIMES');
  const texts = items.map(({ text }) => text);
  const named = items.map(({ name, kind }): [string, Kind] => [name, kind]);
  let columns: [string, Kind][] = named;
  if (star) {
    const all = scope.names().map((name): [string, Kind] => [name, scope.kindOf(name)]);
    columns = [...all, ...named];
    // A plain star would take the variables that are added here along.
    const spelled = isReturn || strict ? all.map(([name]) => `\`${name.replaceAll('`', '``')}\``) : ['*'];
    texts.unshift(...spelled);
  }
  if (isReturn && use.by === 'agent') checkAnswer(columns, of);

  const next = scope.only(columns);
  const ordering = strict ? next.with([]) : scope.beside(columns);
  for (const { name, kind, source } of items) {
    if (source.rule === 'reference') continue;
    ordering.projected.set(plain(source), { text: `\`${name.replaceAll('`', '``')}\``, kind });
  }
  const pages = trees(body)
    .filter((each) => each !== list)
    .map((each) => paging(rewrite, each, each.rule === 'orderBy' ? ordering : next));
  const where = tree(of, 'whereClause');
  const predicate = where && after(where, 'WHERE');
  const condition = predicate ? [`WHERE ${conjunction(rewrite, predicate, ordering)}`] : [];
  const column = isReturn ? use.consulted : consultedBetween(rewrite, use, edges);
  const isStar = texts[0] === '*';
  if (column !== undefined && !isStar)
    texts.push(carrying(edges, column, strict, use.by === 'agent' && isReturn));
  // What collects the edges groups the rows already.
  const apart = distinct && (column === undefined || edges.length === 0) ? 'DISTINCT ' : '';
  const head = `${isReturn ? 'RETURN' : 'WITH'} ${apart}${texts.join(', ')}`;
  const kept = isStar ? edges : column === undefined ? [] : [carried(column)];
  const text = [head, ...pages, ...condition].join(' ');
  return {
    text: taken?.settle(text) ?? text,
    scope: next.restingOn(kept),
    ...(isReturn && { columns: new Map(columns) }),
  };
}

/** The column in which a `WITH` carries edges on, if there are any to carry. */
function consultedBetween(rewrite: Rewrite, use: Use, edges: readonly string[]): string | undefined {
  return use.consulted !== undefined && edges.length > 0 ? rewrite.variable() : undefined;
}

/** The literal statements behind the properties that a projection shows of its entities. */
function literalEdges(rewrite: Rewrite, shown: Iterable<[EntityText, string]>, scope: Scope): string[] {
  if (!rewrite.consults) return [];
  return [...shown].flatMap(([entity, key]) => {
    const field = rewrite.fields.get(key);
    const isOfRow = scope.knows(entity.text) && scope.kindOf(entity.text).is === 'node';
    return field && isOfRow ? [edgesBehind(entity, field, rewrite.shape)] : [];
  });
}

function item(rewrite: Rewrite, of: Tree, scope: Scope): Item {
  const [source] = trees(of);
  if (source === undefined) throw refuse('this projection', of);
  const { text, kind } = expression(rewrite, source, scope);
  const alias = has(of, 'AS') ? trees(of, 'variable').at(-1) : undefined;
  if (alias) return { name: nameOf(alias), text: `${text} AS ${alias.source}`, kind, source };
  if (source.rule === 'reference') return { name: nameOf(source), text, kind, source };
  const name = source.source;
  return { name, text: `${text} AS \`${name.replaceAll('`', '``')}\``, kind, source };
}

function checkAnswer(columns: [string, Kind][], of: Tree): void {
  for (const [name, kind] of columns) {
    if (!holdsElements(kind)) continue;
    throw refuse(
      `a whole node, relationship or path as a result ("${name}")`,
      of,
      'return its properties: n {.id, .type}',
    );
  }
}

/** `ORDER BY`, `SKIP` or `LIMIT`. */
function paging(rewrite: Rewrite, of: Tree, scope: Scope): string {
  return of.parts
    .map((part) => {
      if (!isTree(part)) return part.text;
      if (part.rule === 'orderItem') return paging(rewrite, part, scope);
      return part.rule === 'ascToken' || part.rule === 'descToken' || isTenant(part, scope)
        ? part.source
        : expression(rewrite, part, scope).text;
    })
    .join(' ');
}

/**
 * Whether this is the tenant of a node, which nothing else may read. It is the same for all nodes, so that its order tells nothing; but before
 * `n.id` it is what makes Neo4j take nodes in the order of the index of tenant and id, instead of sorting them.
 */
function isTenant(of: Tree, scope: Scope): boolean {
  const name = /^(\w+)\.tenant$/.exec(of.source)?.[1];
  return name !== undefined && scope.kindOf(name).is === 'node';
}
