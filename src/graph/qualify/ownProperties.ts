import { projectedQualifies } from './conditions.ts';
import { expression } from './expressions.ts';
import { type Kind, node } from './kinds.ts';
import { isPlainlyBest } from './literals.ts';
import type { Place } from './place.ts';
import { readProperty } from './properties.ts';
import { refuse } from './rewrite.ts';
import { nameOf, type Tree, tree, trees } from './tree.ts';

/** The properties that a pattern asks for: those that may be asked of the graph as they are, and the others as conditions. */
export function ownConditions(
  place: Place,
  of: Tree,
  variable: string,
  kind: Kind,
): { map: string; where: string[] } {
  const properties = tree(of, 'properties');
  if (properties === undefined) return { map: '', where: [] };
  const map = tree(properties, 'map');
  if (map === undefined) throw refuse('a parameter as the properties of a pattern', properties);
  const keys = trees(map, 'propertyKeyName');
  const values = trees(map).filter((each) => each.rule !== 'propertyKeyName');
  const members: string[] = [];
  const where: string[] = [];
  keys.forEach((key, index) => {
    const value = values[index];
    if (value === undefined) return;
    const text = expression(place.rewrite, value, place.scope).text;
    const name = nameOf(key);
    const read = readProperty(
      place.rewrite,
      { text: variable, isVariable: true, kind },
      { source: key.source, name },
      key,
    );
    const field = kind === node ? place.rewrite.fields.get(name) : undefined;
    if (field && isPlainlyBest(name, field, place.rewrite.shape)) {
      where.push(`(${variable}.${key.source} = ${text} AND ${projectedQualifies(variable, name)})`);
    } else if (read.text === `${variable}.${key.source}`) members.push(`${key.source}: ${text}`);
    else where.push(`${read.text} = (${text})`);
  });
  return { map: members.length > 0 ? ` {${members.join(', ')}}` : '', where };
}
