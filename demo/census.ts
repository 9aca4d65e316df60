import neo4j, { type EagerResult, type RecordShape } from 'neo4j-driver';

/** What the whole database holds, Concord's own records included. */
export interface Census {
  nodes: number;
  relationships: number;
  /** Updates applied. */
  revision: number;
}

/** Counts in Neo4j itself, past the service. */
export async function takeCensus(server: { uri: string; user: string; password: string }): Promise<Census> {
  const driver = neo4j.driver(server.uri, neo4j.auth.basic(server.user, server.password), {
    disableLosslessIntegers: true,
  });
  try {
    const { records } = await driver.executeQuery<EagerResult<Census & RecordShape>>(
      `RETURN COUNT { () } AS nodes, COUNT { ()-->() } AS relationships,
         COLLECT { MATCH (l:Ledger) RETURN l.revision ORDER BY l.tenant }[0] AS revision`,
      {},
      { routing: 'READ' },
    );
    const [record] = records;
    if (!record) throw new Error('Neo4j did not count');
    return record.toObject();
  } finally {
    await driver.close();
  }
}
