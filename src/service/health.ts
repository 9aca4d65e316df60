import { ConcordError, ErrorCode } from '../base/errors.ts';
import type { ChangeFeed } from '../changes/feed.ts';
import { isUnavailable } from '../graph/database/away.ts';
import type { Database } from '../graph/database/database.ts';
import { createHealth, type Health } from '../http/health.ts';
import type { Foundation } from './foundation.ts';
import type { Reading } from './reading.ts';
import type { Storage } from './storage.ts';

/** What must be so for the service to be ready: Neo4j answers, and the feed is not behind. */
export function openHealth({ config, logger }: Foundation, { database, capture }: Storage, { feed }: Reading): Health {
  return createHealth(
    {
      neo4j: () => requireNeo4j(database),
      feed: async () => requireFresh(feed, config.FEED_STALE_MS),
      // Told, and no reason not to be ready: agents are served all the same.
      ...(config.CAPTURE !== 'off' && { capture: async () => ({ seen: capture.state.isSeen }) }),
    },
    logger,
  );
}

async function requireNeo4j(database: Database): Promise<undefined> {
  try {
    await database.run('READ', 'RETURN 1 AS one');
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw new ConcordError(
      ErrorCode.InternalError,
      'Neo4j does not answer, or its database is down',
      {},
      { cause: error },
    );
  }
}

async function requireFresh(feed: ChangeFeed, staleMs: number): Promise<Record<string, unknown>> {
  const lagSeconds = Math.round(feed.lagSeconds() * 1_000) / 1_000;
  if (lagSeconds * 1_000 <= staleMs) return { lagSeconds };
  throw new ConcordError(ErrorCode.InternalError, `the feed has not seen the ledgers for ${lagSeconds} s`);
}
