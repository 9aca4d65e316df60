import { z } from 'zod';
import { id } from '../../agents/envelopes/envelope.ts';
import { eventTypes, type MessageEvent, type MessageEvents } from '../../agents/events/messageEvents.ts';
import { ErrorCode } from '../../base/errors.ts';
import type { Call } from '../../calls/call.ts';
import { parseParams } from '../../calls/params.ts';
import { requireScope } from '../../calls/scope.ts';
import { identifier, optional } from '../../knowledge/patch.ts';

const most = 1_000;
const instant = optional(
  z.iso.datetime({ offset: true, error: 'is no point in time by ISO 8601' }).transform((text) => Date.parse(text)),
);

/** What is asked for in an address, where all are texts. */
export const listParams = z.strictObject({
  agent: optional(identifier),
  correlationId: optional(id),
  type: optional(z.enum(eventTypes)),
  since: instant,
  until: instant,
  first: optional(
    z
      .string()
      .regex(/^\d{1,4}$/, 'is no whole number')
      .transform(Number)
      .pipe(z.int().min(1).max(most)),
  ),
});

/**
 * The caller's messages that have come and gone, newest first; with the scope `admin` those of the tenant.
 * @throws ConcordError `invalid-params`, `missing-scope`
 */
export function listEvents(events: MessageEvents, query: object, { principal }: Call): Promise<MessageEvent[]> {
  requireScope({ principal }, 'tasks', ErrorCode.InvalidRequest);
  const { first = 100, agent, correlationId, type, since, until } = parseParams(listParams, query);
  const { tenant, agentId, scopes } = principal;
  return events.list({
    ...{ tenant, first },
    ...(agentId !== undefined && !scopes.has('admin') && { seenBy: agentId }),
    ...(agent !== undefined && { agent }),
    ...(correlationId !== undefined && { correlationId }),
    ...(type !== undefined && { type }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  });
}
