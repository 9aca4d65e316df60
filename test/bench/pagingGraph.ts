import neo4j from 'neo4j-driver';
import { Database } from '../../src/graph/database/database.ts';
import { Dictionary } from '../../src/graph/names/dictionary.ts';
import { quoted } from '../../src/graph/names/names.ts';
import type { EmptyNeo4j } from './neo4j.ts';

/** What the stations are sorted by; both are properties of the entity in Concord's own form. */
export const fields = [
  { name: 'name', isIndexed: true },
  { name: 'elevation', isIndexed: false },
] as const;

const bench = 'https://example.org/bench';

/**
 * Stations by Cypher of our own, as updates would have made them: a name for each, one in three less certain, and an
 * elevation. A million of updates would take hours.
 * @param from the number that are there
 */
export async function loadStations({ server, driver }: EmptyNeo4j, from: number, to: number): Promise<void> {
  const database = new Database({ ...server, database: 'neo4j' });
  const dictionary = await Dictionary.load(database);
  await database.close();
  const [name, elevation] = ['https://schema.org/name', `${bench}#elevation`];
  const said = (key: string, type: string, predicate: string, value: string, certainty: string) =>
    `CREATE (n)-[:${quoted(type)} {statementId: '${key}' + toString(i), tenant: 'default', predicate: '${predicate}', certainty: ${certainty},
       sourceAgentId: 'bench', updateId: 'bench', observedAt: now, recordedAt: now, revision: 1}]->(:Literal {tenant: 'default', value: ${value}})`;
  const session = driver.session();
  // Multiples of primes spread what neighbours by number have.
  await session.run(
    `CYPHER 5 UNWIND range($from, $to - 1) AS i
     CALL (i) {
       WITH i, 'Station ' + toString((i * 7919) % 1000003 + 1000000) AS name, toFloat((i * 7919) % 4000) AS elevation,
         CASE WHEN i % 3 = 0 THEN 0.3 + ((i * 7919) % 701) / 1000.0 END AS certainty, datetime() AS now
       CREATE (n:Entity:${quoted(dictionary.label(`${bench}#Station`))} {tenant: 'default', id: '${bench}/station/' + toString(i),
         type: '${bench}#Station', name: name, name__certainty: certainty, elevation: elevation})
       ${said('n', dictionary.relationshipType(name), name, 'name', 'certainty')}
       ${said('e', dictionary.relationshipType(elevation), elevation, 'elevation', 'null')}
     } IN TRANSACTIONS OF 10000 ROWS`,
    { from: neo4j.int(from), to: neo4j.int(to) },
  );
  await session.close();
  await driver.executeQuery('CALL db.awaitIndexes(300)');
  // What the planner knows of an index lags behind what was written.
  await driver.executeQuery('CALL db.prepareForReplanning(60)');
}
