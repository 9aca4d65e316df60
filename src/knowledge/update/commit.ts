import type { Alignment, Violation } from '../../alignment/alignment.ts';
import { disjointLayers } from '../../base/disjointLayers.ts';
import { recordUpdateEntries } from '../../graph/audit/chains.ts';
import type { Queryable } from '../../graph/database/queryable.ts';
import type { Suppression } from '../../graph/erasing/suppression.ts';
import type { Dictionary } from '../../graph/names/dictionary.ts';
import { idsOf } from '../../graph/statements/statement.ts';
import { StatementTransactor } from '../../graph/statements/statementTransactor.ts';
import { findUpdates, type Ledger, lockLedger, recordChanges, recordUpdates } from '../../graph/updates/ledger.ts';
import type { LiteralField } from '../../vocabulary/vocabulary.ts';
import { redactViolations } from '../closed/redactViolations.ts';
import {
  type Before,
  type Plan,
  type PlanParts,
  type Proposal,
  type Step,
  subjectsOf,
  type Verdict,
  workOut,
} from './plan.ts';
import { readTouched } from './readTouched.ts';
import { rulePatches } from './rulePatches.ts';
import { suppressedIn } from './suppressed.ts';
import { writeOutcomes } from './writeOutcome.ts';

/** What applying needs of the service. */
export interface CommitParts extends PlanParts {
  dictionary: Dictionary;
  /** The vocabulary's literal fields by predicate IRI. */
  literalFields: ReadonlyMap<string, LiteralField>;
  alignment: Alignment;
  /** Keeps away what a purge has erased; absent where nothing is kept away. */
  suppression?: Suppression;
  /** Whether each applied update gets an entry in the audit trail. */
  isAudited?: boolean;
  uuid(): string;
  /**
   * Since when an update must have been proposed for its idempotency key to stand for it still, in milliseconds since
   * 1970.
   */
  keysSince(): number;
}

/**
 * Thrown inside the transaction, so that it is rolled back: the rules don't let these proposals of the group through.
 */
export class NotAligned extends Error {
  /** By the proposal's index in the group. */
  readonly violations: ReadonlyMap<number, Violation[]>;

  constructor(violations: ReadonlyMap<number, Violation[]>) {
    super('Proposals violate alignment rules');
    this.violations = violations;
  }
}

/** Thrown inside the transaction, so that it is rolled back: edits by hand come before it, and are to be taken first. */
export class EditsWait extends Error {
  constructor() {
    super('Edits by hand wait');
  }
}

/** The transaction of a group, and what works in it. */
interface GroupTransaction extends CommitParts {
  tx: Queryable;
  tenant: string;
  graph: StatementTransactor;
}

/**
 * Applies a group of a tenant's proposals in one write transaction, one after another. The queries of a phase are sent
 * together: whatever the number of proposals and patches, the transaction takes three round trips with its commit, and
 * the number of queries follows the number of predicates and layers.
 * @param isBehindEdits whether edits by hand that wait come first
 * @returns a verdict for each proposal
 * @throws NotAligned
 * @throws EditsWait
 */
export async function commitGroup(
  tx: Queryable,
  tenant: string,
  proposals: Proposal[],
  parts: CommitParts,
  isBehindEdits = false,
): Promise<Verdict[]> {
  const transaction = { ...parts, tx, tenant, graph: new StatementTransactor(tx, tenant, parts.dictionary) };
  const before = await lockAndRead(transaction, proposals);
  if (isBehindEdits && before.ledger.waitingEdits) throw new EditsWait();
  const plan = workOut(proposals, before, parts);
  const { verdicts, steps } = plan;
  if (steps.length === 0) return verdicts;
  await requireUnsuppressed(transaction, before.ledger, steps);
  const violations = await writeAndCheck(transaction, before, plan);
  return violations.length === 0 ? verdicts : withViolations(transaction, verdicts, steps, violations);
}

/**
 * Only where the tenant has purged anything, this costs a round trip of its own.
 * @throws NotAligned for the proposals that would bring back what was erased
 */
async function requireUnsuppressed(
  { tx, tenant, suppression }: GroupTransaction,
  ledger: Ledger,
  steps: Step[],
): Promise<void> {
  if (suppression === undefined || !ledger.suppressions) return;
  const stated = steps.map(({ outcome, proposal }) => ({
    statements: outcome.stated,
    isApproved: proposal.approvedBy !== undefined && proposal.bringsBack === true,
  }));
  const found = await suppressedIn(tx, tenant, suppression, stated);
  if (found.size === 0) return;
  throw new NotAligned(new Map([...found].map(([position, violations]) => [steps[position]?.index ?? 0, violations])));
}

/** The first round trip. */
async function lockAndRead(
  { tx, tenant, graph, literalFields, ...parts }: GroupTransaction,
  proposals: Proposal[],
): Promise<Before> {
  const patches = proposals.flatMap((proposal) => proposal.patches);
  const keys = proposals.map(({ update }) => update);
  const keysSince = parts.keysSince();
  const [ledger, earlier, touched, known] = await Promise.all([
    lockLedger(tx, tenant),
    findUpdates(tx, tenant, keys, keysSince),
    readTouched(graph, patches, literalFields),
    graph.entities(idsOf(patches.map(({ statement }) => statement))),
  ]);
  return { ledger, keysSince, earlier, touched, known };
}

/** The second round trip: Neo4j runs what it is sent in this order. */
async function writeAndCheck(
  transaction: GroupTransaction,
  { ledger, keysSince }: Before,
  { steps, certainties, at }: Plan,
): Promise<Violation[]> {
  const { tx, tenant, graph, literalFields, uuid } = transaction;
  const updates = steps.map(({ update }) => update);
  const changes = steps.map(({ update, outcome }) => ({
    updateId: update.id,
    changes: outcome.changes.map((change) => ({ ...change, changeId: uuid() })),
  }));
  const layers = disjointLayers(steps, subjectsOf);
  // By the last layer all entities are there.
  const highestFor = (layer: Step[]) => (layer === layers.at(-1) ? certainties.known : []);
  const sent = {
    updates: recordUpdates(tx, tenant, updates, keysSince),
    changes: recordChanges(tx, tenant, { ledger, updates: changes, at }),
    layers: layers.map((layer) => ({
      written: writeOutcomes(graph, layer, literalFields, highestFor(layer)),
      violations: checkSteps(transaction, layer),
    })),
    audit:
      transaction.isAudited &&
      recordUpdateEntries(tx, tenant, { updates, end: ledger.audit ?? { length: 0, head: '' }, at }),
    certainties: certainties.lost.length > 0 && graph.rateAnew(certainties.lost),
  };
  const [violations] = await Promise.all([
    Promise.all(sent.layers.map((layer) => layer.violations)),
    ...[sent.updates, sent.changes, sent.audit, sent.certainties, ...sent.layers.map((layer) => layer.written)],
  ]);
  return violations.flat();
}

/** Runs the rules on what these steps have made of the graph. */
function checkSteps({ tx, tenant, alignment, dictionary }: GroupTransaction, steps: Step[]): Promise<Violation[]> {
  const checks = steps.map(({ update, outcome, classified, contradicting }) => ({
    affected: update.affectedIds,
    classified,
    patches: rulePatches(outcome, contradicting, dictionary),
    agent: { id: update.sourceAgentId },
  }));
  return alignment.check(tx, tenant, checks);
}

/**
 * The rules have found something in the group. Whose it is, each proposal's own check tells.
 * @throws NotAligned
 */
async function withViolations(
  transaction: GroupTransaction,
  verdicts: Verdict[],
  steps: Step[],
  found: Violation[],
): Promise<Verdict[]> {
  const each = steps.length === 1 ? [found] : await Promise.all(steps.map((step) => checkSteps(transaction, [step])));
  const { rules } = transaction.alignment;
  const standing = new Map<number, Violation[]>();
  const warned = [...verdicts];
  steps.forEach(({ index, proposal, update }, position) => {
    const told = redactViolations(each[position] ?? [], rules, proposal.patches, proposal.closed);
    const stands = told.some(({ severity }) => severity !== 'warn' && !(severity === 'review' && proposal.approvedBy));
    if (stands) standing.set(index, told);
    warned[index] = { kind: 'applied', update, warnings: told };
  });
  if (standing.size > 0) throw new NotAligned(standing);
  return warned;
}
