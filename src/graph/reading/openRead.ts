import { setTimeout as sleep } from 'node:timers/promises';
import type { Record as Neo4jRecord } from 'neo4j-driver';
import type { ConcordError } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import type { Database, OpenRead } from '../database/database.ts';

/** A transaction of a read, and the revision of the tenant's graph that it sees. */
export interface Open extends OpenRead {
  revision: Promise<number>;
}

/** How long a read waits at most for a revision that another replica may have given out, and between two looks. */
const patienceMs = 3_000;
const lookMs = 25;

/** Begins a transaction, with the look at the ledger, and waits for nothing. */
export function openRead(
  database: Pick<Database, 'beginRead'>,
  tenant: string,
  timeoutMs: number,
  onRecord: (record: Neo4jRecord) => void,
): Open {
  const read = database.beginRead(timeoutMs, onRecord);
  const ledger = read.own.run<{ revision: number }>(
    'MATCH (l:Ledger {tenant: $tenant}) RETURN l.revision AS revision',
    { tenant },
  );
  const revision = Promise.resolve(ledger).then(({ records }) => records[0]?.get('revision') ?? 0);
  // Where the query fails too, only its fault is told.
  revision.catch(() => {});
  return { ...read, revision };
}

/**
 * A transaction that sees the revision asked for: what an update answered with holds for whoever reads next, on any
 * replica.
 * @param begin begins another
 * @param stopped rejects when the read ends
 * @throws ConcordError `revision-not-reached`
 */
export async function openAt(asked: number, begin: () => Open, stopped: Promise<never>): Promise<Open> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const open = begin();
    const revision = await Promise.race([stopped, open.revision]);
    if (revision >= asked) return open;
    open.end();
    if (performance.now() > until) throw notReached(asked, revision);
    await Promise.race([stopped, sleep(lookMs)]);
  }
}

function notReached(asked: number, revision: number): ConcordError {
  return refuse(
    'revision-not-reached',
    `The graph is at revision ${revision} and did not reach ${asked} in ${patienceMs} ms; ask again, or without afterRevision`,
    { revision },
  );
}
