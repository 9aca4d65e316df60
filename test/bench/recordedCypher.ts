import { Neo4jGraphQL } from '@neo4j/graphql';
import { graphql } from 'graphql';
import type { Driver } from 'neo4j-driver';

/** A Cypher query as @neo4j/graphql has made it. */
export interface Cypher {
  query: string;
  parameters: Record<string, unknown>;
}

/** Has @neo4j/graphql translate GraphQL queries, by running them and noting what it sends. */
export async function recorder(typeDefs: string, driver: Driver) {
  const schema = await new Neo4jGraphQL({ typeDefs, driver }).getSchema();
  return async (source: string, variableValues: Record<string, unknown>): Promise<Cypher> => {
    const session = driver.session({ defaultAccessMode: 'READ' });
    const sent: Cypher[] = [];
    const executionContext = {
      run: (query: string, parameters: Record<string, unknown>) => {
        sent.push({ query, parameters });
        return session.run(query, parameters);
      },
    };
    try {
      const { errors } = await graphql({
        schema,
        source,
        variableValues,
        contextValue: { executionContext },
      });
      // The first query that a process makes comes after one for the server's version.
      const last = sent.at(-1);
      if (errors?.[0] || last === undefined) throw errors?.[0] ?? new Error('The query needs no Cypher');
      return last;
    } finally {
      await session.close();
    }
  };
}
