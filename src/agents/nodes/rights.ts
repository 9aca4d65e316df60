import { refuse } from '../../base/reasons.ts';
import type { Principal } from '../../security/principal.ts';

/** Who registers an agent. */
export interface Registrar {
  /** Absent for the local principal, which may speak for any agent. */
  agentId?: string;
  /** Whether it may do so for all agents of the tenant. */
  isAdmin: boolean;
}

/** What an agent is to the registry, looked at by who is about to change it. */
export interface Standing {
  isRegistered: boolean;
  addedBy: string;
  /** Whether it has proposed something, asked for a task, or been given trust. */
  isKnown: boolean;
}

export function registrarOf({ agentId, scopes }: Principal): Registrar {
  return { ...(agentId !== undefined && { agentId }), isAdmin: agentId === undefined || scopes.has('admin') };
}

/**
 * An agent may do with its own registration what it likes, and so may who has registered it. Who acts here already is
 * registered by nobody else: else somebody could have asked of himself what is meant for it.
 * @throws ConcordError `foreign-registration`
 */
export function requireRight(id: string, by: Registrar, { isRegistered, addedBy, isKnown }: Standing): void {
  if (by.isAdmin || by.agentId === id) return;
  if (isRegistered ? addedBy === by.agentId : !isKnown) return;
  const message = isRegistered
    ? `The agent ${id} was registered by another; only it itself and who has registered it may change that`
    : `The agent ${id} acts here already, and registers itself`;
  throw refuse('foreign-registration', message);
}
