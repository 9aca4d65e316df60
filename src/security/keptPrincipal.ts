import type { Recall } from './lastingIdentity.ts';
import type { Principal, Scope, VisibleGraphs } from './principal.ts';
import { Unauthenticated } from './refused.ts';
import { requireServed } from './tenant.ts';

/** Who has asked for something that goes on without the request, and what it might do then; no secret is in it. */
export interface KeptPrincipal {
  tenant: string;
  agentId?: string;
  keyId?: string;
  scopes: Scope[];
  graphs?: VisibleGraphs;
  /** Until when its token grants that, in milliseconds since 1970. */
  expiresAt?: number;
}

export function keptPrincipal({ tenant, agentId, keyId, scopes, graphs, expiresAt }: Principal): KeptPrincipal {
  return {
    tenant,
    ...(agentId !== undefined && { agentId }),
    ...(keyId !== undefined && { keyId }),
    scopes: [...scopes],
    ...(graphs !== undefined && { graphs }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

/**
 * What such a one may do now: never more than it might when it asked, nor more than it may now. Of a key, and of the
 * local principal, that is looked up; a token grants what it did until it expires, as to who holds it.
 * It throws Unauthenticated or Forbidden where it may do nothing any more, and what Neo4j fails with.
 */
export type RecallKept = (kept: KeptPrincipal) => Promise<Principal>;

/**
 * @param tenants those that are served; absent means any
 * @param now milliseconds since 1970
 */
export function keptRecaller(recall: Recall, tenants: ReadonlySet<string> | undefined, now: () => number): RecallKept {
  return async (kept) => {
    const { tenant, agentId, expiresAt } = kept;
    const before: Principal = { ...kept, scopes: new Set(kept.scopes) };
    if (kept.keyId === undefined && agentId !== undefined) {
      if (expiresAt === undefined || expiresAt <= now()) throw new Unauthenticated('expired');
      requireServed(before, tenants);
      return before;
    }
    const { keyId } = kept;
    const found = await recall({ tenant, ...(agentId !== undefined && { agentId }), ...(keyId && { keyId }) });
    return { ...both(before, found), ...(keyId && { keyId }) };
  };
}

function both(one: Principal, other: Principal): Principal {
  const { tenant, agentId } = one;
  const graphs = one.graphs && other.graphs ? sharedGraphs(one.graphs, other.graphs) : (one.graphs ?? other.graphs);
  return {
    tenant,
    ...(agentId !== undefined && { agentId }),
    scopes: new Set([...one.scopes].filter((scope) => other.scopes.has(scope))),
    ...(graphs && { graphs }),
  };
}

function sharedGraphs(one: VisibleGraphs, other: VisibleGraphs): VisibleGraphs {
  return { default: one.default && other.default, named: one.named.filter((graph) => other.named.includes(graph)) };
}
