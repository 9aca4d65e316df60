import { groupBy } from '../base/groupBy.ts';
import type { Statement } from '../wire/types.ts';
import { type SourcePredicate, sourceTerm } from './terms.ts';

/** What the graph tells of a source, as it is looked through. Names are those that are shown. */
export interface Schema {
  tables: SchemaTable[];
  joins: Join[];
}

export interface SchemaTable {
  id: string;
  /** With its schema: `sales.orders`. */
  name: string;
  /** Its schema and its own name. */
  path: [string, string];
  kind: string;
  comment?: string;
  rowEstimate?: number;
  /** In their order. */
  columns: SchemaColumn[];
  keys: SchemaKey[];
}

/** Columns whose values are of one row alone. */
export interface SchemaKey {
  columns: string[];
  isPrimary: boolean;
}

export interface SchemaColumn {
  id: string;
  name: string;
  type: string;
  required: boolean;
  comment?: string;
}

/** A foreign key. */
export interface Join {
  from: JoinEnd;
  to: JoinEnd;
  declared: boolean;
  /** 1 where it is declared. */
  certainty: number;
}

export interface JoinEnd {
  /** The id of the table. */
  table: string;
  columns: string[];
}

type Said = Partial<Record<SourcePredicate, string | number | boolean>>;

const predicateOf = new Map(
  (
    [
      ...['name', 'inSchema', 'kind', 'comment', 'rowEstimate', 'inTable', 'position', 'dataType', 'required'],
      ...['columns', 'refersTo', 'refersToColumns', 'declared', 'primary'],
    ] as SourcePredicate[]
  ).map((each) => [sourceTerm(each), each]),
);

/** Makes the statements of a source's graph into tables again. What is only half stated is left out. */
export function schemaOf(statements: Iterable<Statement>): Schema {
  const byPart = groupBy(statements, ({ subject }) => subject.id);
  const parts = [...byPart].map(([id, each]) => ({ id, type: each[0]?.subject.type, said: saidOf(each), each }));
  const ofType = (type: 'Schema' | 'Table' | 'Column' | 'Key' | 'ForeignKey') =>
    parts.filter((part) => part.type === sourceTerm(type));
  const schemas = new Map(ofType('Schema').map(({ id, said }) => [id, textOf(said.name)]));
  const columns = groupBy(ofType('Column'), ({ said }) => said.inTable);
  const keys = groupBy(ofType('Key'), ({ said }) => said.inTable);
  const tables = ofType('Table').map(({ id, said }) => ({
    id,
    name: `${schemas.get(textOf(said.inSchema)) ?? ''}.${textOf(said.name)}`,
    path: [schemas.get(textOf(said.inSchema)) ?? '', textOf(said.name)] as [string, string],
    kind: textOf(said.kind),
    ...commentOf(said),
    ...(typeof said.rowEstimate === 'number' && { rowEstimate: said.rowEstimate }),
    columns: (columns.get(id) ?? [])
      .sort((one, other) => Number(one.said.position) - Number(other.said.position))
      .map(({ id, said }) => ({
        id,
        name: textOf(said.name),
        type: textOf(said.dataType),
        required: said.required === true,
        ...commentOf(said),
      })),
    keys: (keys.get(id) ?? []).flatMap(({ said }) =>
      typeof said.columns === 'string'
        ? [{ columns: JSON.parse(said.columns) as string[], isPrimary: said.primary === true }]
        : [],
    ),
  }));
  const joins = ofType('ForeignKey').flatMap(({ said, each }): Join[] => {
    const [from, to] = [endOf(said.inTable, said.columns), endOf(said.refersTo, said.refersToColumns)];
    if (!from || !to) return [];
    return [{ from, to, declared: said.declared === true, certainty: Math.min(...each.map(certaintyOf)) }];
  });
  return { tables, joins };
}

function saidOf(statements: Statement[]): Said {
  return Object.fromEntries(
    statements.flatMap(({ predicate, object }) => {
      const name = predicateOf.get(predicate.id);
      return name ? [[name, 'id' in object ? object.id : object.value]] : [];
    }),
  );
}

const certaintyOf = ({ certainty = 1 }: Statement) => certainty;
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const commentOf = ({ comment }: Said) => (typeof comment === 'string' ? { comment } : {});

function endOf(table: unknown, columns: unknown): JoinEnd | undefined {
  if (typeof table !== 'string' || typeof columns !== 'string') return undefined;
  return { table, columns: JSON.parse(columns) };
}
