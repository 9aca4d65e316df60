import type { ApiKeyStore } from './apiKeyStore.ts';
import { grantedBy, touch } from './apiKeyVerifier.ts';
import { localPrincipal, type Principal } from './principal.ts';
import { Unauthenticated } from './refused.ts';
import { requireServed } from './tenant.ts';

/** Who made something that is served on without a request, as it is kept. */
export interface Maker {
  tenant: string;
  agentId?: string;
  /** Absent means the local principal. */
  keyId?: string;
}

/**
 * What the maker may do now, and not when it made something.
 * It throws Unauthenticated or Forbidden where it may do nothing any more, and what Neo4j fails with.
 */
export type Recall = (maker: Maker) => Promise<Principal>;

export interface RecallParts {
  /** Whether callers need credentials; else everybody is the local principal. */
  identities: boolean;
  /** Absent where API keys are not taken. */
  keys?: Pick<ApiKeyStore, 'find' | 'touch'>;
  /** The tenants that are served; absent means any. */
  tenants?: ReadonlySet<string>;
}

/**
 * Whether something that lasts can be made by this principal: of a token nothing stays that could be looked at again
 * once it has expired.
 */
export function isLasting(principal: Principal): boolean {
  return principal.keyId !== undefined || principal.agentId === undefined;
}

/** Looks a maker up by its key, in the database, so that every replica knows at once of one that was revoked. */
export function recaller({ identities, keys, tenants }: RecallParts): Recall {
  return async ({ tenant, agentId, keyId }) => {
    if (!identities && keyId === undefined) return localPrincipal;
    if (!keys || keyId === undefined) throw new Unauthenticated('not-accepted');
    const record = await keys.find(keyId);
    if (record?.tenant !== tenant || record.agentId !== agentId) throw new Unauthenticated('unknown-key');
    if (record.revokedAt !== undefined) throw new Unauthenticated('revoked-key');
    const principal = grantedBy(record);
    requireServed(principal, tenants);
    // Who looks for keys that nobody uses must see that this one is.
    touch(keys, record, Date.now());
    return principal;
  };
}
