import neo4j from 'neo4j-driver';
import type { Alignment, Violation } from '../../alignment/alignment.ts';
import { disjointLayers } from '../../base/disjointLayers.ts';
import type { Queryable } from '../../graph/database/queryable.ts';
import type { Suppression } from '../../graph/erasing/suppression.ts';
import type { ClosedIris } from '../../graph/names/closed.ts';
import type { Dictionary } from '../../graph/names/dictionary.ts';
import { idsOf } from '../../graph/statements/statement.ts';
import type { CurrentStatement, KnownEntity } from '../../graph/statements/statementReader.ts';
import { type Attribution, StatementTransactor } from '../../graph/statements/statementTransactor.ts';
import {
  type AppliedUpdate,
  findUpdates,
  type Ledger,
  lockLedger,
  type ProposedUpdate,
  recordChanges,
  recordUpdates,
  type UpdateRecord,
} from '../../graph/updates/ledger.ts';
import type { CertaintyPolicy, LiteralField } from '../../vocabulary/vocabulary.ts';
import { redactViolations } from '../closed/redactViolations.ts';
import { type IdentifiedPatch, PatchedStatements, type PatchOutcome } from './applyPatches.ts';
import { type ClassifiedEntities, classify, misclassified } from './classify.ts';
import { type EntityCertainties, entityCertainties } from './entityCertainties.ts';
import { readTouched } from './readTouched.ts';
import { rulePatches } from './rulePatches.ts';
import { suppressedIn } from './suppressed.ts';
import { writeOutcomes } from './writeOutcome.ts';

/** An update that is to be applied. */
export interface Proposal {
  tenant: string;
  update: ProposedUpdate;
  patches: IdentifiedPatch[];
  /** The revision that the graph must still have. */
  expectedRevision?: number;
  /** The reviewer's id, if the proposal was held and is approved now. */
  approvedBy?: string;
  /** What may not be told to who proposes or approves it. */
  closed?: ClosedIris;
  /**
   * Has what would bring back what was erased refused where it would be held for review: its proposer leaves it out.
   */
  refuseSuppressed?: boolean;
}

/** What applying needs of the service. */
export interface CommitParts {
  dictionary: Dictionary;
  /** The vocabulary's literal fields by predicate IRI. */
  literalFields: ReadonlyMap<string, LiteralField>;
  /** The vocabulary's policies of certainty by predicate IRI. */
  certaintyPolicies: ReadonlyMap<string, CertaintyPolicy>;
  alignment: Alignment;
  /** Keeps away what a purge has erased; absent where nothing is kept away. */
  suppression?: Suppression;
  uuid(): string;
  now(): number;
  /**
   * Since when an update must have been proposed for its idempotency key to stand for it still, in milliseconds since
   * 1970.
   */
  keysSince(): number;
}

/** What became of a proposal. */
export type Verdict =
  | { kind: 'applied'; update: AppliedUpdate; warnings: Violation[] }
  /** Everything it states holds already: nothing was written. */
  | { kind: 'unchanged'; revision: number }
  /**
   * The same update was committed before: by a first attempt whose answer was lost, or under the same idempotency key.
   */
  | { kind: 'repeated'; update: UpdateRecord }
  | { kind: 'conflict'; revision: number };

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

/** A proposal that changes something, and what it comes to. */
interface Step {
  index: number;
  proposal: Proposal;
  update: AppliedUpdate;
  outcome: PatchOutcome;
  entities: ClassifiedEntities[];
  /** Entities that existed and are given a class. */
  classified: string[];
  contradicting: IdentifiedPatch[];
  by: Attribution;
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
 * @returns a verdict for each proposal
 * @throws NotAligned
 */
export async function commitGroup(
  tx: Queryable,
  tenant: string,
  proposals: Proposal[],
  parts: CommitParts,
): Promise<Verdict[]> {
  const transaction = { ...parts, tx, tenant, graph: new StatementTransactor(tx, tenant, parts.dictionary) };
  const before = await lockAndRead(transaction, proposals);
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
    statements: outcome.created.map(({ statement }) => statement),
    isApproved: proposal.approvedBy !== undefined,
  }));
  const found = await suppressedIn(tx, tenant, suppression, stated);
  if (found.size === 0) return;
  throw new NotAligned(new Map([...found].map(([position, violations]) => [steps[position]?.index ?? 0, violations])));
}

/** How a group finds the graph. */
interface Before {
  ledger: Ledger;
  /** Since when keys stand, in milliseconds since 1970. */
  keysSince: number;
  /** The update that was made before under the id or key of each proposal. */
  earlier: (UpdateRecord | undefined)[];
  /** The statements that the patches may touch. */
  touched: CurrentStatement[];
  /** Those that exist of the entities that the patches name. */
  known: Map<string, KnownEntity>;
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

/** What a group comes to. */
interface Plan {
  verdicts: Verdict[];
  steps: Step[];
  certainties: EntityCertainties;
  /** Milliseconds since 1970. */
  at: number;
}

/** Free of any database. */
function workOut(
  proposals: Proposal[],
  { ledger, earlier, touched, known }: Before,
  { certaintyPolicies, now }: CommitParts,
): Plan {
  const at = now();
  const statements = new PatchedStatements(touched, certaintyPolicies);
  const entities = new Map(known);
  const steps: Step[] = [];
  const verdicts = proposals.map((proposal, index): Verdict => {
    const found = earlier[index];
    const underReview = found?.status === 'pending' && proposal.approvedBy !== undefined;
    if (found !== undefined && !underReview) return { kind: 'repeated', update: found };
    const revision = ledger.revision + steps.length;
    if (proposal.expectedRevision !== undefined && proposal.expectedRevision !== revision)
      return { kind: 'conflict', revision };
    const step = stepOf(proposal, index, { statements, entities, revision, now: at });
    const isNothing =
      step.outcome.changes.length === 0 && step.entities.length === 0 && step.contradicting.length === 0;
    // A proposal under review is brought to its end all the same.
    if (isNothing && !underReview) return { kind: 'unchanged', revision };
    steps.push(step);
    return { kind: 'applied', update: step.update, warnings: [] };
  });
  return { verdicts, steps, certainties: entityCertainties(statements.difference(), touched, known), at };
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
    certainties: certainties.lost.length > 0 && graph.rateAnew(certainties.lost),
  };
  const [violations] = await Promise.all([
    Promise.all(sent.layers.map((layer) => layer.violations)),
    ...[sent.updates, sent.changes, sent.certainties, ...sent.layers.map((layer) => layer.written)],
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

/** What one proposal comes to on what the ones before it have left; moves that on. */
function stepOf(
  proposal: Proposal,
  index: number,
  state: { statements: PatchedStatements; entities: Map<string, KnownEntity>; revision: number; now: number },
): Step {
  const { statements, entities: known, revision, now } = state;
  const { patches, update } = proposal;
  const outcome = statements.apply(patches, update.sourceAgentId, now);
  const entities = classify(patches, outcome, known);
  const contradicting = misclassified(patches, known);
  const classified = entities.flatMap(({ ids }) => ids.filter((id) => known.has(id)));
  for (const { classIri, ids } of entities)
    for (const id of ids) known.set(id, classIri === undefined ? {} : { type: classIri });
  const by: Attribution = {
    updateId: update.id,
    sourceAgentId: update.sourceAgentId,
    taskId: update.taskId,
    recordedAt: now,
    revision: neo4j.int(revision + 1),
  };
  const applied = appliedUpdate(proposal, outcome, entities, revision + 1);
  return { index, proposal, update: applied, outcome, entities, classified, contradicting, by };
}

function appliedUpdate(
  { update, approvedBy }: Proposal,
  { changes, created, revised, retired }: PatchOutcome,
  entities: ClassifiedEntities[],
  revision: number,
): AppliedUpdate {
  const subjects = changes.map(({ statement }) => statement.subject.id);
  return {
    ...update,
    status: 'applied',
    revision,
    statementsAffected: created.length + revised.length + retired.length,
    affectedIds: [...new Set([...subjects, ...entities.flatMap(({ ids }) => ids)])],
    ...(approvedBy !== undefined && { reviewedBy: approvedBy }),
  };
}

/** The entities whose statements or class a step changes. */
function subjectsOf({ outcome: { created, revised, retired }, entities }: Step): string[] {
  return [
    ...[...created, ...revised, ...retired].map(({ statement }) => statement.subject.id),
    ...entities.flatMap(({ classIri, ids }) => (classIri === undefined ? [] : ids)),
  ];
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
