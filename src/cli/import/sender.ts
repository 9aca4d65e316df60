import { createHash } from 'node:crypto';
import { StartupError } from '../../base/errors.ts';
import { InOrder } from '../../client/batch.ts';
import {
  AlignmentViolationError,
  type ConcordClient,
  InvalidParamsError,
  type UpdateResult,
  type Violation,
} from '../../client/index.ts';
import type { Batch, Draft } from './batch.ts';
import { Faulty } from './faulty.ts';
import { addTally, emptyTally, type Tally } from './tally.ts';
import { Touches } from './touches.ts';

/** What to do about a batch that the rules reject. */
export const rejectedChoices = ['stop', 'skip', 'split'] as const;

export interface SendOptions {
  onRejected: (typeof rejectedChoices)[number];
  justification?: string;
  /** Makes the idempotency keys this import's own. */
  nonce?: string;
  /** The revision of the graph when the import began: an answer with it or a lower one is that of an earlier run. */
  revision?: number;
  /** What the numbers of statements count. */
  unit: 'line' | 'statement';
  /** Told of every rejection or review, with the lines of its statements. */
  rejected(report: string): void;
  /** Takes what the service doesn't understand, which is left out; without it that ends the import. */
  refused?(fault: Faulty): void;
  /** Told how many batches from the beginning are done with, and what became of them. */
  confirmed(batches: number, tally: Tally): void;
}

const most = 2;

/**
 * Sends batches, two at a time, unless their order matters. Each has an idempotency key of its place and content, so
 * that the same import, repeated, applies nothing twice.
 */
export class Sender {
  readonly tally: Tally;
  private readonly client: ConcordClient;
  private readonly options: SendOptions;
  private readonly order = new InOrder<Touches>(most);
  private readonly landed = new Map<number, Tally>();
  private next: number;

  /** @param done what the batches before the first one sent came to */
  constructor(client: ConcordClient, options: SendOptions, done: { batches: number; tally: Tally }) {
    this.client = client;
    this.options = options;
    this.next = done.batches;
    this.tally = { ...done.tally };
  }

  /**
   * Sends a batch as soon as there is room for it.
   * @throws what an earlier one has failed by
   */
  send({ index, drafts }: Batch): Promise<void> {
    return this.order.begin(new Touches(drafts), async () =>
      this.land(index, await this.deliverPart(String(index), drafts)),
    );
  }

  /** Waits for what is on its way. @throws what one has failed by */
  finish(): Promise<void> {
    return this.order.finish();
  }

  private land(index: number, tally: Tally): void {
    this.landed.set(index, tally);
    addTally(this.tally, tally);
    const confirmed = this.next;
    while (this.landed.has(this.next)) this.next += 1;
    if (this.next === confirmed) return;
    const done = { ...this.tally };
    for (const [at, each] of this.landed) {
      // What has landed ahead of its turn is sent again by who goes on from here, and counted then.
      if (at >= this.next) for (const key of Object.keys(done) as (keyof Tally)[]) done[key] -= each[key];
      else this.landed.delete(at);
    }
    this.options.confirmed(this.next, done);
  }

  private async propose(position: string, drafts: Draft[], wish: object): Promise<UpdateResult> {
    const { justification, nonce } = this.options;
    const mutations = drafts.map(({ patch }) => patch);
    const hash = createHash('sha256').update(JSON.stringify([position, nonce ?? null, mutations]));
    const idempotencyKey = `import:${hash.digest('base64url')}`;
    const metadata = { idempotencyKey, ...wish };
    return this.client.update({ mutations, ...(justification && { justification }), metadata });
  }

  private async deliverPart(position: string, drafts: Draft[]): Promise<Tally> {
    const { revision = -1, onRejected, unit, refused } = this.options;
    let result: Reply;
    try {
      result = await this.propose(position, drafts, { onSuppressed: 'refuse' });
    } catch (error) {
      const faults = refused === undefined ? new Map() : faultsOf(error, drafts);
      if (refused === undefined || faults.size === 0) result = asResult(error, drafts, unit);
      else {
        for (const fault of faults.values()) refused(fault);
        const left = drafts.filter((draft) => !faults.has(draft));
        return left.length === 0 ? emptyTally() : this.deliverPart(position, left);
      }
    }
    const count = drafts.length;
    if (result.success) {
      if (result.verificationStatus === 'Pending Review') {
        this.options.rejected(reportOf(drafts, result, unit));
        return { ...emptyTally(), pending: count };
      }
      const isRepeated = result.updateId !== undefined && (result.revision ?? 0) <= revision;
      if (isRepeated) return { ...emptyTally(), repeated: count };
      const applied = Math.min(count, result.statementsAffected);
      return { ...emptyTally(), applied, unchanged: count - applied };
    }
    const suppressed = suppressedOf(result, drafts);
    if (suppressed.size > 0) return this.deliverBeside(position, drafts, suppressed);
    if (onRejected === 'split' && count > 1) {
      const half = Math.ceil(count / 2);
      const tally = await this.deliverPart(`${position}.0`, drafts.slice(0, half));
      addTally(tally, await this.deliverPart(`${position}.1`, drafts.slice(half)));
      return tally;
    }
    const report = reportOf(drafts, result, unit);
    if (onRejected === 'stop') {
      throw new StartupError(
        `${report}\nNothing of these was applied. --on-rejected split leaves out only the statements that break rules.`,
      );
    }
    this.options.rejected(report);
    return { ...emptyTally(), rejected: count };
  }

  /**
   * The service refuses what would bring back what was erased: the others are sent without it, and it apart where it
   * may be reviewed.
   */
  private async deliverBeside(
    position: string,
    drafts: Draft[],
    suppressed: ReadonlyMap<Draft, Violation['severity']>,
  ): Promise<Tally> {
    const left = drafts.filter((draft) => !suppressed.has(draft));
    const tally = left.length === 0 ? emptyTally() : await this.deliverPart(position, left);
    const reviewed = drafts.filter((draft) => suppressed.get(draft) === 'review');
    if (reviewed.length > 0) await this.propose(`${position}.suppressed`, reviewed, {});
    addTally(tally, { ...emptyTally(), suppressed: suppressed.size });
    return tally;
  }
}

/** What a batch is answered with. */
type Reply = Pick<UpdateResult, 'success' | 'verificationStatus' | 'statementsAffected' | 'violations'> &
  Partial<UpdateResult>;

/** A directive's refusal is an error of the protocol; here it is a rejection as others. */
function asResult(error: unknown, drafts: Draft[], unit: string): Reply {
  if (error instanceof AlignmentViolationError) {
    const { violations, message } = error;
    const rule = error.rule ?? 'a directive';
    return {
      success: false,
      statementsAffected: 0,
      verificationStatus: 'Rejected - Constraint Violation',
      violations: violations.length > 0 ? violations : [{ rule, severity: 'forbid', message }],
    };
  }
  if (error instanceof InvalidParamsError) {
    const [issue] = error.issues;
    const index = Number(/^mutations\[(\d+)\]/.exec(issue?.path ?? '')?.[1]);
    const line = drafts[index]?.line;
    const where = line === undefined ? linesOf(drafts, unit) : `${unit} ${line}`;
    throw new StartupError(`The service refuses ${where}: ${error.message}`, { cause: error });
  }
  throw error;
}

/** What of a batch would bring back what was erased, and what becomes of it. */
function suppressedOf({ success, violations = [] }: Reply, drafts: Draft[]): Map<Draft, Violation['severity']> {
  if (success) return new Map();
  const key = (subject?: string, predicate?: string, object?: string) => JSON.stringify([subject, predicate, object]);
  const named = new Map(
    violations
      .filter(({ rule }) => rule === 'suppressed')
      .map(({ subject, predicate, object, severity }) => [key(subject, predicate, object), severity]),
  );
  return new Map(
    drafts.flatMap((draft): [Draft, Violation['severity']][] => {
      const { subject, predicate, object } = draft.patch.statement;
      const severity = named.get(key(subject.id, predicate.id, 'id' in object ? object.id : undefined));
      return severity === undefined || draft.patch.op === 'remove' ? [] : [[draft, severity]];
    }),
  );
}

/** What the service doesn't understand of a batch. */
function faultsOf(error: unknown, drafts: Draft[]): Map<Draft, Faulty> {
  const issues = error instanceof InvalidParamsError ? error.issues : [];
  const faults = issues.flatMap(({ path, message }): [Draft, Faulty][] => {
    const [, index, member] = /^mutations\[(\d+)\]\.?(.*)/.exec(path) ?? [];
    const draft = drafts[Number(index)];
    return draft === undefined ? [] : [[draft, new Faulty(draft.line, `${member} ${message}`.trim())]];
  });
  return new Map(faults);
}

function reportOf(drafts: Draft[], { verificationStatus, violations = [] }: Reply, unit: string): string {
  const shown = violations.slice(0, 5).map((violation) => `\n  ${violationLine(drafts, violation, unit)}`);
  const more = violations.length > 5 ? `\n  and ${violations.length - 5} more` : '';
  return `${verificationStatus}: ${linesOf(drafts, unit)}${shown.join('')}${more}`;
}

function violationLine(
  drafts: Draft[],
  { rule, subject, predicate, object, message }: Violation,
  unit: string,
): string {
  const about = [subject, predicate, object].filter((part) => part !== undefined).join(' ');
  const line = drafts.find(({ patch: { statement } }) => {
    const isMeant = predicate === undefined || statement.predicate.id === predicate;
    return (
      isMeant && (statement.subject.id === subject || ('id' in statement.object && statement.object.id === subject))
    );
  })?.line;
  return `${rule}: ${about === '' ? '' : `${about} `}${message}${line === undefined ? '' : ` (${unit} ${line})`}`;
}

function linesOf(drafts: Draft[], unit: string): string {
  const lines = drafts.map(({ line }) => line);
  const [first, last] = [Math.min(...lines), Math.max(...lines)];
  return first === last ? `${unit} ${first}` : `${unit}s ${first} to ${last}`;
}
