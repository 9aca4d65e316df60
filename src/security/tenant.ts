import { refuse } from '../base/reasons.ts';
import type { Principal } from './principal.ts';
import { Forbidden } from './refused.ts';

/*
 * Whose graph it is: every statement, entity, change and task belongs to one tenant. Credentials name it, and no
 * request reaches another's.
 */

/** The tenant of a service without configured identities. */
export const defaultTenant = 'default';

/**
 * @param served TENANTS; absent means any
 * @throws Forbidden `tenant-not-allowed`
 */
export function requireServed({ tenant }: Principal, served: ReadonlySet<string> | undefined): void {
  if (served && !served.has(tenant)) throw new Forbidden('tenant-not-allowed');
}

/**
 * @param said by the request, in each of its places; empty names none
 * @throws ConcordError `foreign-tenant` where it names another than that of its credentials
 */
export function requireOwnTenant({ tenant }: Principal, said: readonly (string | undefined)[]): void {
  if (said.every((each) => !each || each === tenant)) return;
  throw refuse('foreign-tenant', "The tenant is not the caller's own; leave it out");
}
