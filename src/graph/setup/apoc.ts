import { StartupError } from '../../base/errors.ts';
import type { Database } from '../database/database.ts';

/** @throws StartupError where the server lacks APOC, with which @neo4j/graphql reads points in time. */
export async function requireApoc(database: Database): Promise<void> {
  try {
    await database.run('READ', 'RETURN apoc.version() AS version');
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('apoc.version')) throw error;
    throw new StartupError(
      'Neo4j lacks APOC: install the APOC core plugin of the same version, see that dbms.security.procedures.allowlist ' +
        'has apoc.version and apoc.date.convertFormat, and restart it',
      { cause: error },
    );
  }
}
