import neo4j from 'neo4j-driver';
import type { Database } from '../database/database.ts';
import type { Queryable } from '../database/queryable.ts';
import { quoted } from '../names/names.ts';
import { fuzzyFirst } from './fuzzyFirst.ts';

const index = 'entity_text';

/**
 * Makes the full-text index over these properties of entities, or none. It follows what is committed a moment later, so
 * that no update waits for it.
 */
export async function installTextIndex(database: Database, properties: string[]): Promise<void> {
  const wanted = [...new Set(properties)].sort();
  const [found] = await database.run<{ properties: string[] }>(
    'READ',
    'SHOW FULLTEXT INDEXES YIELD name, properties WHERE name = $index RETURN properties',
    { index },
  );
  if (JSON.stringify(found?.properties.toSorted() ?? []) === JSON.stringify(wanted)) return;
  await database.ensure(`DROP INDEX ${index} IF EXISTS`);
  if (wanted.length === 0) return;
  const each = wanted.map((property) => `n.${quoted(property)}`).join(', ');
  await database.ensure(
    `CREATE FULLTEXT INDEX ${index} IF NOT EXISTS FOR (n:Entity) ON EACH [${each}]
     OPTIONS {indexConfig: {\`fulltext.eventually_consistent\`: true}}`,
  );
}

/**
 * The ids of a tenant's entities that have a text like one of the words, likest first. They are candidates: what of
 * them a caller may see, and whether it is that which is like the words, this doesn't ask.
 */
export async function entitiesLike(
  database: Database,
  tenant: string,
  words: string[],
  { limit, timeoutMs }: { limit: number; timeoutMs: number },
): Promise<string[]> {
  return fuzzyFirst(words, (query) =>
    database.read(async (tx) => {
      const { records } = await tx.run(
        `CALL db.index.fulltext.queryNodes($index, $query) YIELD node
         WITH node WHERE node.tenant = $tenant RETURN node.id AS id LIMIT $limit`,
        { index, query, tenant, limit: neo4j.int(limit) },
      );
      return records.map((record) => record.get('id') as string);
    }, timeoutMs),
  );
}

/**
 * A page of the ids of a tenant's entities that the index finds, likest first, whatever of them a caller may see.
 * @param query Lucene's, of what callers have written no more than words
 */
export async function entitiesIndexed(
  tx: Queryable,
  { tenant, query, skip, limit }: { tenant: string; query: string; skip: number; limit: number },
): Promise<string[]> {
  const { records } = await tx.run(
    `CALL db.index.fulltext.queryNodes($index, $query) YIELD node
     WITH node WHERE node.tenant = $tenant RETURN node.id AS id SKIP $skip LIMIT $limit`,
    { index, query, tenant, skip: neo4j.int(skip), limit: neo4j.int(limit) },
  );
  return records.map((record) => record.get('id') as string);
}
