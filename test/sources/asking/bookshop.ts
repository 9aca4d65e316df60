import { readFileSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import type { Principal } from '../../../src/security/principal.ts';
import { type Asked, SourceAsker } from '../../../src/sources/asking/asker.ts';
import { CatalogStatements } from '../../../src/sources/catalogStatements.ts';
import { pgliteSource } from '../../../src/sources/pglite.ts';
import { readCatalog } from '../../../src/sources/readCatalog.ts';
import type { SchemaReader } from '../../../src/sources/schemaReader.ts';
import { faultOfSql } from '../../../src/sources/sql/checkSql.ts';

/** A database that can be asked in words, without a graph: what would be stated of its schema is given to the reader. */
export async function openAsked(sql: string) {
  const database = await PGlite.create();
  await database.exec(sql);
  const source = pgliteSource(async () => database);
  const { signal } = new AbortController();
  const { statements } = new CatalogStatements('books', 'postgresql', await readCatalog(source, signal));
  const schemas = { read: async () => statements, seen: async () => statements } as unknown as SchemaReader;
  const asker = new SourceAsker({ schemas, closedTo: () => undefined, now: () => Date.UTC(2026, 10, 25) });
  const principal: Principal = { tenant: 'default', agentId: 'reader', scopes: new Set() };
  const asked: Asked = {
    ...{ name: 'books', dialect: 'postgresql', principal },
    async select(statement, rows) {
      const fault = await faultOfSql(statement.sql, 60_000);
      if (fault !== undefined) throw new Error(`${statement.sql} ${fault}`);
      return source.select(statement, { rows, bytes: 1e6, timeoutMs: 5_000, signal });
    },
  };
  return { database, asker, asked, close: () => database.close() };
}

export const bookshop = () => openAsked(readFileSync('test/questions/source/bookshop.sql', 'utf8'));
