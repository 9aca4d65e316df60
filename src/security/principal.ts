import { defaultTenant } from './tenant.ts';

/**
 * Every scope; one a method. `tasks` is for the task methods of A2A, `agents` for the registry, `admin` for
 * `knowledge/purge`.
 */
export const scopes = [
  'knowledge:query',
  'knowledge:update',
  'knowledge:subscribe',
  'knowledge:review',
  'tasks',
  'agents',
  'admin',
] as const;

/** What a principal may do; one scope a method. */
export type Scope = (typeof scopes)[number];

/** The graphs that a principal sees: the default graph or not, and named ones by IRI. */
export interface VisibleGraphs {
  default: boolean;
  named: string[];
}

/** Who calls. */
export interface Principal {
  /** Whose graph it is: every statement, entity and change belongs to one tenant. */
  tenant: string;
  /** The agent that calls; absent for the local principal, which may speak for any agent. */
  agentId?: string;
  scopes: ReadonlySet<Scope>;
  /** Absent means all graphs of the tenant. */
  graphs?: VisibleGraphs;
  /** The id of the API key that it came by; absent where it came by a token, and of the local principal. */
  keyId?: string;
  /** Until when the token grants it, in milliseconds since 1970; absent where it came by none. */
  expiresAt?: number;
}

/** The one principal of a service without configured identities, which for that reason listens on loopback only. */
export const localPrincipal: Principal = {
  tenant: defaultTenant,
  scopes: new Set(scopes),
};

export function isScope(text: unknown): text is Scope {
  return scopes.some((scope) => scope === text);
}

/** The graphs of a list, in which `default` stands for the default graph. */
export function visibleGraphs(names: readonly string[]): VisibleGraphs {
  const named = new Set(names.filter((name) => name !== 'default'));
  return { default: names.includes('default'), named: [...named].sort() };
}

/** Whether two principals may do the very same: tenant, agent, scopes and graphs agree. */
export function isSamePrincipal(one: Principal, other: Principal): boolean {
  return rightsText(one) === rightsText(other);
}

/** The same of principals that may do the very same. */
export function rightsText({ tenant, agentId, scopes: granted, graphs }: Principal): string {
  const seen = graphs && [graphs.default, ...[...graphs.named].sort()];
  return JSON.stringify([tenant, agentId ?? null, [...granted].sort(), seen ?? null]);
}

/** Whether the principal sees a statement of this graph; without one, of the default graph. */
export function seesGraph({ graphs }: Principal, graph: string | undefined): boolean {
  if (graphs === undefined) return true;
  return graph === undefined ? graphs.default : graphs.named.includes(graph);
}
