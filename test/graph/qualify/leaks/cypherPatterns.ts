import { condition } from './cypherConditions.ts';
import { pathMatch } from './cypherPaths.ts';
import type { Maker, Variables } from './cypherText.ts';

/** A clause that matches one or two patterns of at most so many relationships. */
export function match(
  maker: Maker,
  variables: Variables,
  most: number,
  { optional = false, from }: { optional?: boolean; from?: string } = {},
): string {
  const { random } = maker;
  const word = optional ? 'OPTIONAL MATCH' : 'MATCH';
  if (random.chance(0.2)) return pathMatch(maker, variables, word, from);
  const patterns = [pattern(maker, variables, most, from)];
  if (random.chance(0.06)) patterns.push(pattern(maker, variables, 1));
  const where = random.chance(0.25) ? ` WHERE ${condition(maker, variables)}` : '';
  return `${word} ${patterns.join(', ')}${where}`;
}

function pattern(maker: Maker, variables: Variables, most: number, from?: string): string {
  const { random } = maker;
  const length = from === undefined ? random.below(most + 1) : 1;
  const path = length > 0 && random.chance(0.15) ? maker.name() : undefined;
  let text = from === undefined ? node(maker, variables) : `(${from})`;
  // Neo4j refuses variable lengths and quantifiers in one pattern.
  const long = random.pick(['length', 'quantifier'] as const);
  for (let step = 0; step < length; step++) {
    text += long === 'quantifier' && random.chance(0.15) ? repeated(maker) : relationship(maker, variables, long);
    // Mostly any node: few links lead to a certain class.
    text += node(maker, variables, random.chance(0.6));
  }
  if (path === undefined) return text;
  variables.set(path, 'path');
  return `${path} = ${text}`;
}

function repeated(maker: Maker): string {
  const { random } = maker;
  const [a, b] = [maker.name(), maker.name()];
  const quantifier = random.pick(['{1,3}', '{0,3}', '{1,2}', '{0,2}', '{2}']);
  const where = random.chance(0.3) ? ` WHERE ${a}.id <> 'e4'` : '';
  const types = random.pick([`:${maker.type()}`, `:${maker.type()}|${maker.type()}`, '']);
  return ` ((${a})-[${types}]->(${b})${where})${quantifier} `;
}

function node(maker: Maker, variables: Variables, any = false): string {
  const { random } = maker;
  const nodes = maker.of(variables, 'node');
  if (nodes.length > 0 && random.chance(0.12)) return `(${random.pick(nodes)})`;
  const [one, other] = [maker.label(), maker.label()];
  const label = random.pick(
    any
      ? ['']
      : maker.colons
        ? ['', `:${one}`, `:${one}:Entity`, ':Literal', `:${one}:${other}`, ':Entity']
        : [
            ...['', '', '', '', '', `:${one}`, `:${one}`, ':Entity', `:${one}&Entity`, `:${one}|${other}`, `:!${one}`],
            ...[`:Entity&!${one}`, random.pick([':Literal', ':Agent', ':%'])],
          ],
  );
  const map = random.chance(0.05) ? ` {${member(maker)}}` : '';
  if (random.chance(0.15)) return `(${label}${map})`;
  const name = maker.name();
  variables.set(name, 'node');
  const property = random.chance(0.5) ? maker.anyProperty().text : random.pick(['id', 'type', 'value']);
  const where = random.chance(0.06) ? ` WHERE ${name}.${property} IS NOT NULL` : '';
  return `(${name}${label}${map}${where})`;
}

function member(maker: Maker): string {
  const { random } = maker;
  if (random.chance(0.4)) return `id: ${maker.id()}`;
  if (random.chance(0.2)) return "value: 'Ann'";
  const property = maker.anyProperty();
  return `${property.text}: ${property.list ? `[${maker.valueOf(property)}]` : maker.valueOf(property)}`;
}

function relationship(maker: Maker, variables: Variables, long: 'length' | 'quantifier'): string {
  const { random } = maker;
  const [one, other] = [maker.type(), maker.type()];
  // Neo4j 5.26 counts twice by a type that is named twice, where it counts by degree.
  const either = one === other ? `:${one}` : `:${one}|${other}`;
  const simple = ['', `:${one}`, `:${one}`, `:${one}`, `:${one}`, either, either];
  const others = [`:!${one}`, `:!(${one}|${other})`, ':%', ':PAST', ':!PAST', `:${one}|PAST`];
  const type = random.pick(maker.colons || random.chance(0.75) ? simple : others);
  const [left, right] = random.pick([
    ['-', '->'],
    ['-', '->'],
    ['<-', '-'],
    ['-', '-'],
  ] as const);
  if (type === '' && random.chance(0.3)) return `${left}${right}`;
  if (long === 'length' && random.chance(0.12) && !/[!%(]/.test(type)) {
    const name = random.chance(0.5) ? maker.name() : '';
    if (name) variables.set(name, 'relationships');
    return `${left}[${name}${type}*${random.pick(['1..2', '0..2', '2', '..2'])}]${right}`;
  }
  if (long === 'quantifier' && random.chance(0.15) && type !== '')
    return `${left}[${type}]${right}{${random.pick(['1,2', '0,2', '2'])}}`;
  const map = random.chance(0.06) ? ` ${random.pick(["{graph: 'urn:g:1'}", '{certainty: 0.5}'])}` : '';
  if (random.chance(0.3)) return `${left}[${type}${map}]${right}`;
  const name = maker.name();
  variables.set(name, 'relationship');
  const where = random.chance(0.15) ? ` WHERE ${name}.certainty > 0.3` : '';
  return `${left}[${name}${type}${map}${where}]${right}`;
}
