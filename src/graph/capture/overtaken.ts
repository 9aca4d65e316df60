import type { Queryable } from '../database/queryable.ts';
import { queryChanges } from './captureCursor.ts';

/**
 * Marks edits of which Concord has written the same element since, which happens where they are seen only after they
 * were committed. What Concord has written stays: of a relationship all of it (`isLater`), of a node these properties
 * (`kept`). An edit of what it has removed since, by an update or a purge, says nothing any more.
 *
 * Taking edits removes elements too; what it has removed still says what it says.
 * @param from the change after which it is read
 */
export async function markOvertaken(tx: Queryable, from: string): Promise<void> {
  await tx.run(mark, { from });
}

const mark = `
  CALL () {
    ${queryChanges}
    WITH txId, event WHERE event.operation = 'd' AND 'DirectEdit' IN event.labels
    RETURN collect(DISTINCT txId) AS takings
  }
  CALL (takings) {
    ${queryChanges}
    WITH takings, txId, event, event.state.before.properties AS was, event.state.after.properties AS is,
      metadata WHERE metadata.txMetadata.app = 'concord' AND event.operation <> 'c'
    MATCH (e:DirectEdit {element: event.elementId}) USING INDEX SEEK e:DirectEdit(element)
    WHERE e.txId < txId
    RETURN e, event.operation = 'd' AND NOT txId IN takings AS isGone,
      [key IN keys(coalesce(was, {})) + keys(coalesce(is, {})) WHERE NOT coalesce(was[key] = is[key], false)] AS written
  }
  WITH e, max(CASE WHEN isGone THEN 1 ELSE 0 END) = 1 AS isGone,
    reduce(all = [], keys IN collect(written) | all + keys) AS written
  FOREACH (_ IN CASE WHEN e.kind = 'relationship' THEN [1] ELSE [] END | SET e.isLater = true)
  FOREACH (_ IN CASE WHEN e.kind = 'node' THEN [1] ELSE [] END | SET e.kept = coalesce(e.kept, []) + written)
  WITH e WHERE isGone
  OPTIONAL MATCH (e)-[:EDIT_BEFORE|EDIT_AFTER]->(state)
  WITH e, e.tenant AS tenant, collect(state) AS states
  FOREACH (state IN states | DETACH DELETE state)
  DETACH DELETE e
  WITH tenant, count(*) AS gone
  MATCH (l:Ledger {tenant: tenant}) SET l.editsTaken = coalesce(l.editsTaken, 0) + gone`;
