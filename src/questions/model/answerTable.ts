import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isLeafType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { isObject } from '../../base/isObject.ts';
import { mostRows } from '../answering/plan.ts';
import type { Column, Table } from '../answering/table.ts';
import type { Lexicon } from '../lexicon.ts';
import { unitOf } from '../units.ts';

type Data = Record<string, unknown>;

/** A column, and where in a row of the answer its value is. */
interface Placed extends Column {
  path: string[];
}

/**
 * The answer to a query of any form as rows: those of its one field at the root, of a connection the nodes or what they
 * come to together.
 * @returns undefined where there are several fields at the root, or fragments
 */
export function answerTable(
  schema: GraphQLSchema,
  document: DocumentNode,
  data: Data | null,
  lexicon: Lexicon,
): Table | undefined {
  const [root, ...others] = getOperationAST(document)?.selectionSet.selections ?? [];
  if (root?.kind !== Kind.FIELD || others.length > 0 || !root.selectionSet) return undefined;
  const type = getNamedType(schema.getQueryType()?.getFields()[root.name.value]?.type)?.name;
  const value = data?.[root.alias?.value ?? root.name.value];
  const columns = type === undefined ? undefined : columnsOf(schema, root.selectionSet, type, lexicon);
  if (!columns) return undefined;
  const found = rowsOf(value);
  const unplaced = columns.map(({ path: _, ...column }) => column);
  const rows = found.slice(0, mostRows).map((row) => ({
    ...idOf(row),
    ...Object.fromEntries(columns.map(({ name, path }) => [name, cellOf(within(row, path))])),
  }));
  return { columns: unplaced, rows, truncated: found.length > mostRows };
}

function idOf(row: Data): { id?: unknown } {
  const id = row.id ?? within(row, ['node', 'id']);
  return id === undefined ? {} : { id };
}

function rowsOf(value: unknown): Data[] {
  if (Array.isArray(value)) return value.filter(isObject) as Data[];
  if (!isObject(value)) return [];
  const { edges } = value as Data;
  return Array.isArray(edges) ? edges.filter(isObject).map((edge) => edge as Data) : [value as Data];
}

function columnsOf(
  schema: GraphQLSchema,
  { selections }: SelectionSetNode,
  typeName: string,
  lexicon: Lexicon,
  path: string[] = [],
): Placed[] | undefined {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) return undefined;
  const columns: Placed[] = [];
  for (const each of selections) {
    if (each.kind !== Kind.FIELD) return undefined;
    const key = each.alias?.value ?? each.name.value;
    const named = getNamedType(type.getFields()[each.name.value]?.type);
    const here = [...path, key];
    const isId = here.join() === 'id' || here.join() === 'edges,node,id';
    if (!named || isId || each.name.value === 'pageInfo') continue;
    const name = here.filter((part) => !idle.has(part)).join(' ') || key;
    const isEntity = isObjectType(named) && named.getFields().id !== undefined;
    const isNode = here.join() === 'edges,node';
    if (isLeafType(named)) columns.push({ ...leafColumn(name, named.name, typeName, key, lexicon), path: here });
    else if (isEntity && !isNode) columns.push({ name, type: 'Entity', path: here });
    else if (each.selectionSet) {
      const inner = columnsOf(schema, each.selectionSet, named.name, lexicon, here);
      if (!inner) return undefined;
      columns.push(...inner);
    }
  }
  return path.length > 0 ? columns : ofRows(columns);
}

/** The rows of a connection are its edges, where it has them. */
function ofRows(columns: Placed[]): Placed[] {
  const edges = columns.filter(({ path }) => path[0] === 'edges');
  return edges.length === 0 ? columns : edges.map((each) => ({ ...each, path: each.path.slice(1) }));
}

/** Levels that say nothing to who reads a table. */
const idle = new Set(['edges', 'node', 'nodes', 'aggregate', 'keys']);

function leafColumn(name: string, scalar: string, of: string, key: string, { vocabulary }: Lexicon): Column {
  const field = vocabulary.classes.find((each) => each.name === of)?.fields.find((each) => each.name === key);
  const unit = field?.kind === 'literal' ? unitOf(field)?.symbol : undefined;
  const description = field?.description;
  return {
    ...{ name, type: scalar },
    ...(unit !== undefined && { unit }),
    ...(description !== undefined && { description }),
  };
}

function within(value: unknown, path: string[]): unknown {
  return path.reduce<unknown>((inner, key) => (isObject(inner) ? (inner as Data)[key] : undefined), value);
}

/** Linked entities by what is shown of them first. */
function cellOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cellOf);
  if (!isObject(value)) return value ?? null;
  const { id, ...shown } = value as Data;
  const [first] = Object.values(shown);
  return first === undefined ? id : cellOf(first);
}
