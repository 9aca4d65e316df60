import { after, has, isTree, nameOf, type Tree, tree, trees } from '../grammar/tree.ts';
import { carried } from '../text/consulted.ts';
import { either, elementOf } from '../text/kinds.ts';
import { cypher, join, list, nothing, type Piece, Variable } from '../text/piece.ts';
import { expression } from './expressions.ts';
import { paging, projection } from './projections.ts';
import { refuse, required } from './rewrite.ts';
import type { Named, Scope } from './scope.ts';
import { matching, variablesOf } from './subqueries.ts';

/** A query that has been rewritten, and what its columns are. */
interface Rewritten {
  text: Piece;
  columns: readonly Named[];
}

/** Where a query stands: its answer goes to the agent, to `CALL`, or to an expression. */
export interface Use {
  by: 'agent' | 'call' | 'expression';
  /** The column that tells what each row rests on. */
  consulted?: Variable;
}

/** The parts of a `UNION` give the same columns. */
export type Columns = Map<string, Variable>;

/** A clause that has been rewritten. */
export interface Clause {
  text: Piece;
  scope: Scope;
  columns?: readonly Named[];
}

/** Rewrites a query so that all it reads qualifies. */
export function query(of: Tree, scope: Scope, use: Use): Rewritten {
  const union = soleUnion(of);
  let to = use;
  if (use.consulted !== undefined && mergesRows(union)) {
    // One more column would keep apart what UNION makes one.
    scope.rewrite.tells = false;
    to = { by: use.by };
  }
  const columns: Columns = new Map();
  const parts = trees(union).map((each) => singleQuery(each, scope, to, columns));
  const kinds = parts.map((each) => new Map(each.columns.map(([name, , kind]) => [name, kind])));
  const [first] = parts;
  return {
    text: join(
      parts.map(({ text }, index) => (index === 0 ? text : cypher`${separator(union, index)} ${text}`)),
      cypher`\n`,
    ),
    columns: (first?.columns ?? []).map(([name, variable, kind]) => [
      name,
      variable,
      kinds.reduce((all, each) => either(all, each.get(name) ?? all), kind),
    ]),
  };
}

/** `UNION` or `UNION ALL` before a part. */
function separator(union: Tree, index: number): Piece {
  const before = union.parts.indexOf(trees(union)[index] ?? union) - 1;
  const word = union.parts[before];
  return word && !isTree(word) && word.word === 'ALL' ? cypher`UNION ALL` : cypher`UNION`;
}

/** Whether it has a `UNION` without `ALL`. */
function mergesRows(union: Tree): boolean {
  const count = (word: string) => union.parts.filter((part) => !isTree(part) && part.word === word).length;
  return count('UNION') > count('ALL');
}

/** The `UNION` of single queries that every query is which has nothing newer. */
function soleUnion(of: Tree): Tree {
  const [next, ...others] = trees(of);
  if (next === undefined || others.length > 0 || next.rule !== 'nextStatement') throw refuse('a local definition', of);
  const [regular, ...following] = trees(next);
  if (regular === undefined || following.length > 0) throw refuse('NEXT', next);
  const union = required(tree(regular, 'union'), 'WHEN', regular);
  return union;
}

function singleQuery(of: Tree, scope: Scope, use: Use, columns: Columns): Rewritten {
  let here = scope;
  let found: readonly Named[] = [];
  const texts = clausesOf(of).map((each, index, { length }) => {
    if (each.rule === 'returnClause' && index < length - 1) throw refuse('RETURN before the end', each);
    if (index === 0 && use.by === 'call' && isImport(each)) return nothing;
    const done = clause(each, here, use, columns);
    here = done.scope;
    found = done.columns ?? found;
    return done.text;
  });
  return { text: join(texts, cypher`\n`), columns: found };
}

function clausesOf(of: Tree): Tree[] {
  if (has(of, 'LCURLY')) throw refuse('a query in braces', of);
  return trees(of, 'clause').map((each) => {
    const only = required(trees(each)[0], 'this clause', each);
    return only;
  });
}

/** Marks the first `WITH` of a `CALL` without a list, which imports. */
const imports = new WeakSet<Tree>();
const isImport = (of: Tree) => imports.has(of);

/** The names that a `CALL` without a list imports by the first `WITH` of each part; `*` for all. */
function imported(of: Tree): string[] | '*' {
  const names: string[] = [];
  for (const part of trees(soleUnion(of))) {
    const [first] = clausesOf(part);
    if (first?.rule !== 'withClause') continue;
    imports.add(first);
    const body = tree(first, 'returnBody') ?? first;
    const items = tree(body, 'returnItems');
    if (items && has(items, 'TIMES')) return '*';
    const given = items ? trees(items, 'returnItem') : [];
    const isPlain = given.every((each) => trees(each).length === 1 && trees(each)[0]?.rule === 'reference');
    if (!isPlain || trees(body).length > 1 || tree(first, 'whereClause') || has(body, 'DISTINCT'))
      throw refuse('anything but variables in the WITH that imports them', first);
    names.push(...given.flatMap((each) => trees(each).map(nameOf)));
  }
  return names;
}

function clause(of: Tree, scope: Scope, use: Use, columns: Columns): Clause {
  switch (of.rule) {
    case 'matchClause': {
      const [hint] = [...trees(of, 'hint'), ...trees(of, 'searchClause')];
      if (hint) throw refuse(hint.rule === 'hint' ? 'a planner hint (USING)' : 'SEARCH', hint);
      // What stands behind an optional pattern would take rows away.
      const found = matching(of, scope, !has(of, 'OPTIONAL'));
      return { text: cypher`${optional(of)}MATCH ${found.text}${found.behind}`, scope: found.scope };
    }
    case 'withClause':
    case 'returnClause':
      return projection(of, scope, use, columns);
    case 'unwindClause': {
      const named = tree(of, 'variable');
      const over = after(of, 'UNWIND');
      if (named === undefined || over === undefined) throw refuse('this UNWIND', of);
      const { value, kind } = expression(over, scope);
      const variable = new Variable();
      return {
        text: cypher`UNWIND ${value} AS ${variable}`,
        scope: scope.with([[nameOf(named), variable, elementOf(kind)]]),
      };
    }
    case 'subqueryClause':
      return call(of, scope);
    case 'orderBySkipLimitClause':
      // Behind a WITH of all: alone it is newer than Cypher 5.
      return {
        text: cypher`WITH *${join(trees(of).map((each) => paging(each, scope)))}`,
        scope,
      };
    case 'callClause':
      throw refuse(`the procedure ${tree(of, 'procedureName')?.source}`, of);
    default:
      throw refuse(`the clause ${clauseName(of)}`, of);
  }
}

const optional = (of: Tree) => (has(of, 'OPTIONAL') ? cypher`OPTIONAL ` : nothing);

/** `LOAD CSV` of loadCSVClause */
function clauseName(of: Tree): string {
  return of.rule
    .replace(/Clause$/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toUpperCase();
}

/** The variables that a query names. */
const namesIn = (of: Tree) => [...new Set(variablesOf(of).map(nameOf))];

function call(of: Tree, scope: Scope): Clause {
  const batches = tree(of, 'subqueryInTransactionsParameters');
  if (batches) throw refuse('CALL … IN TRANSACTIONS', batches);
  const inner = required(tree(of, 'queryWithLocalDefinitions'), 'this CALL', of);
  const given = tree(of, 'subqueryScope');
  let names = given ? trees(given, 'variable').map(nameOf) : imported(inner);
  // Neo4j loses a path that is imported and not used.
  if (names === '*' || (given && has(given, 'TIMES'))) names = namesIn(inner).filter((name) => scope.find(name));
  const within = scope.importing(names);
  const taken = [...new Set(names)].map((name) => {
    const binding = within.find(name);
    if (binding === undefined) throw refuse(`the unknown variable ${name}`, of);
    return binding.variable;
  });
  const column = scope.rewrite.consults ? new Variable() : undefined;
  const { text, columns } = query(inner, within.restingOn([]), {
    by: 'call',
    ...(column && { consulted: column }),
  });
  // Nothing is told any more where the sub-query couldn't.
  const edges = column && scope.rewrite.tells ? [...scope.edges, carried(column)] : scope.edges;
  return {
    text: cypher`${optional(of)}CALL (${list(taken)}) {\n${text}\n}`,
    scope: scope.with(columns).restingOn(edges),
  };
}
