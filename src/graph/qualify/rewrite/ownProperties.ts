import { nameOf, type Tree, tree, trees } from '../grammar/tree.ts';
import type { Own } from './conjunction.ts';
import type { Typed } from './properties.ts';
import { type Rewrite, refuse } from './rewrite.ts';
import type { Scope } from './scope.ts';

/** The properties that a pattern gives: conditions like those behind `WHERE`. */
export function ownProperties(rewrite: Rewrite, of: Tree, what: Typed, own: Own, scope: Scope): void {
  const properties = tree(of, 'properties');
  if (properties === undefined) return;
  const map = tree(properties, 'map');
  if (map === undefined) throw refuse('a parameter as the properties of a pattern', properties);
  const values = trees(map).filter((each) => each.rule !== 'propertyKeyName');
  trees(map, 'propertyKeyName').forEach((key, index) => {
    const value = values[index];
    if (value) own.addEqual(rewrite, what, nameOf(key), value, scope);
  });
}
