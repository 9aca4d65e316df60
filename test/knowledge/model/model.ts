import { isDeepStrictEqual } from 'node:util';
import { isLiteral, type Statement } from '../../../src/graph/statements/statement.ts';

/** A patch as it is sent, with the object's datatype written out. */
export interface Patch {
  op: 'add' | 'remove' | 'replace';
  statement: Statement;
}

/** What the certainty of statements with a predicate comes to where it isn't that of the last voice, by predicate. */
export type Policies = Record<string, 'MAX' | 'NOISY_OR'>;

/** Patches of one agent that are applied together. */
export interface AgentUpdate {
  agent: string;
  updateId: string;
  patches: Patch[];
}

/** What one agent says of a statement. */
export interface Voice {
  agent: string;
  said: Pick<Statement, 'certainty' | 'provenance'>;
  /** The revision in which it said so. */
  since: number;
}

/** A statement as agents have said it. It holds from the revision that makes it so until the one that ends it. */
export interface Utterance {
  /** With the certainty that its voices come to, and the provenance of the last one. */
  statement: Statement;
  /** Who spoke last comes last. */
  voices: [...Voice[], Voice];
  updateId: string;
  from: number;
  until?: number;
  /** Whose update ended it. */
  endedBy?: Pick<AgentUpdate, 'agent' | 'updateId'>;
}

/** An entry of the change log. */
export interface Logged {
  op: Patch['op'];
  statement: Statement;
  /** In no order. */
  previous: Statement[];
  agent: string;
  updateId: string;
  revision: number;
}

/** What an update is answered with. */
export interface Effect {
  /** Whether it left any trace. */
  applied: boolean;
  statementsAffected: number;
  affectedIds: string[];
}

/**
 * What DESIGN, "Patches", says, without a thought of speed: all that was ever said stands in one list, and each
 * question goes through all of it.
 */
export class Model {
  revision = 0;
  private readonly policies: Policies;
  readonly log: Logged[] = [];
  readonly utterances: Utterance[] = [];
  private readonly entities = new Set<string>();

  constructor(policies: Policies = {}) {
    this.policies = policies;
  }

  /** What holds at a revision. */
  at(revision: number): Utterance[] {
    return this.utterances.filter(({ from, until }) => from <= revision && (until === undefined || until > revision));
  }

  /** Whether these patches change nothing at a revision. */
  isNothing(update: AgentUpdate, revision: number): boolean {
    return said(this.at(revision), update, revision + 1, this.policies).logged.length === 0;
  }

  /** Applies an update to what holds now. */
  apply(update: AgentUpdate): Effect {
    const { agent, updateId } = update;
    const revision = this.revision + 1;
    const before = this.at(this.revision);
    const { after, logged } = said(before, update, revision, this.policies);
    if (logged.length === 0) return { applied: false, statementsAffected: 0, affectedIds: [] };

    const ended = before.filter((utterance) => !after.includes(utterance));
    const begun = after.filter((utterance) => !before.includes(utterance));
    for (const utterance of ended) Object.assign(utterance, { until: revision, endedBy: { agent, updateId } });
    this.utterances.push(...begun);
    this.log.push(...logged);
    this.revision = revision;

    const named = begun.flatMap(({ statement }) => entitiesOf(statement));
    const created = named.filter((id) => !this.entities.has(id));
    for (const id of created) this.entities.add(id);
    return {
      applied: true,
      statementsAffected: new Set([...ended, ...begun].map(({ statement }) => identityOf(statement))).size,
      affectedIds: [...new Set([...logged.map(({ statement }) => statement.subject.id), ...created])],
    };
  }
}

/** What holds after an update, and what it adds to the log. */
function said(
  before: Utterance[],
  { patches, agent, updateId }: AgentUpdate,
  revision: number,
  policies: Policies,
): { after: Utterance[]; logged: Logged[] } {
  let after = before;
  const logged: Logged[] = [];
  const log = (op: Patch['op'], statement: Statement, gone: Utterance[]) =>
    logged.push({ op, statement, previous: gone.map((each) => each.statement), agent, updateId, revision });
  const uttered = (statement: Statement, voices: Utterance['voices']): Utterance => {
    const { certainty: _, provenance: __, ...what } = statement;
    const certainty = certaintyOf(voices, policies[statement.predicate.id] ?? 'LATEST');
    const { provenance } = (voices.at(-1) as Voice).said;
    const as = { ...what, ...(certainty !== undefined && { certainty }), ...(provenance && { provenance }) };
    return { statement: as, voices, updateId, from: revision };
  };
  for (const { op, statement } of patches) {
    const held = after.find((each) => identityOf(each.statement) === identityOf(statement));
    if (op === 'remove') {
      if (held === undefined) continue;
      after = after.filter((each) => each !== held);
      const others = held.voices.filter((voice) => voice.agent !== agent);
      const newest = others.pop();
      // Whoever hasn't said it takes it from all who have.
      if (newest === undefined || others.length + 1 === held.voices.length) {
        log('remove', held.statement, []);
        continue;
      }
      const left = uttered(held.statement, [...others, newest]);
      after = [...after, left];
      log('replace', left.statement, [held]);
      continue;
    }
    const { certainty, provenance } = statement;
    const said = { ...(certainty !== undefined && { certainty }), ...(provenance && { provenance }) };
    const others = held?.voices.filter((voice) => voice.agent !== agent) ?? [];
    // Said again by the same agent as it was, it stays.
    const stays = held?.voices.some((voice) => voice.agent === agent && isDeepStrictEqual(voice.said, said)) ?? false;
    const gone = after.filter(
      (each) =>
        (each === held && !stays) ||
        (op === 'replace' && each !== held && placeOf(each.statement) === placeOf(statement)),
    );
    if (stays && gone.length === 0) continue;
    after = after.filter((each) => !gone.includes(each));
    const now = held && stays ? held : uttered(statement, [...others, { agent, said, since: revision }]);
    if (now !== held) after = [...after, now];
    log(gone.length > 0 ? 'replace' : 'add', now.statement, gone);
  }
  return { after, logged };
}

/** The same for all utterances of one statement. */
export function identityOf(statement: Statement): string {
  const { object } = statement;
  const ofObject = isLiteral(object) ? [object.value, object.type, object.language] : [object.id];
  return JSON.stringify([placeOf(statement), ...ofObject]);
}

/** What a replacement takes. */
function placeOf({ subject, predicate, graph }: Statement): string {
  return JSON.stringify([graph, subject.id, predicate.id]);
}

function certaintyOf(voices: Utterance['voices'], policy: string): number | undefined {
  const stated = voices.map(({ said }) => said.certainty);
  if (stated.every((certainty) => certainty === undefined)) return undefined;
  const certainties = stated.map((certainty) => certainty ?? 1);
  if (policy === 'MAX') return Math.max(...certainties);
  if (policy === 'NOISY_OR' && certainties.length > 1)
    return 1 - certainties.map((certainty) => 1 - certainty).reduce((one, other) => one * other);
  return certainties.at(-1);
}

function entitiesOf({ subject, object }: Statement): string[] {
  return isLiteral(object) ? [subject.id] : [subject.id, object.id];
}
