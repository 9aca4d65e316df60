import { nameOf, type Tree, tree, trees } from '../grammar/tree.ts';
import { type Fetch, fetch, isProjectedBest, ofLiterals } from '../text/literals.ts';
import { cypher, Variable } from '../text/piece.ts';
import { aggregates } from './aggregated.ts';
import type { Typed } from './properties.ts';
import type { Fetched, Rewrite } from './rewrite.ts';
import type { Scope } from './scope.ts';

/**
 * Rewrites a map, with the values that it reads of a node fetched together. A value that must qualify is a sub-query,
 * and Neo4j plans each for itself, which takes longer than all the rest.
 */
export function together(of: Tree, scope: Scope, make: () => Typed): Typed {
  const { rewrite } = scope;
  const found = rewrite.readsProjection ? [] : fetches(of, scope);
  if (found.length === 0) return make();
  const fetched = new Map(rewrite.fetched);
  for (const { entity, rows, types } of found) fetched.set(entity, new Map(types.map((type) => [type, rows])));
  const made = having(rewrite, fetched, make);
  const value = found.reduce(
    (inner, each) => cypher`head([${each.rows} IN [${fetch(each, rewrite.shape)}] | ${inner}])`,
    made.value,
  );
  return { value, kind: made.kind };
}

/** Rewrites a sub-query: what is fetched around it can't be seen everywhere in it. */
export function apart(rewrite: Rewrite, make: () => Typed): Typed {
  return having(rewrite, new Map(), make);
}

function having(rewrite: Rewrite, fetched: Fetched, make: () => Typed): Typed {
  const before = rewrite.fetched;
  rewrite.fetched = fetched;
  const made = make();
  rewrite.fetched = before;
  return made;
}

function fetches(of: Tree, scope: Scope): Fetch[] {
  const found = [...readsOf([of])].flatMap(([name, properties]) => {
    const { variable: entity, kind } = scope.find(name) ?? {};
    if (!entity || kind?.is !== 'node' || scope.rewrite.fetched.has(entity)) return [];
    const types = properties.flatMap((each) => typeOf(scope.rewrite, each) ?? []);
    return types.length > 1 ? [{ entity, rows: new Variable(), types: [...new Set(types)] }] : [];
  });
  // An element of a list may not aggregate.
  return found.length > 0 && aggregates(of) ? [] : found;
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
    const read = each.rule === 'mapProjection' ? others : each.rule === 'expression2' ? others.slice(0, 1) : [];
    for (const one of read) {
      const property = tree(one, 'property');
      const key = property && tree(property, 'propertyKeyName');
      if (base && key) reads.set(nameOf(base), [...(reads.get(nameOf(base)) ?? []), nameOf(key)]);
    }
    readsOf(trees(each), reads);
  }
  return reads;
}
