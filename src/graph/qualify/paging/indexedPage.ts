import { plain, type Tree } from '../grammar/tree.ts';
import { orderOf, type Page, pageText, ties } from './order.ts';

/** `MATCH (node:Label&Entity) WHERE …` */
const matching = /^MATCH (?<pattern>\( (?<node>\w+) : [^()]*\))(?: WHERE (?<condition>.*))?$/s;

/**
 * A page of a class in the order of an index: those that have a value, as the index has them, and behind them those
 * that don't. Neo4j takes no more of them than the page needs, and the tenant before the property is what makes it take
 * them from the index.
 * @param indexed the properties that an index has
 * @param name one that nothing else has
 * @returns undefined where no index has the order
 */
export function indexedPage(
  match: Tree,
  { items, isStar, skip, limit }: Page,
  indexed: ReadonlySet<string>,
  name: string,
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
    return `${clause(`${node}.id IS NOT NULL`)}\nWITH ${node}${pageText(order, page)}`;
  }
  if (limit === undefined || first.nullsFirst || !indexed.has(key)) return undefined;
  const rest = [...orderOf(others), ...ties(items, node)];
  const enough = { limit: skip === undefined ? limit : `${skip} + ${limit}` };
  const present = [`${node}.tenant ${direction}`, `${node}.${key} ${direction}`, ...rest];
  const absent = others.length > 0 ? rest : [`${node}.tenant`, ...rest];
  return `CALL () {
${clause(`${node}.${key} IS NOT NULL`)}
WITH ${node}${pageText(present, enough)}
RETURN ${node} AS ${name}
UNION ALL
${clause(`${node}.${key} IS NULL`)}
WITH ${node}${pageText(absent, enough)}
RETURN ${node} AS ${name}
}
WITH ${name} AS ${node}${pageText([], page)}
WITH ${node}${pageText([...orderOf(items), ...ties(items, node)], {})}`;
}
