import { condition } from './cypherConditions.ts';
import { failingFor } from './cypherFailing.ts';
import type { Holds, Maker, Variables } from './cypherText.ts';

/*
 * Paths in parentheses, paths that repeat with conditions inside, and shortest paths. No `WITH` can stand in them,
 * so what is asked there is guarded in another way. Much of it fails for some nodes and relationships.
 */

/** A pattern, and what stands around it. */
interface Path {
  /** The clauses before it. */
  before?: string;
  pattern: string;
  /** What must be asked of it. */
  where?: string;
}

/** The node that a path begins with; a new one may have a label. */
interface Start {
  name: string;
  label?: string;
}

const begin = ({ name, label = '' }: Start) => `(${name}${label})`;

/** A clause that matches one such path. */
export function pathMatch(maker: Maker, variables: Variables, word: string, from?: string): string {
  const { random } = maker;
  const { before, pattern, where } = path(maker, variables, from);
  const conditions = where ? [where] : [];
  if (random.chance(0.4)) conditions.push(asked(maker, variables));
  const behind = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
  return `${before ? `${before} ` : ''}${word} ${pattern}${behind}`;
}

function path(maker: Maker, variables: Variables, from?: string): Path {
  const { random } = maker;
  const given = from === undefined ? maker.of(variables, 'node') : [from];
  // In a sub-query more often from anywhere: that makes no rows.
  if (given.length > 0 && random.chance(from === undefined ? 0.85 : 0.65)) {
    const make = random.pick([inParentheses, repeating, repeating, shortest]);
    return make(maker, variables, { name: random.pick(given) });
  }
  if (random.chance(0.4)) return betweenIds(maker, variables);
  const start = { name: maker.name(), label: random.pick([':Literal', ':Literal', `:${maker.label()}`, '']) };
  const made = random.pick([inParentheses, inParentheses, repeating])(maker, variables, start);
  variables.set(start.name, 'node');
  return made;
}

/** Between two nodes that begin the query. */
function betweenIds(maker: Maker, variables: Variables): Path {
  const { random } = maker;
  const [one, other] = [maker.name(), maker.name()];
  const ids = ['e1', random.pick(['e2', 'e3', 'e4'])];
  if (random.chance(0.1)) ids[1] = 'e1';
  variables.set(one, 'node').set(other, 'node');
  return {
    ...shortest(maker, variables, { name: one }, other),
    before: `MATCH (${one} {id: '${ids[0]}'}), (${other} {id: '${ids[1]}'})`,
  };
}

/** A condition on what the variables hold: often one that fails for some of it. */
function asked(maker: Maker, variables: Variables): string {
  return maker.random.chance(0.6) ? failingFor(maker, variables) : condition(maker, variables);
}

const arrows = [
  ['-', '->'],
  ['<-', '-'],
  ['-', '-'],
] as const;

function types(maker: Maker): string {
  return maker.random.pick([`:${maker.type()}`, `:${maker.type()}|${maker.type()}`, '']);
}

/** `((n)-[r]->(b) WHERE …)` */
function inParentheses(maker: Maker, variables: Variables, start: Start): Path {
  const { random } = maker;
  const [edge, end] = [maker.name(), maker.name()];
  const found: [string, Holds][] = [
    [edge, 'relationship'],
    [end, 'node'],
  ];
  const where = random.chance(0.8) ? ` WHERE ${asked(maker, new Map([[start.name, 'node'], ...found]))}` : '';
  for (const [name, holds] of found) variables.set(name, holds);
  const [left, right] = random.pick(arrows);
  const pattern = `(${begin(start)}${left}[${edge}${types(maker)}]${right}(${end})${where})`;
  return { pattern: named(maker, variables, pattern) };
}

/** `(n) ((a)-[r]->(b) WHERE …){1,3} (m)`: in parentheses `a` is one node, and behind them a list. */
function repeating(maker: Maker, variables: Variables, start: Start): Path {
  const { random } = maker;
  const { text, names } = step(maker, variables);
  const end = endOf(maker, variables, start);
  const [one, edge, other] = names;
  variables.set(one, 'nodes').set(edge, 'relationships').set(other, 'nodes').set(end, 'node');
  const pattern = `${begin(start)} ${text}${random.pick(['{1,3}', '{0,2}', '{1,2}', '{2}', '{,2}'])} (${end})`;
  return { pattern: named(maker, variables, pattern) };
}

/** Now and then a path has a name. */
function named(maker: Maker, variables: Variables, pattern: string): string {
  if (!maker.random.chance(0.3)) return pattern;
  const path = maker.name();
  variables.set(path, 'path');
  return `${path} = ${pattern}`;
}

/** One step of a path that repeats. */
function step(maker: Maker, outside: Variables): { text: string; names: [string, string, string] } {
  const { random } = maker;
  const names: [string, string, string] = [maker.name(), maker.name(), maker.name()];
  const [one, edge, other] = names;
  const local: Variables = new Map([
    [one, 'node'],
    [edge, 'relationship'],
    [other, 'node'],
  ]);
  // What stands before the clause may be asked as well.
  const before = maker.of(outside, 'node');
  if (before.length > 0 && random.chance(0.2)) local.set(random.pick(before), 'node');
  const where = random.chance(0.8) ? ` WHERE ${asked(maker, local)}` : '';
  const arrow = random.pick(['->', '->', '-']);
  return {
    text: `((${one})-[${edge}${types(maker)}${inside(maker, edge)}]${arrow}(${other})${where})`,
    names,
  };
}

/** Now and then a relationship's own condition. */
function inside(maker: Maker, edge: string): string {
  return maker.random.chance(0.25) ? ` WHERE ${failingFor(maker, new Map([[edge, 'relationship']]))}` : '';
}

/** The same node, another that is given, or a new one. */
function endOf(maker: Maker, variables: Variables, start: Start): string {
  const given = maker.of(variables, 'node');
  return maker.random.pick([() => start.name, () => maker.random.pick([start.name, ...given]), () => maker.name()])();
}

/** `shortestPath((n)-[*..3]-(m))`. Neo4j fails where both are one node, so mostly they aren't. */
function shortest(maker: Maker, variables: Variables, start: Start, given?: string): Path {
  const { random } = maker;
  maker.fails = true;
  const [path, element] = [maker.name(), maker.name()];
  const end = given ?? maker.name();
  const isApart = random.chance(0.85) ? ` WHERE ${end}.id <> ${start.name}.id` : '';
  const before = `MATCH (${end} {id: ${maker.id()}})${isApart}`;
  const all = random.chance(0.5);
  const length = random.pick(['*..3', '*..4', '*1..2']);
  const pattern = `(${begin(start)}-[${types(maker)}${length}]${random.pick(['->', '-'])}(${end}))`;
  const elements = random.pick(['node', 'relationship'] as const);
  const quantor = random.pick(['all', 'none']);
  const test = failingFor(maker, new Map([[element, elements]]));
  variables.set(end, 'node').set(path, all ? 'path' : 'shortest');
  return {
    ...(given === undefined && { before }),
    pattern: `${path} = ${all ? 'allShortestPaths' : 'shortestPath'}${pattern}`,
    ...(random.chance(0.4) && { where: `${quantor}(${element} IN ${elements}s(${path}) WHERE ${test})` }),
  };
}
