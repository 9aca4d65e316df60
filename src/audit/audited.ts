import type { Principal } from '../security/principal.ts';

/** What the audit trail holds of calls: those that only read, too, or the others alone. */
export type AuditMode = 'writes' | 'all';

/** A call that was answered, or a request that was refused. */
export interface AuditedCall {
  /** Absent where nobody was recognized. */
  principal?: Principal;
  method: string;
  /** `ok`, `cancelled` or the code of the error. */
  outcome: string;
  /** Of the error. */
  reason?: string;
  /** Whether somebody was refused for who it is, or for what it may not do. */
  isRefusal: boolean;
}

/** Takes a call for the audit trail. It neither waits nor throws. */
export type Audit = (call: AuditedCall) => void;

/** Where no trail is kept. */
export const unaudited: Audit = () => {};

/** Methods that only read, by whichever name a protocol has for them; `unknown` is one that there isn't. */
const reads = new Set([
  ...['knowledge/query', 'knowledge/subscribe', 'agents/get', 'agents/list', 'agents/find', 'graphql', 'unknown'],
  ...['GetTask', 'ListTasks', 'SubscribeToTask', 'GetExtendedAgentCard', 'subscribe', 'unsubscribe'],
  ...['GetTaskPushNotificationConfig', 'ListTaskPushNotificationConfigs', 'tasks/get', 'tasks/list'],
  ...['tasks/resubscribe', 'tasks/pushNotificationConfig/get', 'tasks/pushNotificationConfig/list'],
  ...[
    'rest/get',
    'one messages',
    'one query',
    'tasks/pushNotification/get',
    'agent/getAuthenticatedExtendedCard',
    'graphql subscription',
  ],
]);

/** Whether a call belongs into the trail: whoever was refused does in any case. */
export function isAudited({ method, isRefusal }: AuditedCall, mode: AuditMode): boolean {
  return mode === 'all' || isRefusal || !reads.has(method);
}
