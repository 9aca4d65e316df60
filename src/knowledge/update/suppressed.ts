import type { Violation } from '../../alignment/alignment.ts';
import type { Queryable } from '../../graph/database/queryable.ts';
import { findSuppressed, type Suppression, SuppressionIds } from '../../graph/erasing/suppression.ts';
import { isLiteral, type Statement } from '../../graph/statements/statement.ts';

/** Stands where violations name their rule. */
export const suppressedRule = 'suppressed';

/** Statements that a proposal would make hold, if only until its next patch: what is logged is told to subscribers. */
interface Stated {
  statements: Statement[];
  /** Whether a reviewer, who was told that they are suppressed, lets them through. */
  isApproved: boolean;
}

/**
 * What of each proposal would bring back what a purge has erased. A reviewer's approval lets it through where it is
 * held for review.
 * @returns the violations by the place in the list; none for a proposal that brings back nothing
 */
export async function suppressedIn(
  tx: Queryable,
  tenant: string,
  { keys, mode }: Suppression,
  proposals: Stated[],
): Promise<Map<number, Violation[]>> {
  const hashes = new SuppressionIds(keys, tenant);
  const asked = proposals.map(({ statements, isApproved }) =>
    (isApproved && mode === 'review' ? [] : statements).map((statement) => ({
      statement,
      ids: hashes.of(statement),
    })),
  );
  const found = await findSuppressed(tx, [...new Set(asked.flatMap((each) => each.flatMap(({ ids }) => ids)))]);
  return new Map(
    asked.flatMap((each, index): [number, Violation[]][] => {
      const covered = each.filter(({ ids }) => ids.some((id) => found.has(id)));
      return covered.length === 0 ? [] : [[index, violationsOf(covered, mode)]];
    }),
  );
}

/** Each names a statement by its subject, predicate and the entity that is its object: that is what is suppressed. */
function violationsOf(covered: { statement: Statement }[], mode: Suppression['mode']): Violation[] {
  const violations = covered.map(
    ({ statement: { subject, predicate, object } }): Violation => ({
      rule: suppressedRule,
      severity: mode === 'review' ? 'review' : 'reject',
      subject: subject.id,
      predicate: predicate.id,
      ...(!isLiteral(object) && { object: object.id }),
      message: 'would bring back what was erased for good',
    }),
  );
  return [...new Map(violations.map((each) => [JSON.stringify(each), each])).values()];
}

/** What is kept and told of such violations together, which names nothing. */
export function suppressedDetails(violations: Violation[]): string {
  const count = violations.filter(({ rule }) => rule === suppressedRule).length;
  return `${suppressedRule}: ${count === 1 ? '1 statement' : `${count} statements`} would bring back what was erased for good`;
}

/** Whether an update was held because it would bring back what was erased. */
export function isSuppressedUpdate({ verificationDetails }: { verificationDetails?: string }): boolean {
  return verificationDetails?.startsWith(`${suppressedRule}: `) ?? false;
}
