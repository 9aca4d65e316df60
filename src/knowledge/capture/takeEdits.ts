import { groupBy } from '../../base/groupBy.ts';
import type { Edit } from '../../graph/capture/edit.ts';
import { readEdits } from '../../graph/capture/editReader.ts';
import { EditRestorer } from '../../graph/capture/editRestorer.ts';
import type { Queryable } from '../../graph/database/queryable.ts';
import { idsOf, type Statement } from '../../graph/statements/statement.ts';
import { StatementReader } from '../../graph/statements/statementReader.ts';
import { lockLedger, recordUpdates } from '../../graph/updates/ledger.ts';
import type { PendingUpdate } from '../../graph/updates/updateRecord.ts';
import type { Violation } from '../../wire/types.ts';
import type { Patch } from '../patch.ts';
import { identifyPatches } from '../update/applyPatches.ts';
import { type CommitParts, commitGroup } from '../update/commit.ts';
import type { Proposal, Verdict } from '../update/plan.ts';
import { explain } from '../update/propose.ts';
import { agentOf, type Interpretation, interpret, type Reading } from './interpret.ts';

export interface TakingParts extends CommitParts {
  /** What IRIs of the vocabulary begin with by default. */
  base: string;
}

/** What taking edits came to. */
export interface Taken {
  edits: number;
  verdicts: Verdict[];
  /** What is no statement and waits for a review, or was put back: for the log, without values. */
  told: Told[];
}

export interface Told {
  user: string;
  /** The update under which it waits for a review. */
  updateId?: string;
  faults: string[];
  restored: string[];
  system: string[];
}

/**
 * The patches of a transaction that rules don't let through: by its id, what they found. Where it names subjects, the
 * patches of others are applied all the same.
 */
export type Held = ReadonlyMap<string, Violation[]>;

/** The edits of one transaction by hand, as they are read. */
interface HandTransaction {
  id: string;
  user: string;
  client?: string;
  at: number;
  patches: Patch[];
  /** What waits for a review. */
  held: Patch[];
  faults: string[];
  restored: string[];
  system: string[];
}

/**
 * Takes a tenant's edits up to a number as statements, in one transaction: puts back what they were made on, and applies
 * what they say as updates of whoever made them. So they pass the rules, and get their history and their place in the
 * log, as any update does. What the rules don't let through, or is no statement, waits for a review.
 * @param held what rules have been found not to let through
 * @throws NotAligned with the index of the transaction by hand, in the order of `transactions`
 */
export async function takeEdits(
  tx: Queryable,
  { tenant, last, held }: { tenant: string; last: number; held: Held },
  parts: TakingParts,
  transactions: string[],
): Promise<Taken> {
  const { dictionary } = parts;
  await lockLedger(tx, tenant);
  const classes = [...dictionary.classesByLabel()].map(([label, iri]) => ({ label, iri }));
  const restorer = new EditRestorer(tx, tenant, last, classes);
  await restorer.restore();
  const edits = await readEdits(tx, tenant, last);
  const reading = await readingOf(tx, tenant, edits, parts);
  const all = [...groupBy(edits, ({ transaction }) => transaction)].map(([id, group]) =>
    withoutHeld(transactionOf(id, group, reading), held.get(id)),
  );
  const stating = all.filter(({ patches }) => patches.length > 0);
  transactions.splice(0, transactions.length, ...stating.map(({ id }) => id));
  const proposals = stating.map((each) => proposalOf(tenant, each, parts.uuid()));
  const verdicts = proposals.length > 0 ? await commitGroup(tx, tenant, proposals, parts) : [];
  const waiting = all
    .filter(({ faults }) => faults.length > 0)
    .map((each) => ({ each, record: pendingUpdate(tenant, each, parts.uuid()) }));
  const records = waiting.map(({ record }) => record);
  if (records.length > 0) await recordUpdates(tx, tenant, records, parts.keysSince());
  const told = all
    .filter(({ faults, restored, system }) => faults.length + restored.length + system.length > 0)
    .map((each) => {
      const updateId = waiting.find((one) => one.each === each)?.record.id;
      const { user, faults, restored, system } = each;
      return { user, faults, restored, system, ...(updateId !== undefined && { updateId }) };
    });
  return { edits: await restorer.finish(), verdicts, told };
}

function transactionOf(id: string, edits: Edit[], reading: Reading): HandTransaction {
  const [{ user, client, at } = { user: '', at: 0 }] = edits as [Edit];
  const whole: HandTransaction = {
    ...{ id, user, at },
    ...(client !== undefined && { client }),
    ...{ patches: [], held: [], faults: [], restored: [], system: [] },
  };
  for (const edit of edits) {
    if (edit.kind === 'system') {
      const labels = edit.labelsAfter?.length ? edit.labelsAfter : edit.labelsBefore;
      whole.system.push(edit.type ?? labels?.map((label) => `:${label}`).join('') ?? '');
      continue;
    }
    const { patches, faults, restored }: Interpretation = interpret(edit, reading);
    // What is no statement as a whole is for a reviewer as a whole.
    whole[faults.length > 0 ? 'held' : 'patches'].push(...patches);
    whole.faults.push(...faults);
    whole.restored.push(...restored);
  }
  const unique = (texts: string[]) => [...new Set(texts)];
  return { ...whole, restored: unique(whole.restored), system: unique(whole.system) };
}

/** Where violations name their subjects, what is said of others isn't held. */
function withoutHeld(whole: HandTransaction, violations: Violation[] | undefined): HandTransaction {
  if (violations === undefined) return whole;
  const subjects = new Set(violations.map(({ subject }) => subject));
  const isHeld = ({ statement }: Patch) => subjects.has(undefined) || subjects.has(statement.subject.id);
  const held = whole.patches.filter(isHeld);
  const isAll = held.length === 0;
  return {
    ...whole,
    patches: isAll ? [] : whole.patches.filter((patch) => !isHeld(patch)),
    held: [...whole.held, ...(isAll ? whole.patches : held)],
    faults: [...whole.faults, explain(violations)],
  };
}

function proposalOf(tenant: string, whole: HandTransaction, id: string): Proposal {
  return { tenant, update: updateOf(whole, id), patches: identifyPatches(tenant, whole.patches) };
}

function updateOf({ user, client, at }: HandTransaction, id: string) {
  return {
    id,
    sourceAgentId: agentOf(user),
    justification: `Edited by hand in Neo4j${client === undefined ? '' : ` with ${client}`}`,
    proposedAt: at,
  };
}

function pendingUpdate(tenant: string, whole: HandTransaction, id: string): PendingUpdate {
  const { held, faults } = whole;
  return {
    ...updateOf(whole, id),
    status: 'pending',
    verificationDetails: shortened(faults).join('\n'),
    namedIds: idsOf(identifyPatches(tenant, held).map(({ statement }) => statement)),
    proposal: JSON.stringify(held),
  };
}

const mostFaults = 50;

function shortened(faults: string[]): string[] {
  const unique = [...new Set(faults)];
  return unique.length <= mostFaults
    ? unique
    : [...unique.slice(0, mostFaults), `and ${unique.length - mostFaults} more`];
}

/** What edits are read by; of entities whose fields they change, also what holds. */
async function readingOf(
  tx: Queryable,
  tenant: string,
  edits: Edit[],
  { dictionary, literalFields, base }: TakingParts,
): Promise<Reading> {
  const fields = new Map([...literalFields].map(([predicate, field]) => [dictionary.property(predicate), field]));
  const subjects = new Map<string, Set<string>>();
  for (const edit of edits) {
    if (edit.kind !== 'node' || edit.op !== 'changed' || typeof edit.before?.id !== 'string') continue;
    for (const [property, { predicate }] of fields) {
      if (!(property in edit.before) && !(property in (edit.after ?? {}))) continue;
      subjects.set(predicate, (subjects.get(predicate) ?? new Set()).add(edit.before.id));
    }
  }
  const reader = new StatementReader(tx, tenant, dictionary);
  const found = await Promise.all([...subjects].map(([predicate, ids]) => reader.bySubject(predicate, [...ids])));
  const held = groupBy(
    found.flat().map(({ statement }) => statement),
    ({ subject, predicate }) => JSON.stringify([subject.id, predicate.id]),
  );
  return {
    predicates: dictionary.predicatesByType(),
    classes: dictionary.classesByLabel(),
    fields,
    base,
    current: (subject: string, predicate: string): readonly Statement[] =>
      held.get(JSON.stringify([subject, predicate])) ?? [],
  };
}
