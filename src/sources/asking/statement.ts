import {
  DummyDriver,
  Kysely,
  MysqlAdapter,
  MysqlIntrospector,
  MysqlQueryCompiler,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely';

/** A piece of SQL: names and values are no text in it until it is printed. */
export type Piece = RawBuilder<unknown>;

export type SqlDialect = 'postgresql' | 'mysql';

/** A statement with the values of its parameters, in their order. */
export interface Statement {
  sql: string;
  values: (string | number | boolean)[];
}

/** It prints SQL, and is connected with nothing. */
const printers: Record<SqlDialect, Kysely<unknown>> = {
  postgresql: new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }),
  mysql: new Kysely({
    dialect: {
      createAdapter: () => new MysqlAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new MysqlIntrospector(db),
      createQueryCompiler: () => new MysqlQueryCompiler(),
    },
  }),
};

export function printed(piece: Piece, dialect: SqlDialect): Statement {
  const { sql: text, parameters } = piece.compile(printers[dialect]);
  return { sql: text, values: parameters as Statement['values'] };
}

/** A name, or several with dots between them; the one place that quotes names in questions to sources. */
export const named = (...names: string[]): Piece => sql.id(...names);

export const all = (pieces: Piece[], between: Piece): Piece => sql.join(pieces, between);
