import { plain, type Tree, tree } from '../grammar/tree.ts';
import { any, data, either, elementOf, isData, type Kind, listOf, node, path, relationship } from './kinds.ts';
import { constants, type Piece } from './piece.ts';

type KindOf = (args: Kind[]) => Kind;

const first: KindOf = ([one]) => one ?? data;
const element: KindOf = ([one]) => elementOf(one ?? any);

/** Functions whose result is no plain value, with what it is. */
const kinds = new Map<string, KindOf>([
  ['coalesce', (args) => args.reduce(either, { is: 'null' })],
  ['collect', ([one]) => listOf(one ?? any)],
  ['endnode', () => node],
  ['head', element],
  ['last', element],
  ['max', first],
  ['min', first],
  ['nodes', () => listOf(node)],
  ['nullif', first],
  ['properties', first],
  ['relationships', () => listOf(relationship)],
  ['reverse', first],
  ['startnode', () => node],
  ['tail', first],
]);

const aggregates = constants`
  avg collect count max min percentileCont percentileDisc stDev stDevP sum percentile_cont percentile_disc stdev_pop stdev_samp`;

/** Functions of values, and what is said of nodes and relationships without reading others. */
const others = constants`
  isEmpty isNaN coalesce endNode startNode head last nodes relationships nullIf reverse tail properties keys
  char_length character_length labels length range size timestamp toBoolean toBooleanOrNull toFloat toFloatOrNull toInteger
  toIntegerOrNull toString toStringOrNull toBooleanList toFloatList toIntegerList toStringList type valueType
  abs ceil ceiling floor rand randomUUID round sign e exp ln log log10 sqrt
  acos asin atan atan2 cos cosh cot coth degrees haversin pi radians sin sinh tan tanh
  btrim left lower lTrim replace right rTrim split substring toLower toUpper trim upper
  date datetime localdatetime localtime time duration
  date.transaction date.statement date.realtime date.truncate
  datetime.transaction datetime.statement datetime.realtime datetime.truncate
  localdatetime.transaction localdatetime.statement localdatetime.realtime localdatetime.truncate
  localtime.transaction localtime.statement localtime.realtime localtime.truncate
  time.transaction time.statement time.realtime time.truncate
  datetime.fromEpoch datetime.fromEpochMillis duration.between duration.inMonths duration.inDays duration.inSeconds
  point point.distance point.withinBBox
  apoc.date.convertFormat`;

/**
 * The function of this name, if queries may call it.
 * @param name in lower case
 */
export function functionNamed(name: string): Piece | undefined {
  return aggregates.get(name) ?? others.get(name);
}

/** The name of the function that is called here, in lower case; empty where none is. */
export function functionOf(of: Tree): string {
  const named = of.rule === 'functionInvocation' ? tree(of, 'functionName') : undefined;
  return named ? plain(named).replace(/[\s`]/g, '').toLowerCase() : '';
}

/** @param name in lower case */
export function isAggregate(name: string): boolean {
  return aggregates.has(name);
}

/** What a function gives, by what it is given. */
export function resultOf(name: string, args: Kind[]): Kind {
  return kinds.get(name)?.(args) ?? data;
}

/** Functions that may be given nodes, relationships and paths: others could read properties of them. */
const ofElements = new Set(
  `coalesce collect count endnode head isempty labels last length max min nodes nullif relationships reverse size startnode tail
  tostring tostringornull type valuetype`.split(/\s+/),
);

/** @param name in lower case */
export function takesElements(name: string): boolean {
  return ofElements.has(name);
}

/** Functions that list what a node or relationship holds, the tenant included. */
export function revealsAll(name: string, args: Kind[]): boolean {
  return (name === 'keys' || name === 'properties') && !args.every((kind) => isData(kind) || kind.is === 'map');
}

/** Whether a whole node, relationship or path may be in it. */
export function holdsElements(kind: Kind): boolean {
  if (kind.is === 'list') return holdsElements(kind.of);
  if (kind.is === 'map') return [...kind.members.values()].some(holdsElements);
  return kind === node || kind === relationship || kind === path || kind.is === 'any';
}
