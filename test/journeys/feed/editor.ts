import { setTimeout as sleep } from 'node:timers/promises';
import neo4j from 'neo4j-driver';
import type { Random } from '../../graph/qualify/random.ts';
import type { Tally } from '../../support/tally.ts';
import { country, subjects } from './filters.ts';
import type { LoggedRow } from './log.ts';
import type { Claimed } from './subscriber.ts';

/** What is done in Neo4j by hand: regions and links of countries, and countries of its own. */
const edits = [
  'MATCH (c:Country {tenant: $tenant, id: $one}) SET c.region = $value RETURN true AS says',
  'MATCH (c:Country {tenant: $tenant, id: $one}) SET c.region = $value RETURN true AS says',
  'CREATE (:Country {tenant: $tenant, id: $own, region: $value}) RETURN true AS says',
  `MATCH (c:Country {tenant: $tenant, id: $one}), (o:Country {tenant: $tenant, id: $other})
   CREATE (c)-[:BORDERS]->(o) RETURN false AS says`,
  `MATCH (c:Country {tenant: $tenant, id: $one}), (o:City {tenant: $tenant, id: 'urn:city'})
   WHERE NOT EXISTS { (c)-[:CAPITAL]->(o) } CREATE (c)-[:CAPITAL]->(o) RETURN false AS says`,
  'MATCH (:Country {tenant: $tenant, id: $one})-[r:BORDERS|CAPITAL]->() WITH r LIMIT 1 DELETE r RETURN false AS says',
  'MATCH (:Country {tenant: $tenant, id: $one})-[r:BORDERS]->() SET r.certainty = $certainty RETURN false AS says',
  "MATCH (c:Country {tenant: $tenant}) WHERE c.id STARTS WITH 'urn:hand:' WITH c LIMIT 1 DETACH DELETE c RETURN false AS says",
];

/** Somebody who works in Neo4j while Concord is killed. */
export interface HandEditor {
  /** What was committed and isn't in the log. */
  faults(changes: LoggedRow[]): string[];
  /** Ends with the edit that it is at. */
  close(): Promise<void>;
}

export function startEditor(
  address: { uri: string; user: string; password: string },
  random: Random,
  { seen, pauseMs }: { seen: Tally<Claimed>; pauseMs: number },
): HandEditor {
  const driver = neo4j.driver(address.uri, neo4j.auth.basic(address.user, address.password));
  const committed: string[] = [];
  let isOver = false;

  async function edit(turn: number): Promise<void> {
    const value = `by hand ${turn}`;
    const [one, other] = [random.pick(subjects), random.pick(subjects)];
    const parameters = {
      tenant: 'default',
      one,
      other,
      value,
      own: `urn:hand:${turn}`,
      certainty: random.pick([0.4, 1]),
    };
    const session = driver.session();
    try {
      const { records } = await session.run(random.pick(edits), parameters);
      if (records.length === 0) return;
      seen.add('edit by hand');
      if (records[0]?.get('says')) committed.push(value);
    } catch {
      // Neo4j was away, or let it fail for another's lock: nobody knows what became of it.
      seen.add('edit by hand without an answer');
    } finally {
      await session.close().catch(() => {});
    }
  }
  const editing = (async () => {
    for (let turn = 1; !isOver; turn++) {
      await edit(turn);
      await sleep(random.below(2 * pauseMs));
    }
  })();
  return {
    faults(changes) {
      const told = new Set(
        changes.flatMap(({ sourceAgentId, op, statement: { object } }) =>
          sourceAgentId.startsWith('direct:') && op !== 'remove' ? [object.value] : [],
        ),
      );
      const missing = committed.filter((value) => !told.has(value));
      return missing.map((value) => `the edit "${value}" is not in the log, as a change of a ${country}`);
    },
    async close() {
      isOver = true;
      await editing;
      await driver.close();
    },
  };
}
