import { longestId } from '../knowledge/patch.ts';
import type { Statement } from '../wire/types.ts';
import type { Catalog, Columns, ForeignKey, Table } from './adapters/catalog.ts';
import { plainText } from './plainText.ts';
import { partIri, type SourceClass, type SourcePredicate, sourceGraph, sourceTerm } from './terms.ts';

const longestName = 256;
const longestText = 2_000;

type Value = string | number | boolean | { id: string; type: SourceClass };

/** What a source is made of, as statements of its graph. */
export class CatalogStatements {
  readonly statements: Statement[] = [];
  /** Parts whose names are too long for an identifier; nothing is stated of them. */
  leftOut = 0;
  private readonly graph: string;

  constructor(
    private readonly source: string,
    dialect: string,
    { tables, foreignKeys }: Catalog,
  ) {
    this.graph = sourceGraph(source);
    this.say({ id: this.graph, type: 'Source' }, { name: source, dialect });
    for (const schema of new Set(tables.map((each) => each.schema))) {
      const inSource = { id: this.graph, type: 'Source' } as const;
      this.say(this.schema(schema), { name: nameOf(schema), inSource });
    }
    for (const table of tables) this.addTable(table);
    for (const key of foreignKeys) this.addForeignKey(key);
  }

  private addTable(table: Table): void {
    const { schema, name, kind, comment, rows } = table;
    const inTable = this.table({ schema, table: name });
    this.say(inTable, {
      name: nameOf(name),
      inSchema: this.schema(schema),
      kind,
      ...commentOf(comment),
      ...(rows !== undefined && { rowEstimate: rounded(rows) }),
    });
    for (const [index, column] of table.columns.entries()) {
      this.say(this.column({ schema, table: name }, column.name), {
        name: nameOf(column.name),
        inTable,
        position: index + 1,
        dataType: plainText(column.type, longestName),
        ...(!column.nullable && { required: true }),
        ...commentOf(column.comment),
      });
    }
    for (const key of table.keys) {
      const id = partIri(this.source, [schema, name, key.name], 'key');
      const primary = key.isPrimary ? { primary: true } : {};
      this.say({ id, type: 'Key' }, { name: nameOf(key.name), inTable, columns: listOf(key.columns), ...primary });
      for (const each of key.columns)
        this.say({ id, type: 'Key' }, { hasColumn: this.column({ schema, table: name }, each) });
    }
    for (const index of table.indexes) {
      const id = partIri(this.source, [schema, name, index.name], 'index');
      const definition = plainText(index.definition, longestText);
      this.say({ id, type: 'Index' }, { name: nameOf(index.name), inTable, definition });
    }
  }

  /** The key as a thing of its own, with all of its columns; and from column to column, for who walks. */
  private addForeignKey({ from, to, name, certainty, grounds }: ForeignKey): void {
    const called = name ?? `${from.columns.join(',')} to ${to.table}`;
    const id = partIri(this.source, [from.schema, from.table, called], 'reference');
    const how = { ...(certainty !== undefined && { certainty }), ...(grounds !== undefined && { grounds }) };
    this.say(
      { id, type: 'ForeignKey' },
      {
        name: nameOf(called),
        inTable: this.table(from),
        columns: listOf(from.columns),
        refersTo: this.table(to),
        refersToColumns: listOf(to.columns),
        declared: name !== undefined,
      },
      how,
    );
    for (const [index, each] of from.columns.entries())
      this.say(this.column(from, each), { references: this.column(to, to.columns[index] ?? '') }, how);
  }

  private say(
    { id, type }: { id: string; type: SourceClass },
    said: Partial<Record<SourcePredicate, Value>>,
    { certainty, grounds }: Pick<ForeignKey, 'certainty' | 'grounds'> = {},
  ): void {
    const ends = Object.values(said).map((value) => (typeof value === 'object' ? value.id : ''));
    if ([id, ...ends].some(({ length }) => length > longestId)) {
      this.leftOut += 1;
      return;
    }
    for (const [predicate, value] of Object.entries(said) as [SourcePredicate, Value][]) {
      this.statements.push({
        subject: { id, type: sourceTerm(type) },
        predicate: { id: sourceTerm(predicate) },
        object: typeof value === 'object' ? { id: value.id, type: sourceTerm(value.type) } : { value },
        graph: this.graph,
        ...(certainty !== undefined && { certainty }),
        provenance: { source: this.graph, ...(grounds !== undefined && { inferredBy: grounds }) },
      });
    }
  }

  private schema(name: string) {
    return { id: partIri(this.source, [name]), type: 'Schema' } as const;
  }

  private table({ schema, table }: Omit<Columns, 'columns'>) {
    return { id: partIri(this.source, [schema, table]), type: 'Table' } as const;
  }

  private column({ schema, table }: Omit<Columns, 'columns'>, name: string) {
    return { id: partIri(this.source, [schema, table, name]), type: 'Column' } as const;
  }
}

const nameOf = (name: string) => plainText(name, longestName);
/** In their order, which links haven't: a JSON list. */
const listOf = (names: readonly string[]) => JSON.stringify(names.map(nameOf));

function commentOf(comment: string | undefined): { comment?: string } {
  const plain = comment === undefined ? '' : plainText(comment, longestText);
  return plain === '' ? {} : { comment: plain };
}

/** To two digits: an estimate that moves a little is no change of the schema. */
function rounded(rows: number): number {
  return Number(Math.max(0, rows).toPrecision(2));
}
