import type { ServerCallContext } from '@a2a-js/sdk/server';
import { principalIn } from '../../calls/callState.ts';

/** Whose a task is that a call begins. */
export interface Caller {
  tenant: string;
  owner: string;
}

export function callerOf(context: ServerCallContext): Caller {
  return { tenant: principalIn(context).tenant, owner: context.user?.userName ?? '' };
}

/**
 * Whose tasks a call may see: the caller's own; with the scope `admin` everybody's of the tenant, which is undefined.
 */
export function ownerAsked(context: ServerCallContext): string | undefined {
  return principalIn(context).scopes.has('admin') ? undefined : callerOf(context).owner;
}
