import type { Database } from '../../graph/database/database.ts';
import { Sweep } from '../../graph/database/sweep.ts';
import { releaseKeys } from '../../graph/updates/ledger.ts';

interface KeySweepParts {
  /** As in CommitParts. */
  keysSince(): number;
  onError(error: unknown): void;
}

/** Of one transaction. */
const batch = 1_000;

/** Lets go of idempotency keys that have had their time and that nobody has used again. DESIGN, "Patches". */
export function keySweep(database: Database, { keysSince, onError }: KeySweepParts): Sweep {
  return new Sweep({
    database,
    step: async (tx) => (await releaseKeys(tx, keysSince(), batch)) === batch,
    onError,
  });
}
