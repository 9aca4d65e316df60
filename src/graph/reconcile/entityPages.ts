import neo4j from 'neo4j-driver';
import type { Queryable } from '../database/queryable.ts';

/** An entity as it stands in the graph. */
export interface EntityRow {
  [key: string]: unknown;
  element: string;
  id: string;
  labels: string[];
  properties: Record<string, unknown>;
}

/** The tenant's entities after an id, in the order of their ids. */
export async function entitiesAfter(
  tx: Queryable,
  tenant: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const { records } = await tx.run<{ id: string }>(
    `MATCH (e:Entity {tenant: $tenant}) USING INDEX SEEK e:Entity(tenant, id) WHERE e.id > $after
     RETURN e.id AS id ORDER BY e.tenant, e.id LIMIT $limit`,
    { tenant, after, limit: neo4j.int(limit) },
  );
  return records.map((record) => record.get('id'));
}

/** These entities. */
export async function entitiesById(tx: Queryable, tenant: string, ids: string[]): Promise<EntityRow[]> {
  const { records } = await tx.run<EntityRow>(
    `UNWIND $in.ids AS id
     MATCH (e:Entity {tenant: $tenant, id: id}) USING INDEX SEEK e:Entity(tenant, id)
     RETURN elementId(e) AS element, id, labels(e) AS labels, properties(e) AS properties`,
    { tenant, in: { ids } },
  );
  return records.map((record) => record.toObject());
}
