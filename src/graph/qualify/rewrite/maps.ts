import { has, nameOf, plain, type Tree, tree, trees } from '../grammar/tree.ts';
import { functionOf } from '../text/functions.ts';
import { any, data, isData, type Kind, mapOf } from '../text/kinds.ts';
import { cypher, list, property } from '../text/piece.ts';
import { expression } from './expressions.ts';
import { readProperty, readVariable, sound, type Typed } from './properties.ts';
import { namedBy, refuse, required } from './rewrite.ts';
import type { Scope } from './scope.ts';

/** `n {.name, links: […]}` */
export function mapProjection(of: Tree, scope: Scope): Typed {
  const variable = required(tree(of, 'variable'), 'a map projection without a variable', of);
  const from = readVariable(variable, scope);
  const { kind } = from;
  const elements = trees(of, 'mapProjectionElement');
  const takesAll = elements.some((each) => has(each, 'TIMES'));
  // What is named wins over what comes with all, wherever it stands.
  const members = new Map<string, Kind>(takesAll && kind.is === 'map' ? kind.members : []);
  const names = new Set<string>();
  const read = new Set<string>();
  const pieces = elements.map((element) => {
    if (has(element, 'TIMES')) {
      if (kind.is !== 'map' && !isData(kind))
        throw refuse('all properties at once (.*)', element, 'name the properties');
      return cypher`.*`;
    }
    const { key, value, source } = member(element, from, scope);
    const name = nameOf(key);
    // Which of two counts is Neo4j's matter, so nothing may hang on it.
    const before = names.has(name) ? members.get(name) : undefined;
    if (before && !(isData(before) && isData(value.kind))) throw refuse(`the key ${name} twice`, element);
    names.add(name);
    members.set(name, value.kind);
    if (value.isRaw && source === `. ${name}`) return cypher`.${namedBy(key)}`;
    // Neo4j 5.26 gives null for the first of two equal members where the query has sub-queries in expressions.
    const again = read.has(source);
    read.add(source);
    return cypher`${namedBy(key)}: ${again ? cypher`coalesce(${value.value}, null)` : value.value}`;
  });
  return { value: cypher`${from.value} {${list(pieces)}}`, kind: mapOf(members) };
}

/** One member: its key, its value, and what the value was written as. */
function member(of: Tree, from: Typed, scope: Scope): { key: Tree; value: Typed; source: string } {
  const key = tree(of, 'propertyKeyName');
  const property = tree(of, 'property');
  const variable = tree(of, 'variable');
  if (property) {
    const given = required(tree(property, 'propertyKeyName'), 'this map projection', of);
    const read = readProperty(scope.rewrite, from, nameOf(given), given);
    return { key: given, value: scope.rewrite.isOwn ? read : sound(read), source: `. ${nameOf(given)}` };
  }
  if (variable) return { key: variable, value: readVariable(variable, scope), source: plain(variable) };
  const value = trees(of).find((each) => each !== key);
  if (key === undefined || value === undefined) throw refuse('this map projection', of);
  return { key, value: expression(value, scope), source: plain(value) };
}

/** `{name: …}` */
export function mapLiteral(of: Tree, scope: Scope): Typed {
  const keys = trees(of, 'propertyKeyName');
  const values = trees(of)
    .filter((each) => each.rule !== 'propertyKeyName')
    .map((each, index) => identity(each, keys[index], scope) ?? expression(each, scope));
  const kinds = new Map<string, Kind>();
  const members = keys.map((key, index) => {
    const { value, kind } = values[index] ?? { value: cypher`null`, kind: any };
    const before = kinds.get(nameOf(key));
    if (before && !(isData(before) && isData(kind))) throw refuse(`the key ${nameOf(key)} twice`, key);
    kinds.set(nameOf(key), kind);
    return cypher`${namedBy(key)}: ${value}`;
  });
  return { value: cypher`{${list(members)}}`, kind: mapOf(kinds) };
}

/**
 * @neo4j/graphql marks nodes of which nothing is selected by `__id: elementId(n)`; an entity's own id marks it as well.
 */
function identity(value: Tree, key: Tree | undefined, scope: Scope): Typed | undefined {
  if (key === undefined || nameOf(key) !== '__id' || functionOf(value) !== 'elementid') return undefined;
  const argument = tree(tree(value, 'functionArgument') ?? value, 'reference');
  const node = argument && readVariable(argument, scope);
  return node?.kind.is === 'node' ? { value: property(node.value, 'id'), kind: data } : undefined;
}
