import { type GraphQLSchema, graphql } from 'graphql';
import type { Database } from '../database/database.ts';

/** @neo4j/graphql asks the server's version with its first query, by a procedure that no qualified read may call. */
export async function warmUp(schema: GraphQLSchema, database: Database): Promise<void> {
  const session = database.session('READ');
  try {
    const result = await graphql({
      schema,
      source: '{ entities(limit: 0) { id } }',
      contextValue: { executionContext: session },
    });
    if (result.errors?.[0]) throw result.errors[0];
  } finally {
    await session.close();
  }
}
