import { expression } from './expressions.ts';
import { any, data, isData, type Kind, mapOf } from './kinds.ts';
import { readProperty, type Typed } from './properties.ts';
import { type Rewrite, refuse } from './rewrite.ts';
import type { Scope } from './scope.ts';
import { has, nameOf, type Tree, tree, trees } from './tree.ts';

/** `n {.name, links: […]}` */
export function mapProjection(rewrite: Rewrite, of: Tree, scope: Scope): Typed {
  const named = tree(of, 'variable');
  if (named === undefined) throw refuse('a map projection without a variable', of);
  const kind = scope.kindOf(nameOf(named));
  const members = new Map<string, Kind>();
  const read = new Set<string>();
  const add = (name: string, source: string, text: string, of: Kind) => {
    members.set(name, of);
    // Neo4j 5.26 gives null for the first of two equal members where the query has sub-queries in expressions.
    const value = read.has(text) ? `coalesce(${text}, null)` : text;
    read.add(text);
    return value === `${named.source}.${source}` ? `.${source}` : `${source}: ${value}`;
  };
  const texts = trees(of, 'mapProjectionElement').map((element) => {
    const key = tree(element, 'propertyKeyName');
    const property = tree(element, 'property');
    const variable = tree(element, 'variable');
    if (property) {
      const given = tree(property, 'propertyKeyName');
      if (given === undefined) throw refuse('this map projection', element);
      const { source } = given;
      const name = nameOf(given);
      const from = { text: named.source, isVariable: true, kind };
      const { text, kind: member } = readProperty(rewrite, from, { source, name }, given);
      return add(name, source, text, member);
    }
    if (variable)
      return add(nameOf(variable), variable.source, variable.source, scope.kindOf(nameOf(variable)));
    if (key) {
      const value = trees(element).find((each) => each !== key);
      if (value === undefined) throw refuse('this map projection', element);
      const { text, kind: member } = expression(rewrite, value, scope);
      return add(nameOf(key), key.source, text, member);
    }
    if (!has(element, 'TIMES')) throw refuse('this map projection', element);
    if (kind.is === 'map') for (const [name, each] of kind.members) members.set(name, each);
    else if (!isData(kind)) throw refuse('all properties at once (.*)', element, 'name the properties');
    return '.*';
  });
  const all = has(of, 'TIMES') || kind.is !== 'any' ? mapOf(members) : any;
  return { text: `${named.source} {${texts.join(', ')}}`, kind: isData(all) ? data : all };
}
