import { either, elementOf, type Kind, listOf } from './kinds.ts';

/** Functions of values, and those that take a node, relationship or path whole and read no property of it. */
export const ofValues = new Set(
  `avg percentilecont percentiledisc stdev stdevp sum percentile_cont percentile_disc stdev_pop stdev_samp isnan char_length
  character_length range timestamp toboolean tobooleanornull tofloat tofloatornull tointeger tointegerornull tobooleanlist tofloatlist
  tointegerlist tostringlist abs ceil ceiling floor rand randomuuid round sign e exp ln log log10 sqrt acos asin atan atan2 cos cosh cot
  coth degrees haversin pi radians sin sinh tan tanh btrim left lower ltrim replace right rtrim split substring tolower toupper trim upper
  date datetime localdatetime localtime time duration point point.distance point.withinbbox apoc.date.convertformat keys properties
  datetime.fromepoch datetime.fromepochmillis duration.between duration.inmonths duration.indays duration.inseconds`.split(
    /\s+/,
  ),
);
export const clock = /^(date|datetime|localdatetime|localtime|time)\.(transaction|statement|realtime|truncate)$/;
export const ofElements = new Set(
  `coalesce collect count endnode head isempty labels last length max min nodes nullif relationships reverse size startnode tail tostring
  tostringornull type valuetype`.split(/\s+/),
);

const itself = (kind: Kind) => kind;
/** What functions give that give no plain data, by what they are given. */
export const results: Record<string, (first: Kind, all: Kind[]) => Kind> = {
  coalesce: (_, all) => all.reduce(either, 'null'),
  collect: listOf,
  startnode: () => 'node',
  endnode: () => 'node',
  nodes: () => ({ list: 'node' }),
  relationships: () => ({ list: 'relationship' }),
  head: elementOf,
  last: elementOf,
  max: itself,
  min: itself,
  nullif: itself,
  reverse: itself,
  tail: itself,
};
/** Expressions that give data, whatever is in them, and what is in those besides expressions. */
export const ofData = new Set(
  `expression expression11 expression10 expression9 expression8 expression5 expression4 expression3 trimFunction normalizeFunction
  extendedWhen normalForm countStar`.split(/\s+/),
);
