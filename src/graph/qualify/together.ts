import { aggregates } from './aggregated.ts';
import { type Fetch, fetch, isProjectedBest, ofLiterals } from './literals.ts';
import { cypher, join, nothing, type Piece, Variable } from './piece.ts';
import type { Typed } from './properties.ts';
import type { Rewrite } from './rewrite.ts';
import type { Fetched, Scope } from './scope.ts';
import { nameOf, type Tree, tree, trees } from './tree.ts';

/*
 * A value that must qualify is a sub-query, and Neo4j plans each sub-query for itself, which takes longer than all the rest. So the values that are
 * read of one node in one place are fetched together, and what has been fetched serves behind that, too.
 */

/** Rewrites a map, with what it reads of a node fetched together. */
export function together(rewrite: Rewrite, of: Tree, scope: Scope, make: () => Typed): Typed {
  // A list's expression may not aggregate.
  const found = aggregates(of) ? [] : fetches(rewrite, [of], [], scope);
  if (found.length === 0) return make();
  const made = having(rewrite, withMore(rewrite.fetched, found), make);
  const value = found.reduce(
    (inner, each) => cypher`head([${each.rows} IN [${fetch(each, rewrite.shape)}] | ${inner}])`,
    made.value,
  );
  return { value, kind: made.kind };
}

/**
 * The clause that fetches what is read of nodes by these expressions; nothing where it wouldn't save a sub-query.
 * @param later what stands behind, where the same values may be read once more
 */
export function fetching(
  rewrite: Rewrite,
  of: readonly Tree[],
  later: readonly Tree[],
  scope: Scope,
): { clause: Piece; fetched: Fetched } {
  const found = fetches(rewrite, of, later, scope);
  const columns = found.map((each) => cypher`, ${fetch(each, rewrite.shape)} AS ${each.rows}`);
  return {
    clause: found.length > 0 ? cypher`WITH *${join(columns, nothing)}` : nothing,
    fetched: withMore(rewrite.fetched, found),
  };
}

/** Rewrites what sees these values. */
export function having<T>(rewrite: Rewrite, fetched: Fetched, make: () => T): T {
  const before = rewrite.fetched;
  rewrite.fetched = fetched;
  const made = make();
  rewrite.fetched = before;
  return made;
}

function withMore(fetched: Fetched, found: readonly Fetch[]): Fetched {
  const all = new Map(fetched);
  for (const { entity, rows, types } of found)
    all.set(entity, new Map([...(all.get(entity) ?? []), ...types.map((type) => [type, rows] as const)]));
  return all;
}

function fetches(rewrite: Rewrite, of: readonly Tree[], later: readonly Tree[], scope: Scope): Fetch[] {
  if (rewrite.readsProjection) return [];
  const read = readsOf(of);
  const again = readsOf(later);
  return [...read].flatMap(([name, properties]) => {
    const { variable: entity, kind } = scope.find(name) ?? {};
    if (!entity || kind?.is !== 'node') return [];
    const known = rewrite.fetched.get(entity);
    const typesOf = (names: readonly string[]) =>
      names.flatMap((each) => typeOf(rewrite, each) ?? []).filter((type) => !known?.has(type));
    const reads = typesOf(properties);
    const types = [...new Set(reads)];
    const times = reads.length + typesOf(again.get(name) ?? []).filter((type) => types.includes(type)).length;
    return types.length > 0 && times > 1 ? [{ entity, rows: new Variable(), types }] : [];
  });
}

/** The type of the statements behind a property, if it can't be read as it is. */
function typeOf(rewrite: Rewrite, property: string): string | undefined {
  const field = rewrite.isClosed(property) ? undefined : rewrite.fields.get(property);
  if (!field || ofLiterals.has(property) || isProjectedBest(field, rewrite.shape)) return undefined;
  return field.relationshipType;
}

/** Expressions with patterns of their own. */
const subqueries = new Set([
  ...['queryWithLocalDefinitions', 'patternComprehension', 'patternExpression'],
  ...['existsExpression', 'countExpression', 'collectExpression'],
]);

/** The properties that are read of variables, by the variable's name, each as often as it is read. */
function readsOf(of: readonly Tree[], reads = new Map<string, string[]>()): Map<string, string[]> {
  for (const each of of) {
    if (subqueries.has(each.rule)) continue;
    const [base, ...others] = trees(each);
    const read =
      each.rule === 'mapProjection' ? others : each.rule === 'expression2' ? others.slice(0, 1) : [];
    for (const one of read) {
      const property = tree(one, 'property');
      const key = property && tree(property, 'propertyKeyName');
      if (base && key) reads.set(nameOf(base), [...(reads.get(nameOf(base)) ?? []), nameOf(key)]);
    }
    readsOf(trees(each), reads);
  }
  return reads;
}
