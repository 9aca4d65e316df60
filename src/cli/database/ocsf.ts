import { version } from '../../base/version.ts';
import type { AuditEntry } from '../../graph/audit/entry.ts';

/** OCSF 1.3.0: category Application Activity, class API Activity. */
const category = 6;
const apiActivity = 6003;

/** What an API was used for, as OCSF numbers it. */
const activities = { create: 1, read: 2, update: 3, delete: 4, other: 99 };

/** An entry of the audit trail as an event of the Open Cybersecurity Schema Framework (https://schema.ocsf.io). */
export function ocsfOf(entry: AuditEntry): object {
  const { agent, keyId, address, reason, count, traceId, target, revision, reviewedBy, verdict } = entry;
  const activity = activities[activityOf(entry)];
  const isSuccess = verdict === 'ok' || verdict === 'applied';
  const code = Number(verdict);
  return {
    activity_id: activity,
    category_uid: category,
    class_uid: apiActivity,
    type_uid: apiActivity * 100 + activity,
    time: entry.at,
    // Informational, or low where somebody was refused or something failed.
    severity_id: isSuccess ? 1 : 2,
    status_id: isSuccess ? 1 : 2,
    status_detail: reason,
    count,
    actor: { user: { uid: agent ?? '', credential_uid: keyId } },
    api: {
      operation: entry.what,
      service: { name: 'concord' },
      response: { code: Number.isInteger(code) ? code : 0, message: verdict },
    },
    src_endpoint: { ip: address ?? '' },
    ...(target !== undefined && { resources: [{ uid: target, type: 'update' }] }),
    metadata: {
      version: '1.3.0',
      product: { name: 'Concord', vendor_name: 'Concord', version },
      uid: entry.hash,
      sequence: entry.sequence,
      log_name: entry.chain,
      tenant_uid: entry.tenant,
      correlation_uid: traceId,
    },
    unmapped: { revision, reviewed_by: reviewedBy },
  };
}

function activityOf({ what }: AuditEntry): keyof typeof activities {
  if (/query|subscribe|get|list|find|graphql/i.test(what)) return 'read';
  if (/purge|remove|delete/i.test(what)) return 'delete';
  if (/register|send|run/i.test(what)) return 'create';
  return /update|review/i.test(what) ? 'update' : 'other';
}
