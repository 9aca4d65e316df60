import { setTimeout as sleep } from 'node:timers/promises';
import { verifyTrail } from '../../../src/graph/audit/trailCheck.ts';
import type { Database } from '../../../src/graph/database/database.ts';
import { world } from '../../support/patches.ts';
import { faultsOf } from '../crash/checks.ts';
import { readLog } from '../feed/log.ts';
import type { Work } from './run.ts';
import type { Tenant } from './tenant.ts';

/** Until everybody has been told all, once nobody begins anything more. */
const patienceMs = 120_000;
/** How long a double is waited for. */
const quietMs = 1_500;

/** What a tenant has, or was told, that isn't as it must be, each in a line; nobody begins anything any more. */
export async function checked(database: Database, tenants: Tenant[], name: string, work: Work): Promise<string[]> {
  const tenant = tenants.find((each) => each.name === name) as Tenant;
  await settled(async () => (await unfinished(database, name)).length === 0);
  const log = await readLog(database, `${world}population`, name);
  const { subscribers = [] } = work.followers.get(name) ?? {};
  const untold = async () => {
    const all = await Promise.all(subscribers.map(async (each) => ({ ...each, said: await each.fault(log) })));
    return all.flatMap(({ kind, asks, said }) => (said === undefined ? [] : [`${kind} ${asks}: ${said}`]));
  };
  await settled(async () => (await untold()).length === 0);
  await sleep(quietMs);
  const workflows = work.workflows.get(name);
  work.seen.add('workflow', workflows?.count ?? 0);
  work.seen.add('task', tenant.tasks.length);
  const updates = new Set(log.changes.map(({ updateId }) => updateId));
  const trail = await verifyTrail(database);
  const faults = [
    ...(await faultsOf(database, tenant.acknowledged, name)),
    ...(await untold()),
    ...(await unfinished(database, name)),
    ...(await lostTasks(database, tenant)),
    ...((await workflows?.faults(database)) ?? []),
    ...[...tenant.seen].filter((id) => !updates.has(id)).map((id) => `a reader was told of update ${id}, not its own`),
    ...trail.faults.map((each) => `the audit trail: ${JSON.stringify(each)}`),
  ];
  return faults.map((each) => `${name}: ${each}`);
}

async function settled(condition: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + patienceMs; Date.now() < end && !(await condition()); await sleep(500));
}

/** Tasks that nobody works on, and that haven't ended. */
async function unfinished(database: Database, tenant: string): Promise<string[]> {
  const rows = await database.run<{ id: string; state: string }>(
    'READ',
    `MATCH (t:Task {tenant: $tenant}) WHERE t.state IN ['SUBMITTED', 'WORKING'] RETURN t.id AS id, t.state AS state`,
    { tenant },
  );
  return rows.map(({ id, state }) => `task ${id} is still ${state}`);
}

/** Tasks that were told to have ended well, and haven't. */
async function lostTasks(database: Database, { name, tasks }: Tenant): Promise<string[]> {
  const rows = await database.run<{ id: string; state: string | null }>(
    'READ',
    `UNWIND $tasks AS id OPTIONAL MATCH (t:Task {id: id, tenant: $name})
     WITH id, t.state AS state WHERE state IS NULL OR state <> 'COMPLETED' RETURN id, state`,
    { tasks, name },
  );
  return rows.map(({ id, state }) => `task ${id} was told to have ended well, and is ${state}`);
}
