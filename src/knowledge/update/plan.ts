import neo4j from 'neo4j-driver';
import type { Violation } from '../../alignment/alignment.ts';
import type { ClosedIris } from '../../graph/names/closed.ts';
import type { CurrentStatement, KnownEntity } from '../../graph/statements/statementReader.ts';
import type { Attribution } from '../../graph/statements/statementTransactor.ts';
import type { Ledger } from '../../graph/updates/ledger.ts';
import type { AppliedUpdate, ProposedUpdate, UpdateRecord } from '../../graph/updates/updateRecord.ts';
import type { CertaintyPolicy } from '../../vocabulary/vocabulary.ts';
import { type IdentifiedPatch, PatchedStatements, type PatchOutcome } from './applyPatches.ts';
import { type ClassifiedEntities, classify, misclassified } from './classify.ts';
import { type EntityCertainties, entityCertainties } from './entityCertainties.ts';

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
  /** Of an approved one, whether it was held because it brings back what was erased: its reviewer lets that through. */
  bringsBack?: boolean;
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

/** How a group finds the graph. */
export interface Before {
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

/** A proposal that changes something, and what it comes to. */
export interface Step {
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

/** What a group comes to. */
export interface Plan {
  verdicts: Verdict[];
  steps: Step[];
  certainties: EntityCertainties;
  /** Milliseconds since 1970. */
  at: number;
}

/** What working it out needs of the service. */
export interface PlanParts {
  /** The vocabulary's policies of certainty by predicate IRI. */
  certaintyPolicies: ReadonlyMap<string, CertaintyPolicy>;
  now(): number;
}

/** Works out what a group comes to, one proposal after another. Free of any database. */
export function workOut(
  proposals: Proposal[],
  { ledger, earlier, touched, known }: Before,
  { certaintyPolicies, now }: PlanParts,
): Plan {
  const at = timeAfter(ledger.changedAt ?? 0, now());
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

/** The clocks of replicas differ by no more, unless one of them is wrong. */
const mostDriftMs = 60_000;

/**
 * The time of a change: never before that of the last one. A clock that was wrong by more than a minute, once, doesn't
 * drag along the times of all that comes after it.
 */
const timeAfter = (last: number, now: number) => (last - now > mostDriftMs ? now : Math.max(last, now));

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
export function subjectsOf({ outcome: { created, revised, retired }, entities }: Step): string[] {
  return [
    ...[...created, ...revised, ...retired].map(({ statement }) => statement.subject.id),
    ...entities.flatMap(({ classIri, ids }) => (classIri === undefined ? [] : ids)),
  ];
}
