import type { JwtPayload } from 'jsonwebtoken';
import { isScope, type Principal, visibleGraphs } from './principal.ts';
import { Forbidden, type ForbiddenReason } from './refused.ts';

/** Which claim says what. */
export interface ClaimNames {
  tenant: string;
  agent: string;
  scope: string;
  graphs: string;
}

const longest = 1_000;

/**
 * The principal of a verified token. Scopes that Concord doesn't have are left out; no claim on graphs means all of the tenant's.
 * @throws Forbidden when the tenant or the agent is missing, or the claims on scopes or graphs cannot be read: what cannot be read must not count
 * as unlimited
 */
export function principalOf(payload: JwtPayload, names: ClaimNames): Principal {
  const claim = (name: string): unknown => (Object.hasOwn(payload, name) ? payload[name] : undefined);
  const graphs = claim(names.graphs);
  return {
    tenant: nameIn(claim(names.tenant), 'no-tenant'),
    agentId: nameIn(claim(names.agent), 'no-agent'),
    scopes: new Set(words(claim(names.scope) ?? []).filter(isScope)),
    ...(graphs !== undefined && { graphs: visibleGraphs(words(graphs)) }),
  };
}

function nameIn(value: unknown, missing: ForbiddenReason): string {
  if (typeof value !== 'string' || value.trim() === '' || value.length > longest)
    throw new Forbidden(missing);
  // Half a character would be another one in the database.
  if (!value.isWellFormed()) throw new Forbidden(missing);
  return value;
}

/** A list of strings, or one string of words with spaces between them, as OAuth writes scopes (RFC 6749, section 3.3). */
function words(value: unknown): string[] {
  if (typeof value === 'string') return value.split(' ').filter(Boolean);
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw new Forbidden('bad-claims');
}
