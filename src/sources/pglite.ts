import type { PGlite } from '@electric-sql/pglite';
import type { Row, Source } from './source.ts';
import { statementMs } from './source.ts';

/**
 * A PostgreSQL inside of this process, for demonstrations and tests. Its package is one for development, so it comes
 * neither with the image nor with an installation that leaves those out.
 * @param folder of its data, which is to be open nowhere else
 */
export function openPglite(folder: string): Source {
  let opening: Promise<PGlite> | undefined;
  return pgliteSource(() => {
    opening ??= open(folder);
    return opening;
  });
}

/** One that may be open already. Closing the source closes it. */
export function pgliteSource(opened: () => Promise<PGlite>): Source {
  let isUsed = false;
  return {
    dialect: 'postgresql',
    async rows<Found extends Row>(sql: string, values: unknown[] = []) {
      isUsed = true;
      const database = await opened();
      return database.transaction(async (tx) => {
        await tx.exec(
          `SET TRANSACTION READ ONLY; SET LOCAL statement_timeout = ${statementMs}; SET LOCAL search_path = pg_catalog`,
        );
        return (await tx.query<Found>(sql, values)).rows;
      });
    },
    async close() {
      if (isUsed) await (await opened()).close();
    },
  };
}

async function open(folder: string): Promise<PGlite> {
  const { PGlite } = await import('@electric-sql/pglite').catch((cause: unknown) => {
    throw new Error('The package @electric-sql/pglite is not installed', { cause });
  });
  return PGlite.create(folder);
}
