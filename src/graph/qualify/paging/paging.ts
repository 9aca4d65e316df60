import { RefusedCypher } from '../grammar/refusedCypher.ts';
import { isTree, parseCypher, plain, type Tree, tree, trees, type Word } from '../grammar/tree.ts';
import { type Connection, connectionOf, said } from './connection.ts';
import { type GroupsAsked, groupsText } from './groups.ts';
import { indexedPage } from './indexedPage.ts';
import { behind, type PageAsked } from './keyset.ts';
import { expressionOf, type OrderItem, orderOf, pageOf, pageText, sorts, ties, withCertainties } from './order.ts';
import { bestLink } from './singleLink.ts';

/**
 * Rewrites the Cypher that @neo4j/graphql makes of Concord's schema so that a page costs the page. The library collects
 * all that a connection could have and carries that list beside each row that it sorts; here rows are sorted and
 * limited before they are collected, in the order of an index where there is one, and counted apart. What has no value
 * comes last, and what is sorted alike is told apart by its id. A single link is the best. The answer is otherwise the
 * same.
 * @param text Cypher of the schema's own; what isn't as the library writes it stays as it is
 * @param indexed properties of entities that an index of each of their classes has, where their values may be read as
 *   they are
 * @param asked what the query's own connection is to be beyond that; its edges then tell as `keys` the values that they
 *   are sorted by and, last, their id; or it has groups
 * @throws RefusedCypher where `asked` is of another order
 */
export function paged(text: string, indexed: ReadonlySet<string>, asked?: PageAsked): string {
  if (!/ORDER BY|collect\(/.test(text)) return text;
  const paging = new Paging(indexed, asked);
  const rewritten = paging.text(parseCypher(text));
  return paging.hasFound ? rewritten : text;
}

/** What a page is taken of. */
interface Paged {
  node?: string | undefined;
  relationship?: string;
  /** Only of a page that tells keys. */
  asked?: PageAsked;
}

class Paging {
  /** Whether there was anything to rewrite. */
  hasFound = false;
  private names = 0;

  /** @param asked of the first connection that is found, which is the query's own */
  constructor(
    private readonly indexed: ReadonlySet<string>,
    private asked?: PageAsked,
  ) {}

  text(of: Tree | Word): string {
    if (!isTree(of)) return of.text;
    if (of.rule === 'singleQuery') return this.query(of);
    if (of.rule === 'withClause') return this.sorted(of);
    return of.parts.map((part) => this.text(part)).join(' ');
  }

  private query(of: Tree): string {
    const clauses = trees(of, 'clause').flatMap((each) => trees(each));
    if (clauses.length < of.parts.length) return of.parts.map((part) => this.text(part)).join(' ');
    const link = bestLink(clauses);
    if (link) {
      this.hasFound = true;
      return clauses.map((each) => (each === link.clause ? link.text : this.text(each))).join('\n');
    }
    const connection = connectionOf(clauses);
    return connection ? this.connection(connection) : this.clauses(clauses);
  }

  private clauses(of: readonly Tree[]): string {
    const at = of.findIndex((each) => pageOf(each)?.isStar);
    const [before, page, after] = at < 0 ? [of, [], []] : [of.slice(0, at), of.slice(at, at + 1), of.slice(at + 1)];
    const [, node] = /^MATCH \( (\w+) :/.exec(before[0] ? plain(before[0]) : '') ?? [];
    return [this.page(before, page[0], { node }), ...after.map((each) => this.text(each))].join('\n');
  }

  private connection(of: Connection): string {
    this.hasFound = true;
    const { before, page, early, late, node } = of;
    const { asked } = this;
    this.asked = undefined;
    // What the order doesn't need is worked out for the page alone.
    const isOfProperties = page && pageOf(page)?.items.every(({ key }) => key !== undefined);
    const needsEarly = page !== undefined && sorts(page) && !isOfProperties;
    const found = needsEarly ? [...before, ...early] : before;
    if (asked?.groups)
      return [
        `CALL (*) {\n${this.grouped(found, page, of, asked.groups)}\n}`,
        ...of.rest.map((each) => this.text(each)),
      ].join('\n');
    const { text, keys } = asked
      ? this.keyed(found, page, node, asked)
      : { text: this.page(found, page, of), keys: [] };
    const rest = [...(needsEarly ? [] : early), ...late].map((each) => this.text(each));
    const body = [
      text,
      ...rest,
      asked ? telling([...keys, `${node}.id`], of.result, this.text(of.result)) : this.text(of.result),
    ];
    const count = [...before.map((each) => this.text(each)), `RETURN count(${node}) AS totalCount`];
    const calls = [body, ...(of.isCounted ? [count] : [])].map((each) => `CALL (*) {\n${each.join('\n')}\n}`);
    return [...calls, ...of.rest.map((each) => this.text(each))].join('\n');
  }

  /** Clauses and the `WITH` behind them that takes a page of what they find. */
  private page(before: readonly Tree[], clause: Tree | undefined, of: Paged): string {
    const [match, ...more] = before;
    const page = clause && pageOf(clause);
    const indexed =
      match && page && more.length === 0 && indexedPage(match, page, this.indexed, `paged${this.names + 1}`);
    if (indexed) {
      this.names += 1;
      this.hasFound = true;
      return indexed;
    }
    const last = clause ? [this.sorted(clause, of)] : [];
    return [...before.map((each) => this.text(each)), ...last].join('\n');
  }

  /** What stands for the page and its edges. */
  private grouped(before: readonly Tree[], clause: Tree | undefined, of: Connection, asked: GroupsAsked): string {
    const page = clause && pageOf(clause);
    const [, name] = / AS (\w+)$/.exec(said(of.result)) ?? [];
    if (!page || of.isCounted || name === undefined)
      throw new RefusedCypher('groups of another form', of.result.position);
    const values = page.items.map(expressionOf);
    const groups = groupsText(of.node, values, asked, { page, name });
    return [...before.map((each) => this.text(each)), groups].join('\n');
  }

  /** A page that begins behind a row, and what each of its rows tells of its place. */
  private keyed(before: readonly Tree[], clause: Tree | undefined, node: string, { after }: PageAsked) {
    const [match, ...more] = before;
    const page = clause && pageOf(clause);
    if (!match || !clause || !page?.isStar || (after && after.length !== page.items.length))
      throw new RefusedCypher('a page of another order', match?.position ?? { line: 1, column: 1 });
    const { items } = page;
    const indexed = more.length === 0 && indexedPage(match, page, this.indexed, `paged${this.names + 1}`, after);
    if (indexed) {
      this.names += 1;
      return { text: indexed, keys: items.map(expressionOf) };
    }
    const keys = items.map(() => {
      this.names += 1;
      return `sorted${this.names}`;
    });
    const keyOf = (_: OrderItem, at: number) => keys[at] ?? '';
    const columns = items.map((item, at) => `${expressionOf(item)} AS ${keyOf(item, at)}`);
    const condition = after ? ` WHERE ${behind(items, after, node, keyOf)}` : '';
    // An id is never absent.
    const named = items.map((item, at) => (isId(item, node) ? item : { ...withoutKey(item), base: keyOf(item, at) }));
    const order = [...orderOf(named), ...ties(items, node)];
    const text = [
      ...before.map((each) => this.text(each)),
      `WITH *, ${columns.join(', ')}${condition}`,
      `WITH *${pageText(order, page)}`,
    ];
    return { text: text.join('\n'), keys };
  }

  private sorted(clause: Tree, { node: given, relationship }: Paged = {}): string {
    const found = pageOf(clause);
    const items = tree(tree(clause, 'returnBody') ?? clause, 'returnItems');
    if (!found || !items) return clause.parts.map((part) => this.text(part)).join(' ');
    this.hasFound = true;
    const page = withCertainties(found, relationship);
    const shown = page.isStar ? undefined : shownNode(items);
    const before = shown ? beforeShown(shown, page.items) : page.items;
    if (!before || !(page.isStar || shown)) return `WITH ${this.text(items)}${pageText(orderOf(page.items), page)}`;
    const read = before.find(({ base, key }) => key !== undefined && base !== relationship)?.base;
    const node = read ?? shown?.node ?? (before.some(({ key }) => key === undefined) ? given : undefined);
    const columns = ['*'];
    const order = orderOf(before, (value) => {
      this.names += 1;
      columns.push(`${value} AS sorted${this.names}`);
      return `sorted${this.names}`;
    });
    const last = node ? ties(before, node, relationship) : relationship ? [`${relationship}.statementId`] : [];
    const taken = `WITH ${columns.join(', ')}${pageText([...order, ...last], page)}`;
    return page.isStar ? taken : `${taken}\nWITH ${this.text(items)}`;
  }
}

const isId = ({ base, key }: OrderItem, node: string) => base === node && key === 'id';

const withoutKey = ({ base, direction, nullsFirst }: OrderItem): OrderItem => ({ base, direction, nullsFirst });

/** The `RETURN` that collects the edges, with one more member of each. */
function telling(keys: readonly string[], of: Tree, text: string): string {
  const told = text.replace(/^RETURN +collect +\( +\{ +/, (found) => `${found}keys : [ ${keys.join(', ')} ] , `);
  if (told === text) throw new RefusedCypher('the edges of a connection as they are written', of.position);
  return told;
}

/** A node and the members of a map that is to be shown in its place. */
interface Shown {
  node: string;
  members: string[];
}

/** `node {.name, count: var1, …} AS node` */
function shownNode(items: Tree): Shown | undefined {
  const [, node, members] = /^(\w+) \{ (.*) \} AS \1$/s.exec(plain(items).replace(/ +/g, ' ')) ?? [];
  return node === undefined || members === undefined ? undefined : { node, members: members.split(' , ') };
}

/** What is shown is sorted by, where it can be said before: by properties of the node and by variables. */
function beforeShown({ node, members }: Shown, sorted: readonly OrderItem[]): readonly OrderItem[] | undefined {
  const isBefore = ({ base, key }: OrderItem) =>
    key === undefined ? base !== node : base === node && members.includes(`. ${key}`);
  return sorted.every(isBefore) ? sorted : undefined;
}
