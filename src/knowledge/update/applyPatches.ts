import { type Statement, statementIdOf } from '../../graph/statements/statement.ts';
import type { CurrentStatement } from '../../graph/statements/statementReader.ts';
import type { Voice } from '../../graph/statements/voice.ts';
import type { Change } from '../../graph/updates/changeLog.ts';
import type { CertaintyPolicy } from '../../vocabulary/vocabulary.ts';
import type { Patch } from '../patch.ts';
import { certaintyOf, voiceOf, withoutVoice, withVoice } from './voices.ts';

/** A patch whose statement is known by its identity. */
export interface IdentifiedPatch extends Patch {
  statementId: string;
}

/** Patches with the identity that their statements have in a tenant. */
export function identifyPatches(tenant: string, patches: Patch[]): IdentifiedPatch[] {
  return patches.map((each) => ({ ...each, statementId: statementIdOf(tenant, each.statement) }));
}

/** What one patch did, as the change log keeps it. */
type PatchChange = Pick<Change, 'op' | 'statement' | 'previous'>;

/** What becomes of statements. */
export interface Difference {
  created: CurrentStatement[];
  revised: CurrentStatement[];
  retired: CurrentStatement[];
}

/** What a list of patches comes to. */
export interface PatchOutcome extends Difference {
  /** One for each patch that changed something, in the order of the patches. */
  changes: PatchChange[];
  /** What came to hold that didn't before, also where a later patch took it back: the log has it. */
  stated: Statement[];
  /** What holds afterwards with the subjects and predicates of what became different. */
  after: CurrentStatement[];
}

/** What statements were before they became different. */
type Was = Map<string, CurrentStatement | undefined>;

/**
 * The semantics of patches (DESIGN, "Patches"), free of any database: the statements that hold, and what lists of
 * patches make of them, one after another.
 *
 * - `add` states the statement, or one that holds already in one more voice, or in the agent's own anew; what it said
 *   before changes nothing.
 * - `remove` takes the agent's voice from exactly this statement, and the last voice retracts it; so does an agent that
 *   has none in it. One that doesn't hold changes nothing.
 * - `replace` puts the statement in the place of all with its subject, predicate and graph, whoever states those.
 */
export class PatchedStatements {
  private readonly byId = new Map<string, CurrentStatement>();
  private readonly byProperty = new Map<string, Set<string>>();
  /** What the statements that became different were to begin with. */
  private readonly original: Was = new Map();
  private readonly policies: ReadonlyMap<string, CertaintyPolicy>;

  /**
   * @param before every current statement that the patches will name or replace
   * @param policies by predicate IRI; LATEST for others
   */
  constructor(before: Iterable<CurrentStatement>, policies: ReadonlyMap<string, CertaintyPolicy>) {
    this.policies = policies;
    for (const current of before) this.put(current);
  }

  /**
   * @param agent who speaks
   * @param now milliseconds since 1970
   */
  apply(patches: IdentifiedPatch[], agent: string, now: number): PatchOutcome {
    const was: Was = new Map();
    const stated = new Map<string, Statement>();
    const changes = patches.flatMap((patch) => {
      const isRemoval = patch.op === 'remove';
      const change = isRemoval ? this.remove(patch, agent, was) : this.state(patch, agent, now, was);
      const { statementId: id } = patch;
      if (change && !isRemoval && was.has(id) && was.get(id) === undefined) stated.set(id, change.statement);
      return change ?? [];
    });
    const difference = this.since(was);
    return { ...difference, changes, stated: [...stated.values()], after: this.beside(difference) };
  }

  private remove({ statementId }: IdentifiedPatch, agent: string, was: Was): PatchChange | undefined {
    const held = this.byId.get(statementId);
    if (!held) return undefined;
    const left = withoutVoice(held.voices, agent);
    const after = left.length > 0 ? this.stated(statementId, held.statement, left) : undefined;
    this.set(statementId, after, was);
    return after
      ? { op: 'replace', statement: after.statement, previous: [held.statement] }
      : { op: 'remove', statement: held.statement };
  }

  private state(
    { op, statement, statementId }: IdentifiedPatch,
    agent: string,
    now: number,
    was: Was,
  ): PatchChange | undefined {
    const held = this.byId.get(statementId);
    const superseded = op === 'replace' ? this.inPlaceOf(statement).filter(({ id }) => id !== statementId) : [];
    const voices = withVoice(held?.voices ?? [], voiceOf(agent, statement, now));
    const unchanged = voices === held?.voices;
    if (unchanged && superseded.length === 0) return undefined;
    const previous = held && !unchanged ? [held, ...superseded] : superseded;
    for (const { id } of superseded) this.set(id, undefined, was);
    const after = unchanged ? held : this.stated(statementId, statement, voices);
    if (!unchanged) this.set(statementId, after, was);
    return previous.length > 0
      ? { op: 'replace', statement: after.statement, previous: previous.map((old) => old.statement) }
      : { op: 'add', statement: after.statement };
  }

  private set(id: string, current: CurrentStatement | undefined, was: Was): void {
    const held = this.byId.get(id);
    if (!was.has(id)) was.set(id, held);
    if (!this.original.has(id)) this.original.set(id, held);
    if (held) this.drop(held);
    if (current) this.put(current);
  }

  /** A statement that these voices state. */
  private stated(id: string, what: Statement, voices: Voice[]): CurrentStatement {
    const { provenance, observedAt = 0 } = voices.at(-1) ?? {};
    const certainty = certaintyOf(voices, this.policies.get(what.predicate.id) ?? 'LATEST');
    // Nearly all are: a copy of each would be felt in large updates.
    if (what.certainty === certainty && what.provenance === provenance)
      return { id, statement: what, observedAt, voices };
    const { certainty: _, provenance: __, ...rest } = what;
    const statement = {
      ...rest,
      ...(certainty !== undefined && { certainty }),
      ...(provenance !== undefined && { provenance }),
    };
    return { id, statement, observedAt, voices };
  }

  /** What has become different since the beginning. */
  difference(): Difference {
    return this.since(this.original);
  }

  private since(was: Was): Difference {
    const difference: Difference = { created: [], revised: [], retired: [] };
    for (const [id, before] of was) {
      const after = this.byId.get(id);
      if (after === before) continue;
      if (after === undefined) difference.retired.push(...(before ? [before] : []));
      else difference[before ? 'revised' : 'created'].push(after);
    }
    return difference;
  }

  /** Every statement with the subject and predicate of one of these. */
  private beside({ created, revised, retired }: Difference): CurrentStatement[] {
    const properties = new Set([...created, ...revised, ...retired].map(({ statement }) => property(statement)));
    return [...properties].flatMap((key) => this.ofProperty(key));
  }

  private inPlaceOf(statement: Statement): CurrentStatement[] {
    return this.ofProperty(property(statement)).filter((current) => current.statement.graph === statement.graph);
  }

  private ofProperty(key: string): CurrentStatement[] {
    return [...(this.byProperty.get(key) ?? [])].flatMap((id) => this.byId.get(id) ?? []);
  }

  private put(current: CurrentStatement): void {
    this.byId.set(current.id, current);
    const key = property(current.statement);
    const ids = this.byProperty.get(key);
    if (ids) ids.add(current.id);
    else this.byProperty.set(key, new Set([current.id]));
  }

  private drop({ id, statement }: CurrentStatement): void {
    this.byId.delete(id);
    this.byProperty.get(property(statement))?.delete(id);
  }
}

function property({ subject, predicate }: Statement): string {
  // Whatever the ids hold, two pairs never look alike.
  return `${subject.id.length} ${subject.id}${predicate.id}`;
}
