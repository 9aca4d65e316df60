import type { Database } from '../../../graph/database/database.ts';
import { fixedPlan } from '../../../graph/database/queryable.ts';

/** What is asked of a task of a thread, without what was said in it: that may be of any length. */
export interface ThreadRow {
  id: string;
  /** To whom it was handed on; null where to nobody. */
  agentId: string | null;
  /** Whether it has the message. */
  hasMessage: boolean;
}

const timeoutMs = 10_000;

/** Looks at tasks of a tenant, which the caller must be known to see. */
export async function threadRows(
  database: Database,
  tenant: string,
  { ids, messageId }: { ids: string[]; messageId: string },
): Promise<ThreadRow[]> {
  const { records } = await database.read(
    async (tx) =>
      await tx.run<ThreadRow & Record<string, unknown>>(
        `${fixedPlan} UNWIND $in.ids AS each
         MATCH (t:Task {tenant: $tenant, id: each}) USING INDEX SEEK t:Task(tenant, id)
         RETURN t.id AS id, [(t)-[:DELEGATED_TO]->(a:Agent) | a.id][0] AS agentId,
           EXISTS { (t)-[:HAS_MESSAGE]->(:Message {messageId: $messageId}) } AS hasMessage`,
        { tenant, messageId, in: { ids } },
      ),
    timeoutMs,
  );
  return records.map((record) => record.toObject());
}
