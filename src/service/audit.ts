import type { Audit } from '../audit/audited.ts';
import { AuditTrail } from '../audit/trail.ts';
import { auditRetention } from '../graph/audit/retention.ts';
import type { Database } from '../graph/database/database.ts';
import { sparing } from '../telemetry/logger.ts';
import type { Foundation } from './foundation.ts';

/**
 * Begins to keep the audit trail, and to let go of what has had its time, where the settings say so. It is closed behind
 * the doors, so that it has their last calls.
 */
export function openAudit({ config, instruments, logger, closing }: Foundation, database: Database): Audit | undefined {
  const { AUDIT: mode, AUDIT_RETENTION_DAYS: days } = config;
  if (days !== undefined) {
    const onError = sparing(logger, 'old entries of the audit trail cannot be let go');
    closing.add(auditRetention(database, { before: () => Date.now() - days * 86_400_000, onError })).start();
  }
  if (mode === 'off') return undefined;
  const onError = sparing(logger, 'the audit trail cannot be written; its entries wait');
  const trail = closing.add(new AuditTrail({ database, mode, instruments, now: Date.now, onError }));
  trail.start();
  return (call) => trail.record(call);
}
