import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import canonicalize from 'canonicalize';
import { type Envelope, envelope, envelopeVersion } from '../../agents/envelopes/envelope.ts';
import type { MessageSignature, Seals } from '../../agents/envelopes/seals.ts';
import { ErrorCode } from '../../base/errors.ts';
import type { Call } from '../../calls/call.ts';
import { invalidParams, parseParams } from '../../calls/params.ts';
import { requireScope } from '../../calls/scope.ts';
import { requireOwnTenant } from '../../security/tenant.ts';
import { foreignCaller } from '../agentos/runRequest.ts';

/** A message of who may send it. */
export interface Admitted {
  envelope: Envelope;
  /** The id of the agent that sends it. */
  sender: string;
  /** Of the conversation. */
  correlationId: string;
  /** The same of a message that says the same. */
  digest: string;
  signature: MessageSignature;
}

/**
 * Reads a message, and looks at who sends it.
 * @param body JSON that was parsed
 * @throws ConcordError `invalid-params`, `missing-scope`, `foreign-tenant`, `foreign-caller`, `message-signature`, `message-encryption`
 */
export async function admitted(
  seals: Seals,
  body: unknown,
  headers: IncomingHttpHeaders,
  { principal }: Call,
): Promise<Admitted> {
  requireHeader(headers, 'x-a2a-version', envelopeVersion, `is not ${envelopeVersion}, the version that is served`);
  const given = parseParams(envelope, body);
  const { messageId, correlationId = messageId, groupId, from, to, message } = given;
  requireHeader(headers, 'x-message-id', messageId, 'is not the messageId of the message');
  requireScope({ principal }, 'tasks', ErrorCode.InvalidRequest);
  requireOwnTenant(principal, [groupId]);
  if (principal.agentId !== undefined && principal.agentId !== from.agentId) throw foreignCaller('from.agentId');
  const { content, signature } = await seals.open(principal.tenant, given, body);
  // Encrypted, the same is another text each time.
  const said = canonicalize([correlationId, to.agentId, message.type, content]) ?? '';
  const digest = createHash('sha256').update(said).digest('base64url');
  const opened = { ...given, message: { ...message, content } };
  return { envelope: opened, sender: from.agentId, correlationId, digest, signature };
}

/** A header that is left out agrees with every message. */
function requireHeader(headers: IncomingHttpHeaders, name: string, expected: string, fault: string): void {
  const said = headers[name];
  if (said === undefined || said === expected) return;
  throw invalidParams([{ path: [name], message: fault }]);
}
