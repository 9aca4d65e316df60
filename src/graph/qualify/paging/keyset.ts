import type { GroupsAsked } from './groups.ts';
import { expressionOf, type OrderItem } from './order.ts';

/** What is asked of the page of a query's own connection, beyond its text. */
export interface PageAsked {
  /**
   * Set where the page begins behind a row: whether this row has no value, for each that rows are sorted by. The values
   * are the parameters `after0`, `after1` …, the row's id is `afterId`.
   */
  after?: readonly boolean[];
  /** Set where groups are to stand for the rows. */
  groups?: GroupsAsked;
}

/**
 * The condition of what comes behind a row in an order, ties by id.
 * @param items the order
 * @param after whether the row has no value, by item
 * @param expressed what is compared, by item
 * @param at the first item that is looked at; before it, rows have the same values
 */
export function behind(
  items: readonly OrderItem[],
  after: readonly boolean[],
  node: string,
  expressed: (item: OrderItem, at: number) => string = expressionOf,
  at = 0,
): string {
  const item = items[at];
  if (item === undefined) return `${node}.id > $afterId`;
  const value = expressed(item, at);
  const sign = item.direction === 'ASC' ? '>' : '<';
  const further = `${value} ${sign} $after${at}`;
  if (item.base === node && item.key === 'id') return further;
  const rest = behind(items, after, node, expressed, at + 1);
  if (after[at]) return item.nullsFirst ? `${value} IS NOT NULL OR (${rest})` : `${value} IS NULL AND (${rest})`;
  const same = `(${value} = $after${at} AND (${rest}))`;
  return [further, ...(item.nullsFirst ? [] : [`${value} IS NULL`]), same].join(' OR ');
}
