import {
  any,
  data,
  either,
  elementOf,
  isData,
  type Kind,
  listOf,
  node,
  path,
  relationship,
} from './kinds.ts';

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

const aggregating =
  'avg collect count max min percentilecont percentiledisc stdev stdevp sum percentile_cont percentile_disc stdev_pop stdev_samp';

/** Functions of values, and what is said of nodes and relationships without reading others. */
const plain = `
  exists isempty isnan
  char_length character_length labels length range size timestamp toboolean tobooleanornull tofloat tofloatornull tointeger
  tointegerornull tostring tostringornull tobooleanlist tofloatlist tointegerlist tostringlist type valuetype
  abs ceil ceiling floor rand randomuuid round sign e exp ln log log10 sqrt
  acos asin atan atan2 cos cosh cot coth degrees haversin pi radians sin sinh tan tanh
  btrim left lower ltrim replace right rtrim split substring tolower toupper trim upper
  date datetime localdatetime localtime time duration
  point point.distance point.withinbbox
  apoc.date.convertformat
  keys properties`;

const moments = 'date datetime localdatetime localtime time'.split(' ');
const temporal = [
  ...moments.flatMap((name) =>
    ['transaction', 'statement', 'realtime', 'truncate'].map((each) => `${name}.${each}`),
  ),
  'datetime.fromepoch',
  'datetime.fromepochmillis',
  ...['between', 'inmonths', 'indays', 'inseconds'].map((each) => `duration.${each}`),
];

const aggregates = new Set(aggregating.split(' '));
const allowed = new Set([...aggregates, ...plain.trim().split(/\s+/), ...temporal, ...kinds.keys()]);

/** @param name in lower case */
export function isAllowed(name: string): boolean {
  return allowed.has(name);
}

/** @param name in lower case */
export function isAggregate(name: string): boolean {
  return aggregates.has(name);
}

/** What a function gives, by what it is given. */
export function resultOf(name: string, args: Kind[]): Kind {
  return kinds.get(name)?.(args) ?? data;
}

/** Functions that list what a node or relationship holds, the tenant included. */
export function revealsAll(name: string, args: Kind[]): boolean {
  return (
    (name === 'keys' || name === 'properties') && !args.every((kind) => isData(kind) || kind.is === 'map')
  );
}

/** Whether a whole node, relationship or path may be in it. */
export function holdsElements(kind: Kind): boolean {
  if (kind.is === 'list') return holdsElements(kind.of);
  if (kind.is === 'map') return [...kind.members.values()].some(holdsElements);
  return kind === node || kind === relationship || kind === path || kind.is === 'any';
}
