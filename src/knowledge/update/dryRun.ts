import pLimit from 'p-limit';
import type { Database } from '../../graph/database/database.ts';
import { type CommitParts, commitGroup, type Proposal, type Verdict } from './commit.ts';

/** Thrown inside the transaction, so that it is rolled back. */
class Rehearsed extends Error {
  readonly verdict: Verdict | undefined;

  constructor(verdict: Verdict | undefined) {
    super('The transaction was a dry run');
    this.verdict = verdict;
  }
}

/**
 * Commits a proposal as `commitGroup` does and rolls it back. It holds the tenant's ledger meanwhile, as an update of its size would, so one runs
 * at a time: rehearsals that wait for a ledger take no connections from updates.
 * @throws NotAligned with the index 0
 */
export function dryRunner(
  database: Database,
  parts: CommitParts,
  timeoutMs: number,
): (proposal: Proposal) => Promise<Verdict> {
  const turns = pLimit(1);
  const run = (proposal: Proposal): Promise<Verdict> =>
    database
      .write<Verdict>(async (tx) => {
        const [verdict] = await commitGroup(tx, proposal.tenant, [proposal], parts);
        throw new Rehearsed(verdict);
      }, timeoutMs)
      .catch((error: unknown) => {
        if (error instanceof Rehearsed && error.verdict) return error.verdict;
        throw error;
      });
  return (proposal) => turns(run, proposal);
}
