import { OwnNeo4j } from '../crash/ownNeo4j.ts';
import { startTogether } from './run.ts';

/** Four replicas that start at once on an empty Neo4j, ten times: ROUNDS and REPLICAS say otherwise. */
const { ROUNDS = 10, REPLICAS = 4 } = process.env;
const neo4j = await OwnNeo4j.start();
const database = neo4j.database();
try {
  const plan = { rounds: Number(ROUNDS), replicas: Number(REPLICAS) };
  for (const seconds of await startTogether(plan, database, neo4j.environment)) {
    process.stdout.write(`all came up, after ${seconds.join(', ')} s\n`);
  }
} finally {
  await database.close();
  await neo4j.close();
}
