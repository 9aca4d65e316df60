import pLimit from 'p-limit';
import type { Queryable } from '../../graph/database/queryable.ts';
import { behindEdits, type TakeEdits } from './behindEdits.ts';
import { type CommitParts, commitGroup } from './commit.ts';
import type { Proposal, Verdict } from './plan.ts';
import { type ReviewTransactionParts, writeReviews } from './reviewTransaction.ts';

export interface CommitterParts extends CommitParts, ReviewTransactionParts {
  /** Told that the graph has changed. */
  applied(): void;
  takeEdits?: TakeEdits;
}

/** Thrown inside the transaction, so that it is rolled back. */
class RolledBack extends Error {
  constructor(readonly verdict: Verdict | undefined) {
    super('The transaction was a dry run');
  }
}

/** Commits proposals, or finds out what committing one would come to. */
export class Committer {
  private readonly dryRuns = pLimit(1);

  constructor(private readonly parts: CommitterParts) {}

  /**
   * Commits proposals of one tenant in one transaction, in which the tasks end that waited for those that are approved.
   * @param written told when only the commit itself is left
   * @returns a verdict for each
   * @throws NotAligned
   */
  async commit(tenant: string, proposals: Proposal[], written: () => void): Promise<Verdict[]> {
    const work = (isBehindEdits: boolean) => async (tx: Queryable) => {
      const verdicts = await commitGroup(tx, tenant, proposals, this.parts, isBehindEdits);
      return { result: verdicts, reviewed: verdicts.flatMap(approvedUpdate) };
    };
    const verdicts = await behindEdits(tenant, this.parts.takeEdits, (isBehindEdits) =>
      writeReviews(this.parts, tenant, work(isBehindEdits), written),
    );
    if (verdicts.some(({ kind }) => kind === 'applied')) this.parts.applied();
    return verdicts;
  }

  /**
   * Commits a proposal and rolls it back. It holds the tenant's ledger meanwhile, as an update of its size would, so
   * one runs at a time: those that wait for a ledger take no connections from updates.
   * @throws NotAligned with the index 0
   */
  dryRun(proposal: Proposal): Promise<Verdict> {
    return this.dryRuns(() => this.commitAndRollBack(proposal));
  }

  private async commitAndRollBack(proposal: Proposal): Promise<Verdict> {
    const { database, timeoutMs } = this.parts;
    try {
      return await database.write<never>(async (tx) => {
        const [verdict] = await commitGroup(tx, proposal.tenant, [proposal], this.parts);
        throw new RolledBack(verdict);
      }, timeoutMs);
    } catch (error) {
      if (error instanceof RolledBack && error.verdict) return error.verdict;
      throw error;
    }
  }
}

/** The update, where it was held for review before. */
function approvedUpdate(verdict: Verdict) {
  return verdict.kind === 'applied' && verdict.update.reviewedBy !== undefined ? [verdict.update] : [];
}
