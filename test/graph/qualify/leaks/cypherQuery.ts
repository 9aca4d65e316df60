import type { Random } from '../random.ts';
import { condition, ofMixed } from './cypherConditions.ts';
import { list, number, text, value } from './cypherExpressions.ts';
import { match } from './cypherPatterns.ts';
import { type Holds, Maker, type Variables } from './cypherText.ts';
import type { Terms } from './vocabularies.ts';

/** A random query, and whether something in it may fail. */
export interface RandomCypher {
  text: string;
  parameters: Record<string, unknown>;
  fails: boolean;
}

/**
 * A random query in the Cypher that agents may send. Its answer doesn't depend on the order in which the database finds
 * things.
 */
export function randomCypher(random: Random, terms: Terms): RandomCypher {
  const maker = new Maker(random, terms, random.pick([1, 2, 2, 3, 4, 6]), random.chance(0.1));
  const text = random.chance(0.06) ? union(maker, () => new Map(), 'x') : clauses(maker);
  return { text, parameters: maker.parameters, fails: maker.fails };
}

function clauses(maker: Maker): string {
  const { random } = maker;
  const variables: Variables = new Map();
  const made = [match(maker, variables, random.pick([0, 1, 1, 2]))];
  for (let more = random.pick([0, 0, 1, 1, 2, 3]); more > 0; more--) made.push(clause(maker, variables));
  return [...made, returning(maker, variables)].map((each) => maker.comment() + each).join('\n');
}

/** Rows of one column from an entity on, for the statement of a field: every query but its end. */
export function randomCypherFrom(random: Random, terms: Terms, from: string, column: string): string {
  const maker = new Maker(random, terms, 3, false, false);
  const variables: Variables = new Map([[from, 'node']]);
  const clauses = [match(maker, variables, 1, { from })];
  if (random.chance(0.4)) clauses.push(clause(maker, variables));
  const text = `${clauses.join('\n')}\nRETURN ${random.pick(['count', 'max', 'min'])}(${value(maker, variables)}) AS ${column}`;
  // A statement's parameters are the field's arguments.
  return text.replace(/\$p\d+/g, (name) => JSON.stringify(maker.parameters[name.slice(1)]));
}

function union(maker: Maker, start: () => Variables, column: string, from?: string): string {
  const parts = [0, 1].map(() => {
    const variables = start();
    const found = match(maker, variables, 1, from === undefined ? {} : { from });
    return `${found} RETURN ${value(maker, variables)} AS ${column}`;
  });
  return parts.join(maker.random.chance(0.5) ? ' UNION ' : ' UNION ALL ');
}

/** A clause between the first and the last; it changes which variables there are. */
function clause(maker: Maker, variables: Variables): string {
  const { random } = maker;
  const nodes = maker.of(variables, 'node');
  // Mostly from what is there: every row with every other takes long.
  const start = nodes.length > 0 && random.chance(0.8) ? { from: random.pick(nodes) } : {};
  const options = [
    () => match(maker, variables, 1, start),
    () => match(maker, variables, 1, { ...start, optional: true }),
    () => computed(maker, variables),
    () => computed(maker, variables),
    () => `WITH * WHERE ${condition(maker, variables)}`,
    () => unwind(maker, variables),
    () => grouped(maker, variables),
  ];
  if (nodes.length > 0) {
    options.push(
      () => throughMaps(maker, variables, random.pick(nodes)),
      () => call(maker, variables, random.pick(nodes)),
      () => call(maker, variables, random.pick(nodes)),
      () => narrowed(maker, variables),
      () => firstOf(maker, variables, random.pick(nodes)),
      () => mixed(maker, variables, random.pick(nodes)),
    );
  }
  return random.pick(options)();
}

function replace(variables: Variables, by: Iterable<readonly [string, Holds]>): void {
  const kept = [...by];
  variables.clear();
  for (const [name, holds] of kept) variables.set(name, holds);
}

/** Through a list of maps, as @neo4j/graphql does. */
function throughMaps(maker: Maker, variables: Variables, key: string): string {
  const [list, element, out] = [maker.name(), maker.name(), maker.name()];
  replace(variables, [[out, 'node']]);
  return `WITH collect({node: ${key}}) AS ${list} UNWIND ${list} AS ${element} WITH ${element}.node AS ${out}`;
}

function call(maker: Maker, variables: Variables, outer: string): string {
  const { random } = maker;
  const out = maker.name();
  const local: Variables = new Map([[outer, 'node']]);
  const body = () => {
    if (maker.more(0.2)) return union(maker, () => new Map([[outer, 'node']]), out, outer);
    const found = match(maker, local, 1, { from: outer });
    const more = maker.more(0.3) ? ` ${call(maker, local, outer)}` : '';
    const aggregate = random.pick(['count(', 'max(', 'min(', 'count(DISTINCT ']);
    return `${found}${more} RETURN ${aggregate}${value(maker, local)}) AS ${out}`;
  };
  const inner = body();
  variables.set(out, 'value');
  const isUnion = inner.includes(' UNION ');
  const optional = random.chance(0.15) ? 'OPTIONAL ' : '';
  const imported = random.pick([`(${outer})`, '(*)', 'WITH']);
  if (imported === 'WITH' && !isUnion) return `${optional}CALL { WITH ${outer} ${inner} }`;
  return `${optional}CALL ${imported === 'WITH' ? `(${outer})` : imported} { ${inner} }`;
}

/** Fewer variables. */
function narrowed(maker: Maker, variables: Variables): string {
  const { random } = maker;
  const kept = [...variables].filter(() => random.chance(0.7));
  replace(variables, kept.length > 0 ? kept : [...variables].slice(0, 1));
  const names = [...variables.keys()].join(', ');
  return `WITH ${random.chance(0.4) ? 'DISTINCT ' : ''}${names} WHERE ${condition(maker, variables)}`;
}

/** Another variable. */
function computed(maker: Maker, variables: Variables): string {
  const { random } = maker;
  const out = maker.name();
  const [made, holds] = random.pick([
    () => [value(maker, variables), 'value'] as const,
    () => [text(maker, variables), 'text'] as const,
    () => [number(maker, variables), 'number'] as const,
    () => [list(maker, variables), 'list'] as const,
    () => [`{a: ${text(maker, variables)}, b: ${number(maker, variables)}}`, 'map'] as const,
  ])();
  const rest = random.pick([` ORDER BY ${out}`, '']) + random.pick([` WHERE ${out} IS NOT NULL`, '', '']);
  const all = [...variables.keys()];
  variables.set(out, holds);
  return `WITH ${[random.chance(0.4) ? '*' : all.join(', '), `${made} AS ${out}`].filter(Boolean).join(', ')}${rest}`;
}

/** Groups by what a variable's property is. */
function grouped(maker: Maker, variables: Variables): string {
  const { random } = maker;
  const [key, count] = [maker.name(), maker.name()];
  const by = value(maker, variables);
  const aggregated = random.pick([
    () => 'count(*)',
    () => `count(DISTINCT ${value(maker, variables)})`,
    () => `size(collect(DISTINCT ${text(maker, variables)}))`,
  ])();
  replace(variables, [
    [key, 'value'],
    [count, 'number'],
  ]);
  const text_ = `WITH ${by} AS ${key}, ${aggregated} AS ${count}`;
  return random.chance(0.4) ? `${text_} ORDER BY ${key}, ${count} LIMIT 4` : text_;
}

/** Some entities in the order of their ids, which are unique. */
function firstOf(maker: Maker, variables: Variables, node: string): string {
  const { random } = maker;
  replace(variables, [[node, 'node']]);
  const page = `${random.pick(['', '', '', 'SKIP 1 '])}LIMIT ${1 + random.below(3)}`;
  return `WITH DISTINCT ${node} WHERE ${node}:Entity WITH ${node} ORDER BY ${node}.id ${random.pick(['', 'DESC '])}${page}`;
}

/**
 * A node or a number in one variable, of which nothing but labels can be asked; and a pattern that asks it, which could
 * tell what the pattern has met.
 */
function mixed(maker: Maker, variables: Variables, node: string): string {
  const { random } = maker;
  const [out, found] = [maker.name(), maker.name()];
  const one = random.chance(0.5) ? `${node}, 1` : `1, ${node}`;
  const text = random.pick([
    `UNWIND [${one}] AS ${out}`,
    `WITH *, [${one}][${random.below(2)}] AS ${out}`,
    `WITH *, head([${one}]) AS ${out}`,
  ]);
  const start = random.pick([`(${found} {id: ${maker.id()}})`, `(${node})--(${found})`]);
  const asked = condition(maker, new Map([[found, 'node']]));
  variables.set(found, 'node');
  return `${text} MATCH ${start} WHERE ${asked} ${random.pick(['AND', 'OR'])} ${ofMixed(maker, out)}`;
}

function unwind(maker: Maker, variables: Variables): string {
  const { random } = maker;
  const out = maker.name();
  const paths = maker.of(variables, 'path');
  const edges = maker.of(variables, 'relationships');
  const nodes = maker.of(variables, 'nodes');
  if (paths.length > 0) {
    const path = random.pick(paths);
    variables.set(out, 'node');
    return `UNWIND nodes(${path}) AS ${out}`;
  }
  if (edges.length > 0) {
    const list = random.pick(edges);
    variables.set(out, 'relationship');
    return `UNWIND ${list} AS ${out}`;
  }
  if (nodes.length > 0) {
    const list = random.pick(nodes);
    variables.set(out, 'node');
    return `UNWIND ${list} AS ${out}`;
  }
  const over = list(maker, variables);
  variables.set(out, 'value');
  return `UNWIND ${over} AS ${out}`;
}

function returning(maker: Maker, variables: Variables): string {
  const { random } = maker;
  const count = random.pick([1, 1, 2, 3]);
  const columns = Array.from({ length: count }, (_, index) => maker.column(`c${index}`));
  const values = columns.map((column) => `${value(maker, variables)} AS ${column}`);
  if (random.chance(0.3)) {
    const aggregate = random.pick([
      () => `count(${value(maker, variables)})`,
      () => `max(${value(maker, variables)})`,
      () => `min(${value(maker, variables)})`,
      () => `count(DISTINCT ${value(maker, variables)})`,
      () => `sum(${number(maker, variables)})`,
      () => `avg(${number(maker, variables)})`,
      () => `sum(DISTINCT ${number(maker, variables)})`,
      () => `percentileDisc(${number(maker, variables)}, 0.5)`,
    ])();
    // An average may differ in its last digit: it orders nothing.
    if (!aggregate.startsWith('avg')) columns.push('a');
    values.push(`${aggregate} AS a`);
  }
  if (random.chance(0.2)) values.push('count(*) AS n');
  const distinct = random.chance(0.2) ? 'DISTINCT ' : '';
  const direction = random.pick(['', '', ' DESC']);
  const order = random.chance(0.4) ? ` ORDER BY ${columns.join(`${direction}, `)}${direction}` : '';
  // Rows that are equal in every column may take one another's place.
  const isTotal = order !== '' && values.length === columns.length;
  const page =
    isTotal && random.chance(0.5) ? `${random.pick(['', '', '', ' SKIP 1'])} LIMIT ${1 + random.below(5)}` : '';
  return `RETURN ${distinct}${values.join(', ')}${order}${page}`;
}
