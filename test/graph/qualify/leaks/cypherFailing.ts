import { condition } from './cypherConditions.ts';
import { list, number, text } from './cypherExpressions.ts';
import type { Maker, Variables } from './cypherText.ts';

/** A condition that fails for some values, or for all; mostly behind another that chooses. */
export function failing(maker: Maker, variables: Variables): string {
  const { random } = maker;
  maker.fails = true;
  const [words, count] = [() => text(maker, variables), () => number(maker, variables)];
  const fails = random.pick([
    () => `1 / (${count()}) > 0`,
    () => '1 / 0 > 0',
    () => `7 % toInteger(${count()}) > 0`,
    () => `9223372036854775800 + toInteger(${count()}) > 0`,
    () => `toBoolean([${words()}, ${count()}][1])`,
    () => `toInteger([[${words()}], 1][0]) > 0`,
    () => `[1, 2][[${words()}, 0][0]] > 0`,
    () => `{a: 1}[[${count()}, 'a'][0]] > 0`,
    () => `${words()} =~ ${words()}`,
    () => `'a' =~ ('(' + ${words()})`,
    () => `date(${words()}).year > 2000`,
    () => `datetime(${words()}) IS NOT NULL`,
    () => `duration(${words()}).days > 0`,
    () => `date({year: 2001, month: toInteger(${count()})}).month > 1`,
    () => `size(range(0, 3, toInteger(${count()}))) > 1`,
    () => `left(${words()}, toInteger(${count()}) - 2) = 'A'`,
    () => `[${words()}][0]`,
    () => `size([${words()}, ${count()}][0]) > 1`,
    () => `any(x IN ${list(maker, variables)} WHERE x)`,
    () => `reduce(s = 1, x IN ${list(maker, variables)} | s / size(x)) > 0`,
  ])();
  if (random.chance(0.2)) return fails;
  return random.pick([
    () => `CASE WHEN ${condition(maker, variables)} THEN ${fails} ELSE true END`,
    () => `(${condition(maker, variables)} AND ${fails})`,
    () => `CASE ${words()} WHEN ${words()} THEN ${fails} ELSE false END`,
  ])();
}

/** A condition that fails for some of the nodes and relationships that the variables hold, and only for these. */
export function failingFor(maker: Maker, variables: Variables): string {
  const { random } = maker;
  maker.fails = true;
  const nodes = maker.of(variables, 'node');
  const edges = maker.of(variables, 'relationship');
  const divisor = random.pick([
    ...edges.map((edge) => () => ofEdge(maker, edge)),
    ...nodes.map((node) => () => ofNode(maker, node)),
    () => number(maker, variables),
  ])();
  if (random.chance(0.2)) return `(${condition(maker, variables)} AND 1 / (${divisor}) >= 0)`;
  return `1 / (${divisor}) ${random.pick(['>= 0', '>= 0', '> 0', 'IS NOT NULL', '< 1'])}`;
}

/** A number that is 0 for some relationships. */
function ofEdge(maker: Maker, edge: string): string {
  return maker.random.pick([
    `toInteger(4 * coalesce(${edge}.certainty, 2)) - ${maker.random.below(5)}`,
    `CASE ${edge}.graph WHEN 'urn:g:${1 + maker.random.below(4)}' THEN 0 ELSE 1 END`,
    `CASE WHEN ${edge}.graph IS NULL THEN 0 ELSE 1 END`,
    `CASE type(${edge}) WHEN 'PAST' THEN 0 ELSE 1 END`,
    `CASE ${edge}.tenant WHEN 'south' THEN 0 ELSE 1 END`,
    `CASE WHEN ${edge}.retractedAt IS NULL THEN 1 ELSE 0 END`,
  ]);
}

/** A number that is 0 for some nodes. */
function ofNode(maker: Maker, node: string): string {
  const property = maker.anyProperty();
  const read = `${node}.${property.text}`;
  // Most literals are hidden by most conditions, and many have a value that no visible one has.
  const scalar = maker.random.pick(['String', 'Int', 'Boolean', 'Float'] as const);
  if (maker.random.chance(0.5)) return `CASE ${node}.value WHEN ${maker.valueOf({ scalar })} THEN 0 ELSE 1 END`;
  return maker.random.pick([
    `CASE ${node}.id WHEN ${maker.id()} THEN 0 ELSE 1 END`,
    `CASE WHEN ${read} IS NULL THEN 0 ELSE 1 END`,
    `CASE WHEN ${read} IS NULL THEN 1 ELSE 0 END`,
    `CASE ${read} WHEN ${maker.valueOf(property)} THEN 0 ELSE 1 END`,
    `size(coalesce(${node}.type, ''))`,
    `date(coalesce(toString(${node}.value), '2001-02-03')).day`,
  ]);
}
