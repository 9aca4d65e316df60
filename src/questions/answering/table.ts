import type { Field } from '../../vocabulary/vocabulary.ts';
import type { EntitySet, Query } from '../query.ts';
import { labelOf } from '../reading/labels.ts';
import { unitOf } from '../units.ts';
import { comparedFields, mostRows, type Plan, type PlanParts } from './plan.ts';

/** A column of an answer. */
export interface Column {
  name: string;
  /** A scalar of the vocabulary, `Count`, or `Entity` for what entities are called. */
  type: string;
  /** As it is shown, such as `km²`. */
  unit?: string;
  description?: string;
}

/** An answer as rows. */
export interface Table {
  columns: Column[];
  rows: Record<string, unknown>[];
  /** Whether there is more than is shown. */
  truncated: boolean;
}

type Data = Record<string, unknown>;

/** An entity that was reached, with what it is reached from. */
interface Reached {
  entity: Data;
  from: string[];
}

/** The answer's rows, each entity once. */
export function tableOf(query: Query, plan: Plan, data: Data, parts: PlanParts): Table {
  if (query.kind === 'groups') return groupsTable(query, data, parts);
  const [only] = Object.values(data);
  if ((query.kind === 'count' || query.kind === 'measure') && !Array.isArray(only))
    return aggregateTable(query, only as Data, parts);
  const { reached, isCut } = walk(plan, Array.isArray(only) ? (only as Data[]) : [], parts);
  const sorted = inOrder(reached, query.set);
  if (query.kind === 'truth') return one('answer', 'Boolean', reached.length > 0, false);
  if (query.kind === 'count') return one('count', 'Count', sorted.length, isCut);
  if (query.kind === 'measure') return measureTable(query, sorted, isCut, parts);
  return listTable(query, plan, sorted, isCut, parts);
}

/** Follows the road through an answer, and puts together what is reached by several ways. */
function walk({ road, limits }: Plan, first: Data[], { lexicon }: PlanParts): { reached: Reached[]; isCut: boolean } {
  let here: Reached[] = first.map((entity) => ({ entity, from: [] }));
  const [root] = road;
  let isCut = first.length >= mostRows && root?.where?.kind !== 'is';
  road.slice(1).forEach((set, index) => {
    const link = set.from?.link ?? '';
    const label = labelOf(lexicon.classOf(set.from?.set.class ?? ''));
    const next = new Map<string, Reached>();
    for (const { entity } of here) {
      const linked = [entity[link] ?? []].flat() as Data[];
      isCut ||= linked.length >= (limits[index + 1] ?? mostRows);
      for (const each of linked) {
        const known = next.get(String(each.id)) ?? { entity: each, from: [] };
        known.from.push(String(entity[label ?? 'id'] ?? entity.id));
        next.set(String(each.id), known);
      }
    }
    here = [...next.values()];
  });
  return { reached: here, isCut };
}

/** What is reached by a road is put in order here: the query's order is that of each entity's own links. */
function inOrder(reached: Reached[], { order, from }: EntitySet): Reached[] {
  if (!order || !from) return reached;
  const name = order.by.kind === 'count' ? `${order.by.field}Count` : order.by.field;
  const sign = order.descending ? -1 : 1;
  const known = reached.filter(({ entity }) => entity[name] !== null && entity[name] !== undefined);
  const sorted = known.toSorted((one, other) => {
    const [a, b] = [one.entity[name] as number | string, other.entity[name] as number | string];
    return a === b ? 0 : a < b ? -sign : sign;
  });
  return sorted.slice(order.offset, order.limit === undefined ? undefined : order.offset + order.limit);
}

function listTable(
  { set, show }: Extract<Query, { kind: 'list' }>,
  { road }: Plan,
  reached: Reached[],
  isCut: boolean,
  parts: PlanParts,
): Table {
  const definition = parts.lexicon.classOf(set.class);
  const label = labelOf(definition) ?? 'id';
  const { order } = set;
  const by = order && (order.by.kind === 'count' ? `${order.by.field}Count` : order.by.field);
  const shown = [...new Set([...show, ...comparedFields(set), ...(by === undefined ? [] : [by])])];
  const others = shown.filter((name) => name !== label);
  // Of what is reached from one entity the reader knows from which.
  const last = road.at(-2);
  const isApart = last !== undefined && !(last.where?.kind === 'is' && last.where.ids.length === 1 && !last.from);
  const columns = [
    { name: label, type: 'Entity', description: set.class },
    ...others.map((name) => columnOf(name, definition.fields, set.class)),
    ...(isApart ? [{ name: 'of', type: 'Entity', description: last.class }] : []),
  ];
  const rows = reached.slice(0, mostRows).map(({ entity, from }) => ({
    id: entity.id,
    [label]: entity[label] ?? entity.id,
    ...Object.fromEntries(others.map((name) => [name, cellOf(entity[name])])),
    ...(isApart && { of: from }),
  }));
  return { columns, rows, truncated: isCut || reached.length > mostRows };
}

/** Linked entities by what they are called. */
function cellOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cellOf);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const { id, ...label } = value as Data;
  return Object.values(label)[0] ?? id;
}

function columnOf(name: string, fields: Field[], className: string): Column {
  const field = fields.find((each) => each.name === name);
  if (!field) return { name, type: 'Count', description: `how many ${name.replace(/Count$/, '')} a ${className} has` };
  const about = field.description === undefined ? {} : { description: field.description };
  if (field.kind !== 'literal') return { name, type: 'Entity', ...about };
  const unit = unitOf(field)?.symbol;
  return { name, type: field.scalar, ...(unit !== undefined && { unit }), ...about };
}

function one(name: string, type: string, value: unknown, truncated: boolean, unit?: string): Table {
  return { columns: [{ name, type, ...(unit !== undefined && { unit }) }], rows: [{ [name]: value }], truncated };
}

function unitIn(query: { set: EntitySet; field: string }, { lexicon }: PlanParts): string | undefined {
  const field = lexicon.classOf(query.set.class).fields.find(({ name }) => name === query.field);
  return field?.kind === 'literal' ? unitOf(field)?.symbol : undefined;
}

function aggregateTable(query: Extract<Query, { kind: 'count' | 'measure' }>, data: Data, parts: PlanParts): Table {
  const aggregate = data.aggregate as { count: { nodes: number }; node?: Record<string, Data> };
  if (query.kind === 'count') return one('count', 'Count', aggregate.count.nodes, false);
  const value = aggregate.node?.[query.field]?.[query.measure] ?? null;
  return one(`${query.measure} ${query.field}`, 'Float', value, false, unitIn(query, parts));
}

function measureTable(
  query: Extract<Query, { kind: 'measure' }>,
  reached: Reached[],
  isCut: boolean,
  parts: PlanParts,
): Table {
  const values = reached.flatMap(({ entity }) => {
    const value = entity[query.field];
    return typeof value === 'number' ? [value] : [];
  });
  const sum = values.reduce((total, each) => total + each, 0);
  const by = { sum, average: sum / values.length, min: Math.min(...values), max: Math.max(...values) };
  const value = values.length === 0 ? null : by[query.measure];
  return one(`${query.measure} ${query.field}`, 'Float', value, isCut, unitIn(query, parts));
}

function groupsTable(query: Extract<Query, { kind: 'groups' }>, data: Data, parts: PlanParts): Table {
  const { key, measure, set } = query;
  const [found] = Object.values(data) as { keys: Data; count?: number; aggregate?: Record<string, Data> }[][];
  const name = measure.kind === 'count' ? 'count' : `${measure.measure} ${measure.field}`;
  const unit = measure.kind === 'count' ? undefined : unitIn({ set, field: measure.field }, parts);
  const rows = (found ?? []).map(({ keys, count, aggregate }) => ({
    [key]: keys[key] ?? null,
    [name]: measure.kind === 'count' ? count : (aggregate?.[measure.field]?.[measure.measure] ?? null),
  }));
  const type = measure.kind === 'count' ? 'Count' : 'Float';
  const columns = [
    columnOf(key, parts.lexicon.classOf(set.class).fields, set.class),
    { name, type, ...(unit !== undefined && { unit }) },
  ];
  return { columns, rows, truncated: false };
}
