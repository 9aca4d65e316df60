import { StartupError } from '../../base/errors.ts';
import { Periodic } from '../../base/periodic.ts';
import type { Database } from '../database/database.ts';

/** Of whom nothing is heard for so long, for it was killed, holds no longer. */
const leaseSeconds = 15;
const renewMs = 4_000;
/** Longer than the updates take that are under way. */
const takeMs = 120_000;

/**
 * Does work while nothing is written under any ledger: updates, reviews and purges are refused meanwhile, and told to
 * come again. It is a lease by the clock of Neo4j.
 * @throws StartupError where the hold was lost, or a tenant is new since it began: what was read may not belong together
 */
export async function holdingWrites<T>(database: Database, work: () => Promise<T>): Promise<T> {
  const held = await extend(database, false);
  let isLost = false;
  const requireHeld = async () => {
    isLost ||= (await extend(database, true)) < held || (await ledgers(database)) > held;
    if (isLost) throw new StartupError('Something was written meanwhile, so what was read may not fit. Try again.');
  };
  const renewal = new Periodic({ everyMs: renewMs, work: requireHeld, onError: () => {} });
  renewal.start();
  try {
    const result = await work();
    await renewal.close();
    await requireHeld();
    return result;
  } finally {
    await renewal.close();
    await database.run('WRITE', 'MATCH (l:Ledger) REMOVE l.heldUntil').catch(() => {});
  }
}

/** Waits for what is under way, for it takes each ledger. @returns how many ledgers are held now */
async function extend(database: Database, onlyHeld: boolean): Promise<number> {
  return database.write(async (tx) => {
    const { records } = await tx.run<{ held: number }>(
      `MATCH (l:Ledger)
       SET l.tenant = l.tenant
       WITH l WHERE NOT $onlyHeld OR l.heldUntil > datetime()
       SET l.heldUntil = datetime() + duration({seconds: $seconds})
       RETURN count(l) AS held`,
      { onlyHeld, seconds: leaseSeconds },
    );
    return records[0]?.get('held') ?? 0;
  }, takeMs);
}

async function ledgers(database: Database): Promise<number> {
  const [row] = await database.run<{ n: number }>('READ', 'MATCH (l:Ledger) RETURN count(l) AS n');
  return row?.n ?? 0;
}
