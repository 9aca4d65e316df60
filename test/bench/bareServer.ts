import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { Neo4jGraphQL } from '@neo4j/graphql';
import neo4j from 'neo4j-driver';

// What Concord's reading is measured against: Apollo Server over @neo4j/graphql as their documentation sets them up.

const { BARE_NEO4J = '[]', BARE_TYPE_DEFS = '', PORT } = process.env;
const [uri, user, password] = JSON.parse(BARE_NEO4J) as [string, string, string];

const driver = neo4j.driver(uri, neo4j.auth.basic(user, password));
const schema = await new Neo4jGraphQL({ typeDefs: BARE_TYPE_DEFS, driver }).getSchema();
const server = new ApolloServer({ schema });
await startStandaloneServer(server, { listen: { host: '127.0.0.1', port: Number(PORT) } });
process.once('SIGTERM', async () => {
  await server.stop();
  await driver.close();
  process.exit(0);
});
