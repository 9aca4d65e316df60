import { z } from 'zod';
import { ErrorCode } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import type { Call, UnaryMethod } from '../../calls/call.ts';
import { faultOf } from '../../calls/faults.ts';
import { parseParams } from '../../calls/params.ts';
import { requireScope } from '../../calls/scope.ts';
import type { Suppression } from '../../graph/erasing/suppression.ts';
import { type Erased, newReceipt, nothing, tombstoneOf } from '../../graph/erasing/tombstone.ts';
import type { ClosedTo } from '../conditions.ts';
import { identifier, optional } from '../patch.ts';
import { type PurgeParts, PurgeRun } from './purgeRun.ts';

/** What was erased for good, or would be. */
export interface PurgeResult {
  dryRun: boolean;
  erased: Erased;
  /**
   * Statements about others whose literal names the entity. They are left: the first of them, and how many there are.
   */
  stillNaming: { count: number; statements: { subject: string; predicate: string }[] };
  /** Of a call to let it come back: whether it was kept away until now. */
  lifted?: boolean;
  /**
   * Whether statements that would bring it back are held for review or refused from now on (SUPPRESSION); of a dry run,
   * would be.
   */
  suppressed: boolean;
  /** Proves later, with the tombstone, what was erased; it is kept nowhere. Absent where nothing was erased. */
  receipt?: string;
}

const params = z.strictObject({
  subject: identifier,
  /** Erases only the statements about the subject with this predicate. */
  predicate: optional(identifier),
  dryRun: optional(z.boolean()),
  /** Erases nothing: what was erased may come back. */
  lift: optional(z.boolean()),
  /** Of an earlier call that was cut short: it is gone on with, and its counts too. */
  receipt: optional(z.string().regex(/^[\w-]{43}$/, 'is not a receipt: 43 characters of base64url')),
});

const shownStatements = 20;

/**
 * `knowledge/purge`, beyond the specification: erases an entity, or its statements with one predicate, for good,
 * history and change log included.
 * @throws ConcordError -32602, -32011
 */
export function purgeMethod(parts: PurgeParts & { closedTo: ClosedTo }): UnaryMethod<PurgeResult> {
  const method: UnaryMethod<PurgeResult> = async (raw, call) => {
    requireScope(call, 'admin', ErrorCode.KnowledgeUpdate);
    const { dryRun = false, receipt = newReceipt(), lift = false, ...erasure } = parseParams(params, raw);
    requireAll(call, parts.closedTo);
    const { tenant, agentId: erasedBy = 'local' } = call.principal;
    const run = new PurgeRun(parts, erasure, tombstoneOf(receipt, { tenant, erasedBy, ...erasure }));
    try {
      if (lift && !dryRun) return await lifted(run, parts.suppression);
      const { erased, naming } = await (dryRun ? run.look(call.signal) : run.erase(call.signal));
      const isErased = !dryRun && Object.values(erased).some((count) => count > 0);
      return {
        dryRun,
        erased,
        suppressed: parts.suppression !== undefined,
        stillNaming: { count: naming.length, statements: naming.slice(0, shownStatements) },
        ...(isErased && { receipt }),
      };
    } catch (error) {
      const advice = 'part of it may be erased. Send the purge again, with the same receipt if it had one.';
      throw faultOf(error, ErrorCode.KnowledgeUpdate, advice);
    }
  };
  return Object.assign(method, { params });
}

async function lifted(run: PurgeRun, suppression: Suppression | undefined): Promise<PurgeResult> {
  if (suppression === undefined)
    throw refuse('no-suppression', 'Nothing is kept away here: SUPPRESSION_KEY and SUPPRESSION say what is');
  const isLifted = await run.lift(suppression);
  const none = { count: 0, statements: [] };
  return { dryRun: false, erased: nothing, suppressed: false, lifted: isLifted, stillNaming: none };
}

/** A purge erases what it finds and tells how much, so whoever makes it must see everything. */
function requireAll({ principal }: Call, closedTo: ClosedTo): void {
  const reason = principal.graphs !== undefined ? 'limited-graphs' : closedTo(principal) ? 'limited-policy' : undefined;
  if (reason === undefined) return;
  const message = 'Whoever purges must see all graphs of the tenant, and nothing may be closed to it';
  throw refuse(reason, message);
}
