import type { ConcordClient } from '../client/index.ts';

/**
 * The revision of the caller's graph, by a question that every principal may ask who may ask at all.
 * @throws ConcordClientError
 */
export async function revisionOf(client: ConcordClient): Promise<number> {
  const { queryMetadata } = await client.query('{ __typename }');
  return queryMetadata.revision;
}
