import { plain, type Tree } from '../grammar/tree.ts';
import { behind } from './keyset.ts';
import { type OrderItem, orderOf, type Page, pageText, ties } from './order.ts';

/** `MATCH (node:Label&Entity) WHERE …` */
const matching = /^MATCH (?<pattern>\( (?<node>\w+) : [^()]*\))(?: WHERE (?<condition>.*))?$/s;

/**
 * A page of a class in the order of an index: those that have a value, as the index has them, and behind them those
 * that don't. Neo4j takes no more of them than the page needs, and the tenant before the property is what makes it take
 * them from the index.
 * @param indexed the properties that an index has
 * @param name one that nothing else has
 * @param after of the row that the page begins behind, whether it has no value, by what is sorted by
 * @returns undefined where no index has the order
 */
export function indexedPage(
  match: Tree,
  { items, isStar, skip, limit }: Page,
  indexed: ReadonlySet<string>,
  name: string,
  after?: readonly boolean[],
): string | undefined {
  const [first, ...others] = items;
  const { pattern = '', node = '', condition } = matching.exec(plain(match))?.groups ?? {};
  if (!isStar || first?.base !== node || items.some(({ base }) => base !== node)) return undefined;
  const { key, direction } = first;
  if (key === undefined) return undefined;
  const clause = (more: string) => `MATCH ${pattern} WHERE ${condition ? `${more} AND (${condition})` : more}`;
  const page = { ...(skip !== undefined && { skip }), ...(limit !== undefined && { limit }) };
  if (key === 'id') {
    const order = [`${node}.tenant ${direction}`, `${node}.id ${direction}`];
    // An index of two properties serves where both are asked.
    const begin = after ? behind(items, after, node) : `${node}.id IS NOT NULL`;
    return `${clause(begin)}\nWITH ${node}${pageText(order, page)}`;
  }
  if (limit === undefined || first.nullsFirst || !indexed.has(key)) return undefined;
  const rest = [...orderOf(others), ...ties(items, node)];
  const enough = { limit: skip === undefined ? limit : `${skip} + ${limit}` };
  const present = [`${node}.tenant ${direction}`, `${node}.${key} ${direction}`, ...rest];
  const absent = others.length > 0 ? rest : [`${node}.tenant`, ...rest];
  const { withValue, without } = conditions(items, `${node}.${key}`, node, after);
  const parts = [
    ...(withValue ? [`${clause(withValue)}\nWITH ${node}${pageText(present, enough)}\nRETURN ${node} AS ${name}`] : []),
    `${clause(without)}\nWITH ${node}${pageText(absent, enough)}\nRETURN ${node} AS ${name}`,
  ];
  return `CALL () {
${parts.join('\nUNION ALL\n')}
}
WITH ${name} AS ${node}${pageText([], page)}
WITH ${node}${pageText([...orderOf(items), ...ties(items, node)], {})}`;
}

/** What those meet that have a value, where any may come, and those that have none. */
function conditions(
  items: readonly OrderItem[],
  value: string,
  node: string,
  after: readonly boolean[] | undefined,
): { withValue?: string; without: string } {
  if (after === undefined) return { withValue: `${value} IS NOT NULL`, without: `${value} IS NULL` };
  const rest = behind(items, after, node, undefined, 1);
  if (after[0]) return { without: `${value} IS NULL AND (${rest})` };
  const sign = items[0]?.direction === 'DESC' ? '<' : '>';
  // The first of these is what the index seeks by. With a second sign for `<>`, Neo4j would seek for each side of the OR
  // in an index of its own, and sort what it finds.
  return {
    withValue: `${value} ${sign}= $after0 AND (${value} <> $after0 OR (${rest}))`,
    without: `${value} IS NULL`,
  };
}
