import { list, number, text } from './cypherExpressions.ts';
import { failing } from './cypherFailing.ts';
import { match } from './cypherPatterns.ts';
import type { Maker, Variables } from './cypherText.ts';

/** A condition on whatever the variables hold. */
export function condition(maker: Maker, variables: Variables): string {
  const { random } = maker;
  if (random.chance(0.015)) return failing(maker, variables);
  if (maker.more(0.25)) {
    const [one, other] = [condition(maker, variables), condition(maker, variables)];
    return random.pick([`(${one} AND ${other})`, `(${one} OR ${other})`, `NOT (${one})`]);
  }
  const nodes = maker.of(variables, 'node');
  if (nodes.length > 0 && maker.more(0.25)) return ofSubquery(maker, random.pick(nodes));
  const options = [() => comparison(maker, variables)];
  if (nodes.length > 0) {
    options.push(() => ofNode(maker, random.pick(nodes)));
    options.push(() => ofNode(maker, random.pick(nodes)));
  }
  const relationships = maker.of(variables, 'relationship');
  if (relationships.length > 0) options.push(() => ofRelationship(maker, random.pick(relationships)));
  for (const path of maker.of(variables, 'shortest')) options.push(() => `length(${path}) > 1`);
  for (const each of maker.of(variables, 'nodes')) options.push(() => `all(x IN ${each} WHERE x.id <> 'e4')`);
  for (const path of maker.of(variables, 'path')) options.push(() => ofPath(maker, path));
  return random.pick(options)();
}

function comparison(maker: Maker, variables: Variables): string {
  const { random } = maker;
  return random.pick([
    () => 'true',
    () =>
      `${text(maker, variables)} ${random.pick(['<', '>=', '=', '<>', 'STARTS WITH', 'CONTAINS'])} ${text(maker, variables)}`,
    () => `${number(maker, variables)} ${random.pick(['<', '>=', '=', '<>'])} ${number(maker, variables)}`,
    () => `${text(maker, variables)} IN ${list(maker, variables)}`,
    () => `0 < ${number(maker, variables)} <= 20`,
    // Neo4j plans both sides twice, so nothing larger stands in it.
    () => `(${text(maker, variables)} = 'Ann' XOR ${number(maker, variables)} > 1)`,
    () => `${random.pick(['any', 'all', 'none', 'single'])}(x IN ${list(maker, variables)} WHERE x <> 'Rome')`,
  ])();
}

function ofNode(maker: Maker, node: string): string {
  const { random } = maker;
  const property = maker.anyProperty();
  const read = random.chance(0.85) ? `${node}.${property.text}` : `${node}['${property.text.replaceAll('`', '')}']`;
  const value = maker.valueOf(property);
  if (random.chance(0.3)) {
    const [one, other] = [maker.label(), maker.label()];
    return random.pick([
      `${node}:${one}`,
      ...(maker.colons ? [`${node}:${one}:${other}`] : [`${node}:!Literal`, `${node}:${one}|${other}`]),
      `${node} IS ${random.pick(['', 'NOT '])}NULL`,
      `${node}.id < ${maker.id()}`,
      `${node}.value IS NOT NULL`,
      `${node}.type ENDS WITH 'n'`,
    ]);
  }
  if (property.list) return random.pick([`${value} IN ${read}`, `size(${read}) > 1`, `${read} IS NULL`]);
  return random.pick([
    `${read} ${random.pick(['=', '<>', '<', '>', '<=', '>='])} ${value}`,
    `${read} IN [${value}, ${maker.valueOf(property)}]`,
    `${read} IS NULL`,
    `${read} IS NOT NULL`,
    `${read} STARTS WITH 'A'`,
    `NOT (${read} = ${value})`,
    `${read} = ${node}.${maker.anyProperty().text}`,
    `(${read} IS NULL OR ${read} ${random.pick(['<', '>', '<>'])} ${value})`,
    `coalesce(${read} <> ${value}, true)`,
  ]);
}

function ofSubquery(maker: Maker, node: string): string {
  const { random } = maker;
  const [one, other] = [maker.type(), maker.type()];
  const inner: Variables = new Map([[node, 'node']]);
  const x = maker.name();
  return random.pick([
    () => `(${node})-[:${one}]->()`,
    () => `NOT (${node})--(:${maker.label()})`,
    () => `exists((${node})<-[:${one}]-())`,
    () => `EXISTS { (${node})-[:${one}|${other}*1..2]->(:Entity {id: 'e1'}) }`,
    () => `EXISTS { (${node})-[:${one}]->(${x}) WHERE ${condition(maker, new Map([...inner, [x, 'node']]))} }`,
    () => `EXISTS { ${match(maker, inner, 1, { from: node })} RETURN 1 AS ${x} }`,
    () => `COUNT { ${match(maker, inner, 1, { from: node })} } > ${random.below(3)}`,
    () => `COUNT { (${node})-->(:Literal) } > 2`,
    () => `any(x IN [(${node})-[:${one}]->(${x}) | ${x}.id] WHERE x = ${maker.id()})`,
    () => `all(x IN COLLECT { MATCH (${node})-[:${one}]->(${x}) RETURN ${x}.id } WHERE x <> ${maker.id()})`,
  ])();
}

function ofRelationship(maker: Maker, edge: string): string {
  const type = maker.type();
  const name = type.replaceAll('`', '');
  const { random } = maker;
  return random.pick([
    `${edge}.certainty >= 0.5`,
    `type(${edge}) = '${name}'`,
    `${edge}:${type}|${maker.type()}`,
    `NOT ${edge}:${type}`,
    `${random.pick(['', 'NOT '])}${edge}:${random.pick(['PAST', type, ...(maker.colons ? [] : ['%', '!PAST'])])}`,
    `${edge}.retractedAt IS NULL`,
    `type(${edge}) <> 'PAST'`,
    `${edge}.graph IN ['urn:g:1', 'urn:g:2']`,
    `startNode(${edge}).id < endNode(${edge}).id`,
  ]);
}

/** Of what may be a node: it fails for what is none. */
export function ofMixed(maker: Maker, name: string): string {
  const { random } = maker;
  maker.fails = true;
  return random.pick([`${name}:${maker.label()}`, `NOT ${name}:${maker.label()}`]);
}

function ofPath(maker: Maker, path: string): string {
  return maker.random.pick([
    `length(${path}) > 1`,
    `all(x IN nodes(${path}) WHERE x.${maker.anyProperty().text} IS NOT NULL)`,
    `none(x IN relationships(${path}) WHERE x.certainty < 0.5)`,
  ]);
}
