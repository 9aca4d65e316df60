import type { Queryable } from '../../graph/database/queryable.ts';
import type { Dictionary } from '../../graph/names/dictionary.ts';
import { fillLog, highestRevision, raiseLedger } from '../../graph/reconcile/logPages.ts';
import { endsOf, integer, type UnseenEdit, writeEdits } from '../../graph/reconcile/writtenEdits.ts';
import { StatementTransactor } from '../../graph/statements/statementTransactor.ts';
import { dateTime, type Neo4jValue } from '../../graph/statements/values.ts';
import type { Ledger } from '../../graph/updates/ledger.ts';
import type { Found, LostStatement } from './difference.ts';

interface MendParts {
  dictionary: Dictionary;
  uuid(): string;
}

/**
 * Mends what was found, inside a transaction that holds the tenant's ledger: what statements and the log leave no choice
 * about at once; the rest is written down as edits by hand, which are to be taken.
 */
export async function mend(
  tx: Queryable,
  tenant: string,
  { found, ledger }: { found: Found[]; ledger: Ledger },
  { dictionary, uuid }: MendParts,
): Promise<void> {
  const shown = found.flatMap(({ project }) => project ?? []);
  if (shown.length > 0)
    await new StatementTransactor(tx, tenant, dictionary).project(
      shown.map(({ id, properties }) => ({ id, properties: properties as Record<string, Neo4jValue | null> })),
    );
  await mendLog(tx, tenant, { found, ledger }, uuid);
  const edits = found.flatMap((each) => each.edits ?? []);
  for (const { lost } of found) if (lost) edits.push(await deletion(tx, tenant, lost, dictionary));
  await writeEdits(tx, tenant, edits, `reconcile:${uuid()}`);
}

async function mendLog(
  tx: Queryable,
  tenant: string,
  { found, ledger }: { found: Found[]; ledger: Ledger },
  uuid: () => string,
): Promise<void> {
  const missing = found.flatMap(({ fill }) => fill?.missing ?? []);
  const orphans = found.flatMap(({ fill }) => fill?.orphans ?? []);
  const sequence = Math.max(0, ...found.map((each) => each.ledger?.sequence ?? 0));
  if (missing.length + orphans.length + sequence === 0) return;
  const revision = Math.max(ledger.revision, sequence > 0 ? await highestRevision(tx, tenant) : 0);
  if (sequence > 0) await raiseLedger(tx, tenant, { sequence, revision });
  if (missing.length + orphans.length === 0) return;
  const said = { sourceAgentId: 'direct:reconcile', justification: 'Places of the log whose changes were lost' };
  await fillLog(tx, tenant, { missing, orphans }, { ...said, updateId: uuid(), revision });
}

/** The edit that has removed a statement, with what it joined. */
async function deletion(
  tx: Queryable,
  tenant: string,
  { statementId, type, statement, updateId, revision, sourceAgentId, taskId, at }: LostStatement,
  dictionary: Dictionary,
): Promise<UnseenEdit> {
  const ends = await endsOf(tx, tenant, statement, (iri) => dictionary.findLabel(iri));
  const { certainty, provenance, graph, predicate } = statement;
  const said = {
    ...{ statementId, tenant, predicate: predicate.id, updateId, sourceAgentId },
    ...(graph !== undefined && { graph }),
    ...(certainty !== undefined && { certainty }),
    ...(provenance !== undefined && { provenance: JSON.stringify(provenance) }),
    ...(taskId !== undefined && { taskId }),
    observedAt: dateTime(Date.parse(String(provenance?.timestamp)) || at),
    recordedAt: dateTime(at),
    revision: integer(revision),
  };
  return { kind: 'relationship', op: 'deleted', element: `lost:${statementId}`, type, ...ends, before: said };
}
