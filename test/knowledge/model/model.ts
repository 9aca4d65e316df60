import { isDeepStrictEqual } from 'node:util';
import { isLiteral, type Statement } from '../../../src/graph/statement.ts';

/** A patch as it is sent, with the object's datatype written out. */
export interface Patch {
  op: 'add' | 'remove' | 'replace';
  statement: Statement;
}

/** Patches of one agent that are applied together. */
export interface AgentUpdate {
  agent: string;
  updateId: string;
  patches: Patch[];
}

/** A statement as one agent has said it. It holds from the revision that says it until the one that ends it. */
export interface Utterance {
  statement: Statement;
  agent: string;
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
 * What DESIGN, "Patches", says, without a thought of speed: all that was ever said stands in one list, and each question goes through all of it.
 */
export class Model {
  revision = 0;
  readonly log: Logged[] = [];
  readonly utterances: Utterance[] = [];
  private readonly entities = new Set<string>();

  /** What holds at a revision. */
  at(revision: number): Utterance[] {
    return this.utterances.filter(
      ({ from, until }) => from <= revision && (until === undefined || until > revision),
    );
  }

  /** Whether these patches change nothing at a revision. */
  isNothing(update: AgentUpdate, revision: number): boolean {
    return said(this.at(revision), update, revision + 1).logged.length === 0;
  }

  /** Applies an update to what holds now. */
  apply(update: AgentUpdate): Effect {
    const { agent, updateId } = update;
    const revision = this.revision + 1;
    const before = this.at(this.revision);
    const { after, logged } = said(before, update, revision);
    if (logged.length === 0) return { applied: false, statementsAffected: 0, affectedIds: [] };

    const ended = before.filter((utterance) => !after.includes(utterance));
    const begun = after.filter((utterance) => !before.includes(utterance));
    for (const utterance of ended)
      Object.assign(utterance, { until: revision, endedBy: { agent, updateId } });
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
): { after: Utterance[]; logged: Logged[] } {
  let after = before;
  const logged: Logged[] = [];
  const log = (op: Patch['op'], statement: Statement, gone: Utterance[]) =>
    logged.push({ op, statement, previous: gone.map((each) => each.statement), agent, updateId, revision });
  for (const { op, statement } of patches) {
    const held = after.find((each) => identityOf(each.statement) === identityOf(statement));
    if (op === 'remove') {
      if (held === undefined) continue;
      after = after.filter((each) => each !== held);
      log('remove', held.statement, []);
      continue;
    }
    // Said again as it was, it stays the utterance of who said it first.
    const stays = held !== undefined && saysTheSame(held.statement, statement);
    const gone = after.filter(
      (each) =>
        (each === held && !stays) ||
        (op === 'replace' && each !== held && placeOf(each.statement) === placeOf(statement)),
    );
    if (stays && gone.length === 0) continue;
    after = after.filter((each) => !gone.includes(each));
    if (!stays) after = [...after, { statement, agent, updateId, from: revision }];
    log(gone.length > 0 ? 'replace' : 'add', statement, gone);
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

function saysTheSame(one: Statement, other: Statement): boolean {
  return one.certainty === other.certainty && isDeepStrictEqual(one.provenance, other.provenance);
}

function entitiesOf({ subject, object }: Statement): string[] {
  return isLiteral(object) ? [subject.id] : [subject.id, object.id];
}
