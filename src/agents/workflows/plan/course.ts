import { getOrInsert } from '../../../base/getOrInsert.ts';
import type { Reason } from '../../../base/reasons.ts';
import { ordered } from './order.ts';
import { ownPrefix, type Step } from './plan.ts';
import { stepsBefore } from './references.ts';

/** Why a step, or one task of it, has come to nothing. */
export interface StepError {
  reason: Reason;
  message: string;
  /** Whether the same may succeed later. */
  retryable?: boolean;
}

/** A task of a step: of a step for each of a list there is one for each item. */
export interface RunKey {
  step: string;
  /** From 0. */
  item: number;
  /** From 1. */
  attempt: number;
}

/** How a task of a step stands. */
export type RunState =
  | { phase: 'working' }
  | { phase: 'waiting'; text: string }
  | { phase: 'completed' }
  | { phase: 'failed'; error: StepError; at: number };

export interface Run extends RunKey {
  taskId: string;
  state: RunState;
}

/** What becomes of a step whose turn it is. */
export type Entry =
  | { kind: 'skip' }
  | { kind: 'fail'; error: StepError }
  /** `items` is how many tasks it is; undefined where it is not for each of a list. */
  | { kind: 'run'; items?: number };

/** How a step stands. */
export type Standing =
  | { phase: 'pending' }
  | { phase: 'entered'; items?: number }
  | { phase: 'completed'; items?: number }
  | { phase: 'skipped' }
  | { phase: 'failed'; error: StepError };

/** Attempts beyond those that were wished, for tasks whose replica died or closed: what brings replicas down ends. */
const mostLost = 5;
const lostReasons = new Set<Reason>(['replica-lost', 'draining']);
/** Waits before a further attempt, in milliseconds. */
const retryMs = 1_000;
const longestRetryMs = 60_000;

/** A task that is to be begun, and the time before which it isn't, in milliseconds since 1970. */
export interface Due extends RunKey {
  notBefore: number;
}

/**
 * The course of a workflow: which step has its turn, which task is to be begun, what has failed. It knows of no
 * database: whoever tells it the same steps, entries and runs, in whatever order, has the same course.
 */
export class Course {
  private readonly steps: ReadonlyMap<string, Step>;
  private readonly order: string[];
  /** The steps that come after each, and how many of those before one haven't ended: counted, and not looked for anew. */
  private readonly after = new Map<string, string[]>();
  private readonly waitsFor = new Map<string, number>();
  /** The steps whose turn it is. */
  private readonly free = new Set<string>();
  private readonly standings = new Map<string, Standing>();
  /** By step, item and attempt. */
  private readonly runs = new Map<string, Map<number, Map<number, Run>>>();

  /** @param steps without faults */
  constructor(steps: readonly Step[]) {
    this.steps = new Map(steps.map((step) => [step.id, step]));
    const before = new Map(steps.map((step) => [step.id, stepsBefore(step)]));
    this.order = ordered(before);
    for (const [id, ids] of before) {
      this.waitsFor.set(id, ids.length);
      if (ids.length === 0) this.free.add(id);
      for (const each of ids) getOrInsert(this.after, each, () => []).push(id);
    }
  }

  /** How a task of a step stands now. Of several attempts the last one counts. */
  heard(run: Run): void {
    const items = getOrInsert(this.runs, run.step, () => new Map<number, Map<number, Run>>());
    getOrInsert(items, run.item, () => new Map<number, Run>()).set(run.attempt, run);
    this.settle(run.step);
  }

  /** A task that was to be begun is not there: it is to be begun. */
  gone({ step, item, attempt }: RunKey): void {
    this.runs.get(step)?.get(item)?.delete(attempt);
  }

  /** The steps whose turn it is: all that comes before them has ended. They come in the order of the workflow. */
  ready(): Step[] {
    return this.order.flatMap((id) => (this.free.has(id) ? (this.steps.get(id) ?? []) : []));
  }

  /** What becomes of a step whose turn it is. */
  enter(id: string, entry: Entry): void {
    if (entry.kind === 'skip') this.stands(id, { phase: 'skipped' });
    else if (entry.kind === 'fail') this.stands(id, { phase: 'failed', error: entry.error });
    else this.stands(id, { phase: 'entered', ...(entry.items !== undefined && { items: entry.items }) });
    this.settle(id);
  }

  standing(id: string): Standing {
    return this.standings.get(id) ?? { phase: 'pending' };
  }

  /** The tasks that are to be begun, in the order of the workflow. */
  due(): Due[] {
    return this.order.flatMap((id) => {
      const standing = this.standing(id);
      const step = this.steps.get(id);
      if (!step || standing.phase !== 'entered') return [];
      return numbers(standing.items ?? 1).flatMap((item): Due[] => {
        const tried = this.tried(id, item);
        if (!tried) return [{ step: id, item, attempt: 1, notBefore: 0 }];
        const at = againAt(step, tried);
        return at === undefined ? [] : [{ step: id, item, attempt: tried.last.attempt + 1, notBefore: at }];
      });
    });
  }

  /** The last task of each item of a step that there is one of, in their order. */
  tasksOf(step: string): Run[] {
    const items = [...(this.runs.get(step)?.keys() ?? [])].sort((one, other) => one - other);
    return items.flatMap((item) => this.tried(step, item)?.last ?? []);
  }

  /** The tasks that are under way, and those that wait for an answer. */
  open(phase?: 'working' | 'waiting'): Run[] {
    const all = this.order.flatMap((id) => this.tasksOf(id));
    return all.filter(({ state }) =>
      phase === undefined ? state.phase === 'working' || state.phase === 'waiting' : state.phase === phase,
    );
  }

  /** Whether nothing is left to be done. */
  get isOver(): boolean {
    return this.order.every((id) => isSettled(this.standing(id)));
  }

  /** How far it is, from 0 to 100; each step counts the same. */
  get progress(): number {
    const done = this.order.reduce((sum, id) => sum + this.shareOf(id), 0);
    return Math.floor((100 * done) / this.order.length);
  }

  /** Steps that have failed and are not optional. */
  get failed(): string[] {
    return this.order.filter((id) => this.standing(id).phase === 'failed' && !this.steps.get(id)?.optional);
  }

  private shareOf(id: string): number {
    const standing = this.standing(id);
    if (isSettled(standing)) return 1;
    if (standing.phase !== 'entered' || standing.items === undefined) return 0;
    return this.tasksOf(id).filter(({ state }) => state.phase === 'completed').length / (standing.items + 1);
  }

  /** A step has ended when all of its tasks have. */
  private settle(id: string): void {
    const standing = this.standing(id);
    const step = this.steps.get(id);
    if (!step || standing.phase !== 'entered') return;
    const { items } = standing;
    const states = numbers(items ?? 1).map((item) => {
      const tried = this.tried(id, item);
      return tried && againAt(step, tried) === undefined ? tried.last.state : undefined;
    });
    if (!states.every((state) => state?.phase === 'completed' || state?.phase === 'failed')) return;
    const errors = states.flatMap((state) => (state?.phase === 'failed' ? [state.error] : []));
    const [error] = errors;
    if (!error) this.stands(id, { phase: 'completed', ...(items !== undefined && { items }) });
    else this.stands(id, { phase: 'failed', error: errors.length > 1 ? ofSeveral(error, errors.length) : error });
  }

  /** Of a step that has ended, those after it have one less to wait for. */
  private stands(id: string, standing: Standing): void {
    this.standings.set(id, standing);
    this.free.delete(id);
    if (!isSettled(standing)) return;
    for (const next of this.after.get(id) ?? []) {
      const left = (this.waitsFor.get(next) ?? 0) - 1;
      this.waitsFor.set(next, left);
      if (left === 0) this.free.add(next);
    }
  }

  private tried(step: string, item: number): Tried | undefined {
    const attempts = [...(this.runs.get(step)?.get(item)?.values() ?? [])];
    const [first, ...others] = attempts;
    if (!first) return undefined;
    const last = others.reduce((one, other) => (other.attempt > one.attempt ? other : one), first);
    return { last, lost: attempts.filter(({ state }) => isLost(state)).length };
  }
}

/** The last attempt at an item, and how many were lost. */
interface Tried {
  last: Run;
  lost: number;
}

export const isSettled = ({ phase }: Standing): boolean => phase !== 'pending' && phase !== 'entered';

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);

const isLost = (state: RunState) => state.phase === 'failed' && lostReasons.has(state.error.reason);

/** When a failed task is begun again, in milliseconds since 1970; undefined where it isn't. */
function againAt({ retry, agent }: Step, { last, lost }: Tried): number | undefined {
  const { state } = last;
  if (state.phase !== 'failed') return undefined;
  if (isLost(state)) return lost > mostLost ? undefined : state.at;
  const { max = 0, backoff = 'exponential' } = retry ?? {};
  const attempt = last.attempt - lost;
  // A registered agent is tried again by the delegation itself, which knows what has come.
  if (!agent?.startsWith(ownPrefix) || !state.error.retryable || attempt > max) return undefined;
  return state.at + Math.min(longestRetryMs, retryMs * (backoff === 'linear' ? attempt : 2 ** (attempt - 1)));
}

function ofSeveral(error: StepError, failed: number): StepError {
  return { ...error, message: `${error.message} (and ${failed - 1} more of its tasks have failed)` };
}
