import type { ClassDefinition } from '../../vocabulary/vocabulary.ts';
import type { Lexicon } from '../lexicon.ts';
import type { EntitySet, Query } from '../query.ts';
import { labelOf } from '../reading/labels.ts';
import { fieldOf, isList, whereOf } from './conditions.ts';
import { type PrintedQuery, printed, type Selected, type Variable } from './document.ts';

/** Rows of a list, links of an entity that are shown beside it, and groups. */
export const mostRows = 300;
const mostShown = 20;
const mostGroups = 1_000;
/** Entities that one question may reach, whichever road it takes. */
const mostReached = 150_000;
const mostLinks = 100;

export interface PlanParts {
  lexicon: Pick<Lexicon, 'classOf'>;
  /** The root field of a class. */
  pluralOf(className: string): string;
}

/** A query with how its answer is to be read. */
export interface Plan extends PrintedQuery {
  /** The sets along the road, the first at the root. */
  road: EntitySet[];
  /** Of each of them how many entities are read of one before it. */
  limits: number[];
}

/** The road to a set: the set at the root first. */
export function roadTo(set: EntitySet): EntitySet[] {
  return set.from ? [...roadTo(set.from.set), set] : [set];
}

/** The GraphQL query of a question: names of the vocabulary in its text, everything else in its variables. */
export function planOf(query: Query, parts: PlanParts): Plan {
  const road = roadTo(query.set);
  if (query.kind === 'groups' && road.length === 1) return { ...groupsPlan(query, parts), road, limits: [] };
  if ((query.kind === 'count' || query.kind === 'measure') && road.length === 1 && !query.set.order)
    return { ...aggregatePlan(query, parts), road, limits: [] };
  const limits = limitsOf(road);
  const variables: Variable[] = [];
  const fields = [level(0, { road, limits, variables, query }, parts)];
  return { ...printed(fields, variables), road, limits };
}

function limitsOf(road: EntitySet[]): number[] {
  const [root] = road;
  const first = root?.where?.kind === 'is' ? root.where.ids.length : mostRows;
  const further = road.length - 1;
  const each = Math.max(2, Math.floor((mostReached / first) ** (1 / Math.max(1, further))));
  return [first, ...Array.from({ length: further }, () => Math.min(mostLinks, each))];
}

interface Levels {
  road: EntitySet[];
  limits: number[];
  variables: Variable[];
  query: Query;
}

/** The field of one set along the road, with those further on inside it. */
function level(index: number, levels: Levels, parts: PlanParts): Selected {
  const { road, limits, variables, query } = levels;
  const set = road[index];
  if (!set) throw new Error('The road has ended');
  const definition = parts.lexicon.classOf(set.class);
  const isEnd = index === road.length - 1;
  const link = set.from && fieldOf(parts.lexicon.classOf(set.from.set.class), set.from.link);
  if (link && !isList(link) && set.where) throw new Error(`${link.name} has no conditions`);
  const given = link && !isList(link) ? {} : givenOf(index, set, definition, { variables, limits }, parts);
  const inner = isEnd ? shownOf(query, definition, variables, parts) : [level(index + 1, levels, parts)];
  const label = labelOf(definition);
  return {
    name: set.from?.link ?? parts.pluralOf(set.class),
    given,
    fields: unique([{ name: 'id' }, ...(label === undefined ? [] : [{ name: label }]), ...inner]),
  };
}

function givenOf(
  index: number,
  { class: name, where, order, from }: EntitySet,
  definition: ClassDefinition,
  { variables, limits }: Pick<Levels, 'variables' | 'limits'>,
  parts: PlanParts,
): Record<string, string> {
  const given: Record<string, string> = {};
  const pass = (argument: string, type: string, value: unknown) => {
    given[argument] = `${argument}${index}`;
    variables.push({ name: `${argument}${index}`, type, value });
  };
  if (where) pass('where', `${name}Where`, whereOf(where, definition, parts.lexicon));
  const inOrder = from ? undefined : order;
  if (inOrder) {
    const by = inOrder.by.kind === 'count' ? `${inOrder.by.field}Count` : inOrder.by.field;
    pass('sort', `[${name}Sort!]`, [{ [by]: inOrder.descending ? 'DESC' : 'ASC' }]);
  }
  const part = inOrder?.limit;
  pass('limit', 'Int', part === undefined ? (limits[index] ?? mostRows) : Math.min(part, mostRows));
  if (inOrder && inOrder.offset > 0) pass('offset', 'Int', inOrder.offset);
  return given;
}

/** What is read of each entity in the end. */
function shownOf(query: Query, definition: ClassDefinition, variables: Variable[], parts: PlanParts): Selected[] {
  const { order } = query.set;
  const by = order && (order.by.kind === 'count' ? `${order.by.field}Count` : order.by.field);
  const compared = comparedFields(query.set);
  const own = query.kind === 'list' ? query.show : query.kind === 'measure' ? [query.field] : [];
  return [...own, ...compared, ...(by === undefined ? [] : [by])].map((name): Selected => {
    const field = definition.fields.find((each) => each.name === name);
    if (!field || field.kind === 'literal') return { name };
    const label = labelOf(parts.lexicon.classOf(field.target));
    const fields = [{ name: 'id' }, ...(label === undefined ? [] : [{ name: label }])];
    if (!isList(field)) return { name, fields };
    if (!variables.some((each) => each.name === 'shown'))
      variables.push({ name: 'shown', type: 'Int', value: mostShown });
    return { name, given: { limit: 'shown' }, fields };
  });
}

/** Numbers that are compared are shown, so that a reader sees why. */
export function comparedFields({ where }: EntitySet): string[] {
  const conditions = !where ? [] : where.kind === 'and' ? where.of : [where];
  return [
    ...new Set(
      conditions.flatMap((each) => {
        if (each.kind === 'count') return [`${each.field}Count`];
        return each.kind === 'compare' && typeof each.value === 'number' ? [each.field] : [];
      }),
    ),
  ];
}

function unique(fields: Selected[]): Selected[] {
  return [...new Map(fields.map((each) => [each.name, each])).values()];
}

function aggregatePlan(query: Extract<Query, { kind: 'count' | 'measure' }>, parts: PlanParts): PrintedQuery {
  const { set } = query;
  const variables = whereVariable(set, parts);
  const aggregate: Selected[] = [
    { name: 'count', fields: [{ name: 'nodes' }] },
    ...(query.kind === 'measure'
      ? [{ name: 'node', fields: [{ name: query.field, fields: [{ name: query.measure }] }] }]
      : []),
  ];
  const given: Record<string, string> = set.where ? { where: 'where' } : {};
  const name = `${parts.pluralOf(set.class)}Connection`;
  return printed([{ name, given, fields: [{ name: 'aggregate', fields: aggregate }] }], variables);
}

function groupsPlan({ set, key, measure, order }: Extract<Query, { kind: 'groups' }>, parts: PlanParts): PrintedQuery {
  const variables = whereVariable(set, parts);
  variables.push({ name: 'limit', type: 'Int', value: order?.limit ?? mostGroups });
  const given: Record<string, string> = { ...(set.where && { where: 'where' }), limit: 'limit' };
  if (order) {
    const direction = order.descending ? 'DESC' : 'ASC';
    const by =
      measure.kind === 'count'
        ? { count: direction }
        : { aggregate: { [measure.field]: { [measure.measure]: direction } } };
    variables.push({ name: 'sort', type: `[${set.class}GroupBySort!]`, value: [by] });
    given.sort = 'sort';
  }
  const measured: Selected =
    measure.kind === 'count'
      ? { name: 'count' }
      : { name: 'aggregate', fields: [{ name: measure.field, fields: [{ name: measure.measure }] }] };
  const fields = [{ name: 'keys', fields: [{ name: key }] }, measured];
  return printed([{ name: `${parts.pluralOf(set.class)}GroupBy`, given, fields }], variables);
}

function whereVariable(set: EntitySet, parts: PlanParts): Variable[] {
  if (!set.where) return [];
  const value = whereOf(set.where, parts.lexicon.classOf(set.class), parts.lexicon);
  return [{ name: 'where', type: `${set.class}Where`, value }];
}
