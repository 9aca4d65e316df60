import type { Database } from '../database/database.ts';

/** Sets the trust (0 to 1) of agents, which alignment rules read; agents that aren't named keep what they have. */
export async function recordTrust(
  database: Database,
  tenants: Iterable<string>,
  trust: ReadonlyMap<string, number>,
): Promise<void> {
  if (trust.size === 0) return;
  await database.run(
    'WRITE',
    'UNWIND $tenants AS tenant UNWIND $agents AS agent MERGE (a:Agent {tenant: tenant, id: agent.id}) SET a.trust = agent.trust',
    { tenants: [...tenants], agents: [...trust].map(([id, value]) => ({ id, trust: value })) },
  );
}
