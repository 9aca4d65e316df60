/** What a database is made of, as far as it says so itself. */
export interface Catalog {
  tables: Table[];
  foreignKeys: ForeignKey[];
}

export interface Table {
  schema: string;
  name: string;
  kind: 'table' | 'view' | 'materialized view' | 'foreign table' | 'label' | 'relationship type';
  comment?: string;
  /** How many rows it is estimated to have; absent where nobody has counted. */
  rows?: number;
  /** In their order. */
  columns: Column[];
  keys: Key[];
  indexes: Index[];
}

export interface Column {
  name: string;
  /** As the database writes it: `character varying(40)`. */
  type: string;
  nullable: boolean;
  comment?: string;
}

export interface Key {
  name: string;
  isPrimary: boolean;
  columns: string[];
}

export interface Index {
  name: string;
  /** As the database writes it. */
  definition: string;
}

/** Columns of a table. */
export interface Columns {
  schema: string;
  table: string;
  columns: string[];
}

export interface ForeignKey {
  from: Columns;
  /** As many columns, each that of the same place. */
  to: Columns;
  /** As it is declared; absent where it is inferred. */
  name?: string;
  /** How sure it is that it is one, 0 to 1; absent where it is declared. */
  certainty?: number;
  /** What speaks for it, where it is inferred. */
  grounds?: string;
}
