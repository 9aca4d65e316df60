import type { Database } from '../../src/graph/database/database.ts';
import { eventually } from '../a2a/testService.ts';
import { gate } from './gate.ts';

/** A lock that one transaction holds until it is told to let go. */
export interface HeldLock {
  /** Commits what holds it, and settles once that is done. */
  letGo(): Promise<void>;
}

/** Runs a query in a transaction that stays open, and keeps the locks that it has taken. */
export async function holdLock(
  database: Database,
  query: string,
  parameters: Record<string, unknown> = {},
): Promise<HeldLock> {
  const taken = gate();
  const end = gate();
  const work = database.write(async (tx) => {
    await tx.run(query, parameters);
    taken.open();
    await end.opened;
  }, 60_000);
  await Promise.race([taken.opened, work]);
  return {
    async letGo() {
      end.open();
      await work;
    },
  };
}

/** Settles once so many transactions wait for locks. */
export async function untilBlocked(database: Database, transactions = 1): Promise<void> {
  await eventually(async () => {
    const [row] = await database.run<{ blocked: number }>(
      'READ',
      "SHOW TRANSACTIONS YIELD status WHERE status STARTS WITH 'Blocked' RETURN count(*) AS blocked",
    );
    return (row?.blocked ?? 0) >= transactions;
  });
}
