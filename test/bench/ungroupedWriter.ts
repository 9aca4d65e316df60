import { randomUUID } from 'node:crypto';
import neo4j, { type Driver } from 'neo4j-driver';

/** A tenant of its own: nothing that Concord reads. */
const tenant = 'bench-ungrouped';

/** Else what is written would be taken for edits by hand. */
const asConcord = { metadata: { app: 'concord' } };

/**
 * Updates of one statement without Concord: one transaction each, by the driver, behind the same kind of ledger, with
 * the same edge, `Update` and `Change`; no rules, no history, no idempotency.
 */
export class UngroupedWriter {
  private readonly driver: Driver;
  private count = 0;

  constructor(driver: Driver) {
    this.driver = driver;
  }

  async send(): Promise<void> {
    const number = this.count++;
    const session = this.driver.session();
    try {
      await session.executeWrite((tx) => {
        const locked = tx.run(
          `MERGE (l:Ledger {tenant: $tenant}) ON CREATE SET l.revision = 0, l.sequence = 0
           SET l.revision = l.revision + 1, l.sequence = l.sequence + 1`,
          { tenant },
        );
        const written = tx.run(
          `MERGE (s:Entity {tenant: $tenant, id: $subject})
           MERGE (o:Entity {tenant: $tenant, id: $object})
           CREATE (s)-[r:BORDERS]->(o) SET r = $edge
           WITH s MATCH (l:Ledger {tenant: $tenant})
           CREATE (u:Update {id: $edge.updateId, tenant: $tenant, status: 'applied', sourceAgentId: 'bench', revision: l.revision})
             -[:CONTAINS]->(:Change {tenant: $tenant, sequence: l.sequence, changeId: $changeId, op: 'add', statement: $text, timestamp: datetime()})`,
          {
            tenant,
            subject: `s${number % 250}`,
            object: `o${(number + Math.floor(number / 250)) % 250}`,
            changeId: randomUUID(),
            text: JSON.stringify({ subject: { id: `s${number}` }, predicate: { id: 'borders' } }),
            edge: {
              statementId: randomUUID(),
              tenant,
              predicate: 'https://example.org/world#borders',
              certainty: 0.5,
              updateId: randomUUID(),
              sourceAgentId: 'bench',
              revision: neo4j.int(number),
            },
          },
        );
        return Promise.all([locked, written]);
      }, asConcord);
    } finally {
      await session.close();
    }
  }
}
