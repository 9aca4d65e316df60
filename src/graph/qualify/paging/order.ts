import { has, plain, type Tree, tree, trees } from '../grammar/tree.ts';

/** The order and the length of a page, as a `WITH` says them. */
export interface Page {
  /** Whether it hands on every variable, as before the values of an answer are read. */
  isStar: boolean;
  items: readonly OrderItem[];
  /** As they stand behind `SKIP` and `LIMIT`. */
  skip?: string;
  limit?: string;
}

/** What rows are sorted by: a property, or a variable that holds what was worked out before. */
export interface OrderItem {
  base: string;
  /** Absent where it is the variable itself. */
  key?: string;
  direction: 'ASC' | 'DESC';
  /** Whether rows without a value come first. */
  nullsFirst: boolean;
}

/**
 * The schema's directions (`schema/sortDirections.ts`): Cypher's long words stand for those with what is absent first.
 */
export const directions = {
  ASC: { direction: 'ASC', nullsFirst: false },
  DESC: { direction: 'DESC', nullsFirst: false },
  ASCENDING: { direction: 'ASC', nullsFirst: true },
  DESCENDING: { direction: 'DESC', nullsFirst: true },
} as const;

/** Whether a `WITH` sorts by anything. */
export function sorts(clause: Tree): boolean {
  return tree(tree(clause, 'returnBody') ?? clause, 'orderBy') !== undefined;
}

/** The page of a `WITH` that sorts by properties and variables; undefined where it sorts by more, or by nothing. */
export function pageOf(clause: Tree): Page | undefined {
  const body = clause.rule === 'withClause' ? tree(clause, 'returnBody') : undefined;
  const order = body && tree(body, 'orderBy');
  if (body === undefined || order === undefined || tree(clause, 'whereClause')) return undefined;
  const items = trees(order, 'orderItem').flatMap((each) => itemOf(each) ?? []);
  if (items.length < trees(order, 'orderItem').length) return undefined;
  const [skip, limit] = [tree(body, 'skip'), tree(body, 'limit')].map((each) => each && trees(each).map(plain)[0]);
  const given = tree(body, 'returnItems');
  return {
    isStar: given !== undefined && has(given, 'TIMES') && trees(given).length === 0,
    items,
    ...(skip !== undefined && { skip }),
    ...(limit !== undefined && { limit }),
  };
}

function itemOf(of: Tree): OrderItem | undefined {
  const [, base, key, word = 'ASC'] = /^(\w+)(?: \. ([\w`]+))?(?: (\w+))?$/.exec(plain(of)) ?? [];
  return base && word in directions
    ? { base, ...(key !== undefined && { key }), ...directions[word as keyof typeof directions] }
    : undefined;
}

export const expressionOf = ({ base, key }: OrderItem) => (key === undefined ? base : `${base}.${key}`);

/** Whether Neo4j's own order has what is absent where it is wanted: it takes it for the greatest of all. */
const isOwnOrder = ({ direction, nullsFirst, key }: OrderItem) => key === 'id' || nullsFirst === (direction === 'DESC');

/** An edge without a certainty is of the greatest, which is where Neo4j has it. */
export function withCertainties(page: Page, relationship: string | undefined): Page {
  const items = page.items.map((each) => {
    const isCertainty = each.base === relationship && each.key === 'certainty';
    return isCertainty ? { ...each, nullsFirst: each.direction === 'DESC' } : each;
  });
  return { ...page, items };
}

/**
 * What rows are sorted by, with those that have no value where they are wanted.
 * @param named gives another name for an expression that is read twice
 */
export function orderOf(items: readonly OrderItem[], named = (of: string) => of): string[] {
  return items.flatMap((item) => {
    if (isOwnOrder(item)) return [`${expressionOf(item)} ${item.direction}`];
    const value = named(expressionOf(item));
    return [`${value} IS ${item.nullsFirst ? 'NOT ' : ''}NULL`, `${value} ${item.direction}`];
  });
}

/** What tells apart what is sorted alike: without it, rows could stand on two pages or on none. */
export function ties(items: readonly OrderItem[], node: string, relationship?: string): string[] {
  const isById = items.some(({ base, key }) => base === node && key === 'id');
  return [...(isById ? [] : [`${node}.id`]), ...(relationship ? [`${relationship}.statementId`] : [])];
}

/** ` ORDER BY … SKIP … LIMIT …` */
export function pageText(order: readonly string[], { skip, limit }: Pick<Page, 'skip' | 'limit'>): string {
  const said = [
    order.length > 0 && ` ORDER BY ${order.join(', ')}`,
    skip !== undefined && ` SKIP ${skip}`,
    limit !== undefined && ` LIMIT ${limit}`,
  ];
  return said.filter(Boolean).join('');
}
