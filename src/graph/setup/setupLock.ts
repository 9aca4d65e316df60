import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { orAborted } from '../../base/orAborted.ts';
import { Periodic } from '../../base/periodic.ts';
import { untraced } from '../../telemetry/tracing.ts';
import type { Database } from '../database/database.ts';

/** There is one a database. */
const key = 'setup';

/** Of whom nothing is heard for so long, for it was killed or Neo4j was away, the lock goes to the next. */
const leaseSeconds = 15;
const renewMs = 5_000;
const lookMs = 200;
const tellMs = 5_000;

interface Waiting {
  /** Told while another replica has the lock. */
  report(line: string): void;
  /** Ends the wait, or gives the lock back though the work isn't done. */
  signal?: AbortSignal;
}

/**
 * Does work on the schema while no other replica does, whichever version it is. The lock is a lease and no open
 * transaction: schema commands wait for transactions. All that is done under it may be done twice, so a holder that
 * was slow to renew it does no harm.
 */
export async function withSetupLock<T>(database: Database, waiting: Waiting, work: () => Promise<T>): Promise<T> {
  // Without it, replicas that start at once would each make a lock.
  await database.ensure('CREATE CONSTRAINT setup_lock IF NOT EXISTS FOR (l:SetupLock) REQUIRE l.key IS UNIQUE');
  const holder = randomUUID();
  await waitForTurn(database, holder, waiting);
  const renewal = new Periodic({
    everyMs: renewMs,
    work: async () => void (await untraced(() => take(database, holder))),
    // The work finds out by itself that Neo4j is away.
    onError: () => {},
  });
  renewal.start();
  try {
    return await orAborted(work(), waiting.signal);
  } finally {
    await renewal.close();
    await release(database, holder).catch(() => {});
  }
}

async function waitForTurn(database: Database, holder: string, { report, signal }: Waiting): Promise<void> {
  let tellAt = Date.now() + tellMs;
  while (!(await take(database, holder))) {
    if (Date.now() >= tellAt) {
      report('Waiting for another replica, which sets up the graph');
      tellAt = Date.now() + tellMs;
    }
    await sleep(lookMs, undefined, { signal });
  }
}

/** By the clock of Neo4j, which is one for all. @returns whether the holder has it now */
async function take(database: Database, holder: string): Promise<boolean> {
  return database.write(async (tx) => {
    const { records } = await tx.run<{ holder: string }>(
      // Locked before it is read.
      `MERGE (l:SetupLock {key: $key}) SET l.key = $key
       WITH l, l.holder IS NULL OR l.holder = $holder OR l.until < datetime() AS isFree
       SET l += CASE WHEN isFree THEN {holder: $holder, until: datetime() + duration({seconds: $seconds})} ELSE {} END
       RETURN l.holder AS holder`,
      { key, holder, seconds: leaseSeconds },
    );
    return records[0]?.get('holder') === holder;
  }, 10_000);
}

async function release(database: Database, holder: string): Promise<void> {
  await database.run('WRITE', 'MATCH (l:SetupLock {key: $key, holder: $holder}) REMOVE l.holder, l.until', {
    key,
    holder,
  });
}
