import neo4j, { type Session } from 'neo4j-driver';
import { authOf } from '../database/auth.ts';
import type { DatabaseAddress } from '../database/database.ts';

/** A session whose values keep integers apart from floats, for a piece of work. Concord's own takes both as numbers. */
export async function withExactSession<T>(
  address: DatabaseAddress,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const driver = neo4j.driver(address.uri, authOf(address), { userAgent: 'concord' });
  // One after another: what comes later sees what came before, on a cluster too.
  const session = driver.session({ database: address.database, defaultAccessMode: neo4j.session.WRITE });
  try {
    return await work(session);
  } finally {
    await session.close();
    await driver.close();
  }
}

/** The number in an element id, by which Neo4j numbers nodes; the rest is the database's. */
export function numberOf(elementId: string): number {
  return Number(elementId.slice(elementId.lastIndexOf(':') + 1));
}
