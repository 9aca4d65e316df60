import type { Plan, ProfiledPlan } from 'neo4j-driver';
import type { Database } from '../../src/graph/database/database.ts';
import type { Queryable } from '../../src/graph/database/queryable.ts';

/** The operators of a plan, from its result down. */
export function operatorsOf(plan: Plan | ProfiledPlan): string[] {
  return [plan.operatorType.replace('@neo4j', ''), ...plan.children.flatMap(operatorsOf)];
}

/** The same database, which keeps what its transactions ask. */
export function recording(database: Database): { database: Database; asked: Set<string> } {
  const asked = new Set<string>();
  const recorded = (tx: Queryable): Queryable => ({
    run: (query, parameters) => {
      asked.add(query);
      return tx.run(query, parameters);
    },
  });
  const write: Database['write'] = (work, timeoutMs) => database.write((tx) => work(recorded(tx)), timeoutMs);
  const read: Database['read'] = (work, timeoutMs) => database.read((tx) => work(recorded(tx)), timeoutMs);
  return { database: Object.create(database, { write: { value: write }, read: { value: read } }), asked };
}

/** The scans in the plans of these queries, by query. */
export async function scansOf(database: Database, queries: Iterable<string>): Promise<Record<string, string[]>> {
  // The plans of before would be shown again.
  await database.run('READ', 'CALL db.clearQueryCaches()');
  const session = database.session('WRITE');
  const scans: Record<string, string[]> = {};
  for (const query of queries) {
    const { plan } = (await session.run(`EXPLAIN ${query}`)).summary;
    const found = plan === false ? [] : operatorsOf(plan).filter((each) => each.includes('Scan'));
    if (found.length > 0) scans[query] = found;
  }
  await session.close();
  return scans;
}
