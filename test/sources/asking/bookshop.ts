import { readFileSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import type { Principal } from '../../../src/security/principal.ts';
import { pgliteSource } from '../../../src/sources/adapters/pglite.ts';
import { readCatalog } from '../../../src/sources/adapters/readCatalog.ts';
import type { Source } from '../../../src/sources/adapters/source.ts';
import { type Asked, SourceAsker } from '../../../src/sources/asking/asker.ts';
import { CatalogStatements } from '../../../src/sources/catalogStatements.ts';
import type { SchemaReader } from '../../../src/sources/schemaReader.ts';
import { faultOfMysql } from '../../../src/sources/sql/checkMysql.ts';
import { faultOfSql } from '../../../src/sources/sql/checkSql.ts';

/** Asks a source in words without a graph: what would be stated of its schema is given to the reader. */
export async function askedOf(source: Source) {
  const { signal } = new AbortController();
  const { dialect } = source;
  if (dialect === 'cypher') throw new Error('A Neo4j is not asked in words');
  const { statements } = new CatalogStatements('books', dialect, await readCatalog(source, signal));
  const schemas = { read: async () => statements, seen: async () => statements } as unknown as SchemaReader;
  const asker = new SourceAsker({ schemas, closedTo: () => undefined, now: () => Date.UTC(2026, 10, 25) });
  const principal: Principal = { tenant: 'default', agentId: 'reader', scopes: new Set() };
  const asked: Asked = {
    ...{ name: 'books', dialect, principal },
    async select(statement, rows) {
      const check = dialect === 'mysql' ? faultOfMysql : faultOfSql;
      const fault = await check(statement.sql, 60_000, true);
      if (fault !== undefined) throw new Error(`${statement.sql} ${fault}`);
      return source.select(statement, { rows, bytes: 1e6, timeoutMs: 5_000, signal });
    },
  };
  async function answered(question: string) {
    const read = await asker.read(question, asked);
    if (read.kind !== 'understood') return { read };
    const statement = await asker.statement(question, read.reading, asked);
    return { read, statement, table: await asked.select(statement, 100) };
  }
  return { answered };
}

export async function bookshop() {
  const database = await PGlite.create();
  await database.exec(readFileSync('test/questions/source/bookshop.sql', 'utf8'));
  return { database, ...(await askedOf(pgliteSource(async () => database))), close: () => database.close() };
}
