import { directions, type OrderItem, orderOf, type Page, pageText } from './order.ts';

/** What the values of a group come to; what has no value counts nowhere. */
const measures = {
  min: (value: string) => `min(${value})`,
  max: (value: string) => `max(${value})`,
  average: (value: string) => `avg(${value})`,
  sum: (value: string) => `sum(${value})`,
  distinct: (value: string) => `count(DISTINCT ${value})`,
  // Of several as long the first of the alphabet. To collect the texts would keep all of them.
  shortest: (value: string) => `min(CASE WHEN ${value} IS NOT NULL THEN [size(${value}), ${value}] END)[1]`,
  longest: (value: string) => `min(CASE WHEN ${value} IS NOT NULL THEN [-size(${value}), ${value}] END)[1]`,
};

export type Measure = keyof typeof measures;

/** Groups in the place of the rows of a connection, by what its rows would be sorted by. */
export interface GroupsAsked {
  /** How many of what is sorted by are the keys of a group; the others are measured. */
  keys: number;
  /** What is told of each group, of the value at this place of what is sorted by. */
  measured: readonly { at: number; by: Measure }[];
  /** The order of the groups, by places in `keys` and `measured`; behind it the greatest are first. */
  order: readonly GroupOrder[];
}

export interface GroupOrder {
  of: 'count' | 'keys' | 'measured';
  /** Absent of a count. */
  at?: number;
  /** As a `WITH` has it (`directions`). */
  direction: keyof typeof directions;
}

/**
 * What stands for the rows of a connection.
 * @param values what is grouped by and measured, as expressions
 * @param page its length is that of the list
 * @param name of the list, of maps of `keys`, `count` and `measured`
 */
export function groupsText(
  node: string,
  values: readonly string[],
  { keys: length, measured, order }: GroupsAsked,
  { page, name }: { page: Page; name: string },
): string {
  const keys = values.slice(0, length).map((_, at) => `value${at}`);
  const told = measured.map(({ at, by }, index) => `${measures[by](`value${at}`)} AS measured${index}`);
  const by = [...orderOf(order.map(itemOf)), 'members DESC', ...keys.flatMap((key) => [`${key} IS NULL`, key])];
  const names = measured.map((_, at) => `measured${at}`);
  return [
    `WITH ${[node, ...values.map((value, at) => `${value} AS value${at}`)].join(', ')}`,
    `WITH ${[...keys, `count(${node}) AS members`, ...told].join(', ')}${pageText(by, page)}`,
    `RETURN collect({keys: [${keys.join(', ')}], count: members, measured: [${names.join(', ')}]}) AS ${name}`,
  ].join('\n');
}

const columns = { count: 'members', keys: 'value', measured: 'measured' };

const itemOf = ({ of, at, direction }: GroupOrder): OrderItem => ({
  base: `${columns[of]}${at ?? ''}`,
  ...directions[direction],
});
