import type { Plan, ProfiledPlan, RecordShape } from 'neo4j-driver';
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

/** The same database, which sums up what its transactions cost. */
export function profiling(database: Database): { database: Database; hits(): number } {
  let hits = 0;
  const hitsOf = ({ dbHits, children }: ProfiledPlan): number =>
    Number(dbHits) + children.reduce((sum, child) => sum + hitsOf(child), 0);
  const profiled = (tx: Queryable): Queryable => ({
    run: async <Row extends RecordShape>(query: string, parameters?: Record<string, unknown>) => {
      const result = await tx.run<Row>(`PROFILE ${query}`, parameters);
      const { profile } = result.summary;
      if (profile) hits += hitsOf(profile);
      return result;
    },
  });
  const read: Database['read'] = (work, timeoutMs) => database.read((tx) => work(profiled(tx)), timeoutMs);
  return { database: Object.create(database, { read: { value: read } }), hits: () => hits };
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
