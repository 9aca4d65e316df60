import { condition } from './cypherConditions.ts';
import { failing, failingFor } from './cypherFailing.ts';
import { match } from './cypherPatterns.ts';
import type { Maker, Variables } from './cypherText.ts';

/** Any value that is the same however the database numbers its nodes and whatever it finds first. */
export function value(maker: Maker, variables: Variables): string {
  const { random } = maker;
  const nodes = maker.of(variables, 'node');
  const relationships = maker.of(variables, 'relationship');
  const property = () => `${random.pick(nodes)}.${maker.anyProperty().text}`;
  const options = [
    () => text(maker, variables),
    () => number(maker, variables),
    () => list(maker, variables),
    () => map(maker, variables),
    () => `(${condition(maker, variables)})`,
    () => (random.chance(0.1) ? failing(maker, variables) : text(maker, variables)),
    ...[...maker.of(variables, 'value'), ...maker.of(variables, 'map')].map((name) => () => name),
  ];
  if (nodes.length > 0) options.push(property, property, property, property, () => moment(maker, random.pick(nodes)));
  if (relationships.length > 0) {
    const [r] = [random.pick(relationships)];
    options.push(() =>
      random.pick([`type(${r})`, `${r}.certainty`, `${r}.predicate`, `${r}.retractedBy`, `endNode(${r}).id`]),
    );
  }
  for (const path of maker.of(variables, 'path')) options.push(() => ofPath(maker, path));
  for (const path of maker.of(variables, 'shortest')) options.push(() => `length(${path})`);
  for (const edges of maker.of(variables, 'relationships'))
    options.push(() => random.pick([`size(${edges})`, `[x IN ${edges} | type(x)]`]));
  for (const each of maker.of(variables, 'nodes'))
    options.push(() => random.pick([`size(${each})`, `[x IN ${each} | x.${maker.anyProperty().text}]`]));
  return random.pick(options)();
}

export function text(maker: Maker, variables: Variables): string {
  const { random } = maker;
  if (random.chance(0.004)) return random.pick([number, list, map])(maker, variables);
  const inner = () => text(maker, variables);
  if (maker.more(0.3)) {
    return random.pick([
      () => `coalesce(${inner()}, ${inner()})`,
      () => `toUpper(${inner()})`,
      () => `left(${inner()}, 2)`,
      () => `${inner()} + ${inner()}`,
      () => `replace(${inner()}, 'n', '-')`,
      () => `reverse(${inner()})`,
      () => `substring(trim(${inner()}), 1)`,
      () => `nullIf(${inner()}, ${inner()})`,
      () => `CASE WHEN ${condition(maker, variables)} THEN ${inner()} ELSE ${inner()} END`,
      () => `CASE ${inner()} WHEN 'Ann' THEN 'A' WHEN ${inner()} THEN 'B' END`,
      () => `CASE ${number(maker, variables)} WHEN IS NULL THEN 'none' WHEN > 1, = 0 THEN 'some' ELSE ${inner()} END`,
      () => `toStringOrNull(${number(maker, variables)})`,
      () => `reduce(s = '', x IN ${list(maker, variables)} | s + coalesce(toStringOrNull(x), '-'))`,
      () => `{a: ${inner()}, b: 1}.a`,
      () => `{a: ${inner()}}['a']`,
    ])();
  }
  const nodes = maker.of(variables, 'node');
  const texts = maker.of(variables, 'text');
  if (texts.length > 0 && random.chance(0.4)) return random.pick(texts);
  if (nodes.length === 0) return maker.given(random.pick(['Ann', 'Oslo', 'b']));
  const n = random.pick(nodes);
  const property = maker.property(['String', 'ID']);
  const options = [`${n}.id`, `${n}.type`, `head([${n}]).id`, maker.given('Ann'), disguised(maker, n)];
  if (property) options.push(`${n}.${property}`, `${n}.${property}`, `{a: ${n}}.a.${property}`);
  return random.pick(options);
}

export function number(maker: Maker, variables: Variables): string {
  const { random } = maker;
  if (random.chance(0.004)) return random.pick([text, list])(maker, variables);
  const inner = () => number(maker, variables);
  const nodes = maker.of(variables, 'node');
  if (nodes.length > 0 && maker.more(0.2)) {
    const n = random.pick(nodes);
    const local: Variables = new Map([[n, 'node']]);
    const x = maker.name();
    return random.pick([
      () => `COUNT { (${n})--() }`,
      () => `COUNT { ${match(maker, local, 1, { from: n })} }`,
      () => {
        const matched = match(maker, local, 1, { from: n });
        return `COUNT { ${matched} RETURN ${distinctBehind(matched)}${value(maker, local)} AS ${x} }`;
      },
      () => `size([(${n})-[]->(${x}) WHERE ${x}.${maker.anyProperty().text} IS NOT NULL | ${x}.id])`,
      () => comprehended(maker, n),
    ])();
  }
  if (maker.more(0.25)) {
    return random.pick([
      () => `(${inner()} ${random.pick(['+', '-', '*'])} ${inner()})`,
      () => `abs(${inner()})`,
      () => `-${inner()}`,
      () => `toInteger(floor(${inner()}))`,
      () => `coalesce(${inner()}, 0)`,
      () => `CASE WHEN ${condition(maker, variables)} THEN ${inner()} ELSE 0 END`,
      () => `size(${list(maker, variables)})`,
      () => `size(${text(maker, variables)})`,
      () => `reduce(s = 0, x IN ${list(maker, variables)} | s + coalesce(size(toStringOrNull(x)), 1))`,
      () => `size(keys(${map(maker, variables)}))`,
    ])();
  }
  const options = [() => maker.given(random.below(20))];
  for (const each of maker.of(variables, 'number')) options.push(() => each);
  for (const each of maker.of(variables, 'path')) options.push(() => `length(${each})`);
  for (const each of maker.of(variables, 'relationship')) options.push(() => `${each}.certainty`);
  const property = maker.property(['Int', 'Float']);
  if (nodes.length > 0 && property) options.push(...[1, 2].map(() => () => `${random.pick(nodes)}.${property}`));
  return random.pick(options)();
}

export function list(maker: Maker, variables: Variables): string {
  const { random } = maker;
  if (random.chance(0.004)) return random.pick([text, number])(maker, variables);
  const inner = () => list(maker, variables);
  const nodes = maker.of(variables, 'node');
  if (nodes.length > 0 && maker.more(0.25)) {
    const n = random.pick(nodes);
    const local: Variables = new Map([[n, 'node']]);
    const y = maker.name();
    const matched = match(maker, local, 1, { from: n });
    const distinct = random.pick(['', distinctBehind(matched)]);
    const collected = `COLLECT { ${matched} RETURN ${distinct}${text(maker, local)} AS ${y} ORDER BY ${y}${random.pick(['', ' SKIP 1', ' LIMIT 2'])} }`;
    return random.chance(0.8) ? collected : `[x IN ${collected} WHERE x IS NOT NULL]`;
  }
  if (maker.more(0.3)) {
    return random.pick([
      () => `[x IN ${inner()} WHERE x IS NOT NULL]`,
      () => `[x IN ${inner()} | toStringOrNull(x) + '!']`,
      () => `[x IN ${inner()} WHERE ${condition(maker, variables)} | [x]]`,
      () => `tail(${inner()})`,
      () => `reverse([x IN ${inner()} | x])`,
      () => `${inner()} + ${inner()}`,
      () => `${inner()}[0..2]`,
      () => `split(${text(maker, variables)}, 'n')`,
      () => `[x IN range(0, 2) | ${text(maker, variables)}]`,
    ])();
  }
  const lists = maker.of(variables, 'list');
  if (lists.length > 0 && random.chance(0.4)) return random.pick(lists);
  const property = maker.property(['String', 'ID', 'Int', 'Float', 'Boolean'], true);
  if (nodes.length > 0 && property && random.chance(0.6)) return `${random.pick(nodes)}.${property}`;
  return `[${text(maker, variables)}, ${number(maker, variables)}]`;
}

function map(maker: Maker, variables: Variables): string {
  const { random } = maker;
  const nodes = maker.of(variables, 'node');
  const maps = maker.of(variables, 'map');
  if (maps.length > 0 && random.chance(0.5)) {
    const of = random.pick(maps);
    return random.pick([`${of} {.*}`, `${of} {.*, c: ${text(maker, variables)}}`, `${of} {.a}`, `properties(${of})`]);
  }
  if (nodes.length === 0) return `{a: ${text(maker, variables)}, b: ${number(maker, variables)}}`;
  const n = random.pick(nodes);
  const [x, y] = [maker.name(), maker.name()];
  const [one, other] = [maker.anyProperty().text, maker.anyProperty().text];
  return random.pick([
    () => `${n} {.id, .${one}}`,
    () => `${n} {.${one}, .${other}, all: ${text(maker, variables)}}`,
    () => `${n} {.type, a: ${n} {.${one}}}`,
    () => `{a: ${n}.${one}, b: ${text(maker, variables)}}`,
    () => `${n} {.id, inner: COLLECT { MATCH (${n})-[:${maker.type()}]->(${x}) RETURN ${x}.id AS ${y} ORDER BY ${y} }}`,
  ])();
}

/** A property of a node that a map or list holds beside values. */
function disguised(maker: Maker, node: string): string {
  const { random } = maker;
  const property = random.pick(['id', 'type', maker.property(['String', 'ID']) ?? 'id']);
  return random.pick([
    `[${node}, ${node}][1].${property}`,
    `{l: [${node}], a: 1}.l[0].${property}`,
    `[m IN [{a: 1, b: ${node}}] | m {a: ${node}, .*}][0].a.${property}`,
    `[m IN [{a: ${node}, b: 1}] | m {.*, a: 1}][0].b`,
    `head([m IN [{a: 1, b: ${node}}] | m {a: ${node}, .*}.a]).${property}`,
    `[m IN [{b: ${node}}] | properties(m).b.${property}][0]`,
  ]);
}

/** Of dates and moments. */
function moment(maker: Maker, node: string): string {
  const { random } = maker;
  const [day, time] = [maker.property(['Date']), maker.property(['DateTime'])];
  const options = [`date('2024-01-02') < date('2024-01-03')`];
  if (day) options.push(`${node}.${day}.year`, `${node}.${day} + duration('P1M')`, `toString(${node}.${day})`);
  if (time)
    options.push(
      `${node}.${time}.hour`,
      `datetime.truncate('day', coalesce(${node}.${time}, datetime('2024-01-02')))`,
      `duration.inSeconds(${node}.${time}, datetime('2024-01-02')).seconds`,
    );
  return random.pick(options);
}

function ofPath(maker: Maker, path: string): string {
  return maker.random.pick([
    `length(${path})`,
    `[x IN nodes(${path}) | x.${maker.anyProperty().text}]`,
    `[x IN relationships(${path}) | type(x)]`,
    `reduce(s = '', x IN nodes(${path}) | s + coalesce(x.id, '-'))`,
    `last(nodes(${path})).id`,
  ]);
}

/** Behind a path of steps in parentheses Neo4j 5.26 gives some values twice in spite of it, in a sub-query. */
function distinctBehind(matched: string): string {
  return /\)[{+]/.test(matched) ? '' : 'DISTINCT ';
}

/** How many paths there are from a node, by a condition that may fail. */
function comprehended(maker: Maker, node: string): string {
  const { random } = maker;
  const [path, edge, end] = [maker.name(), maker.name(), maker.name()];
  const local: Variables = new Map([
    [node, 'node'],
    [end, 'node'],
  ]);
  const isLong = random.chance(0.4);
  const type = random.pick(['', `:${maker.type()}`]);
  if (!isLong) local.set(edge, 'relationship');
  const where = random.chance(0.6) ? failingFor(maker, local) : condition(maker, local);
  const pattern = `(${node})-[${edge}${type}${isLong ? '*1..2' : ''}]->(${end})`;
  return `size([${path} = ${pattern} WHERE ${where} | length(${path})])`;
}
