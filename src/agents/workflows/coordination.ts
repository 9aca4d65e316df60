import { randomUUID } from 'node:crypto';
import { ConcordError } from '../../base/errors.ts';
import { isAwayOrBusy } from '../../graph/database/away.ts';
import type { Principal } from '../../security/principal.ts';
import type { SkillCall, SkillOutcome, Skills } from '../../skills/skill.ts';
import type { TaskKey } from '../../tasks/nodes/taskNodes.ts';
import type { InnerMessage, InnerTasks } from '../../tasks/running/innerTasks.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { isDraining } from '../delegation/outcome.ts';
import { answerOf } from './answer.ts';
import { askedBy } from './asking.ts';
import type { KeptWorkflow, NewRun, RunRow, Workflows } from './nodes/workflows.ts';
import { patiently } from './patiently.ts';
import { Course, type Due, type Entry, type RunKey } from './plan/course.ts';
import { entryOf } from './plan/entering.ts';
import type { Step } from './plan/plan.ts';
import { resultsNeeded, stepsBefore } from './plan/references.ts';
import { isLimit, outcomeOf, saying, stepsArtifact, tooLate, waitingIn } from './report.ts';
import { StepResults } from './results.ts';
import { runId, runOf } from './runs.ts';
import { Wake } from './wake.ts';
import { lengthOf, Whole } from './whole.ts';

export interface CoordinationParts {
  workflows: Workflows;
  inner: Pick<InnerTasks, 'claim' | 'begin' | 'goOn' | 'cancel'>;
  /** Concord's own, which steps may ask for. */
  skills: Skills;
  /** Steps of one workflow that are under way at a time. */
  atOnce: number;
  /** Characters of the results that one step needs. */
  longestResults: number;
  /** Characters of what all tasks of one workflow are begun with and make, while further ones are begun. */
  longestWhole: number;
  /** Bytes of what one task has made. */
  maxArtifactBytes: number;
  logger: Logger;
  /** Milliseconds since 1970. */
  now(): number;
}

/** How often it is looked how tasks stand that other replicas execute, or that wait for an answer. */
const pollMs = 500;
/** Tasks that one is joined to as coming after them. */
const mostAfter = 100;
const longestTimer = 2_147_483_647;

/** One run of a workflow: from what the graph has of it to its end, or to where all that is left waits. */
export class Coordination {
  private readonly key: TaskKey;
  private readonly stop: AbortSignal;
  private readonly late = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly steps: ReadonlyMap<string, Step>;
  private course: Course;
  private results: StepResults;
  /** The tasks that this replica executes. */
  private readonly here = new Set<string>();
  /** That one of them has come to rest. */
  private readonly settled = new Wake();
  /** A message for a step that waits for one, until the step has it. */
  private unsaid: SkillCall['message'] | undefined;
  private readonly whole: Whole;
  private said = '';

  /** @param principal whom the steps are done as */
  constructor(
    private readonly parts: CoordinationParts,
    private readonly call: SkillCall,
    private readonly kept: KeptWorkflow,
    private readonly principal: Principal,
  ) {
    this.key = { tenant: principal.tenant, id: call.taskId };
    this.steps = new Map(kept.steps.map((step) => [step.id, step]));
    const left = Math.max(0, Math.min(kept.deadline - parts.now(), longestTimer));
    this.timer = setTimeout(() => this.late.abort(tooLate()), left);
    this.stop = AbortSignal.any([call.signal, this.late.signal]);
    this.whole = new Whole(parts.longestWhole);
    [this.course, this.results] = this.anew();
  }

  /** @param answer a message for a step that waits for one, where there is one */
  async run(answer?: SkillCall['message']): Promise<SkillOutcome | undefined> {
    this.unsaid = answer;
    try {
      return await patiently(() => this.advance(), this.stop);
    } catch (error) {
      return await this.stopped(error);
    } finally {
      clearTimeout(this.timer);
    }
  }

  private anew(): [Course, StepResults] {
    const { parts, key, kept } = this;
    const course = new Course(kept.steps);
    const { workflows, longestResults: longest } = parts;
    return [course, new StepResults({ workflows, tenant: key.tenant, course, longest })];
  }

  private async advance(): Promise<SkillOutcome> {
    [this.course, this.results] = this.anew();
    for (const row of await this.parts.workflows.runs(this.key)) this.heard(row);
    for (;;) {
      this.stop.throwIfAborted();
      this.answer();
      await this.begin(await this.entered());
      this.tell();
      if (this.course.isOver) return outcomeOf(this.reported());
      const next = this.nextDue();
      if (next === undefined && this.course.open('working').length === 0) return this.resting();
      await this.somethingHappens(next);
      await this.look();
    }
  }

  /** The tasks that are to be begun now. Steps have their turn as long as there is room for their tasks. */
  private async entered(): Promise<Due[]> {
    const { course, parts } = this;
    const room = parts.atOnce - course.open('working').length;
    for (;;) {
      const now = parts.now();
      const due = course.due().filter(({ notBefore }) => notBefore <= now);
      const [step] = course.ready();
      if (!step || (due.length >= room && course.tasksOf(step.id).length === 0)) return due.slice(0, Math.max(0, room));
      course.enter(step.id, await this.entryOf(step));
    }
  }

  private async entryOf(step: Step): Promise<Entry> {
    // It was its turn before: of which list it is for each still has to be known.
    if (!step.forEach && this.course.tasksOf(step.id).length > 0) return { kind: 'run' };
    try {
      const results = await this.results.of(resultsNeeded(step));
      const { course, parts, steps } = this;
      const optional = (id: string) => steps.get(id)?.optional === true;
      return entryOf(step, { course, optional, results, longest: parts.longestResults });
    } catch (error) {
      if (!(error instanceof ConcordError) || error.data.reason !== 'workflow-results') throw error;
      return { kind: 'fail', error: { reason: error.data.reason, message: error.message } };
    }
  }

  private async begin(due: Due[]): Promise<void> {
    if (due.length === 0) return;
    const { parts, key, kept, principal } = this;
    // What it takes is read before: a task whose id is taken is begun.
    const asked = new Map<string, InnerMessage>();
    const runs: NewRun[] = [];
    for (const { step, item, attempt } of due) {
      const run = { step, item, attempt, taskId: runId(kept.seed, { step, item, attempt }) };
      const message = await this.askedBy(run);
      asked.set(run.taskId, message);
      runs.push({ ...run, after: this.tasksBefore(step), length: lengthOf(message) });
    }
    this.whole.requireRoom(runs);
    const keys = runs.map(({ taskId: id }) => ({ tenant: key.tenant, id }));
    const owner = principal.agentId ?? '';
    const claimed = await parts.inner.claim(keys, owner, (tx) => parts.workflows.join(tx, key, runs));
    for (const { after: _, length, ...run } of runs) {
      this.course.heard({ ...run, state: { phase: 'working' } });
      this.whole.heard({ ...run, length });
    }
    // The others were begun by a replica that believes that this one has died.
    for (const each of claimed) {
      const message = asked.get(each.id);
      if (message) this.followed(each.id, parts.inner.begin(each, message));
    }
  }

  private heard(row: RunRow): void {
    this.course.heard(runOf(row));
    this.whole.heard(row);
  }

  private async askedBy({ step: id, item }: RunKey): Promise<InnerMessage> {
    const { parts, call, kept, principal, results } = this;
    const step = this.steps.get(id);
    if (!step) throw new TypeError('A step is gone');
    return askedBy(step, item, { call, kept, principal, results, skills: parts.skills, now: parts.now() });
  }

  private followed(taskId: string, execution: Promise<unknown>): void {
    this.here.add(taskId);
    execution
      .catch((err: unknown) => this.parts.logger.error({ err }, 'a step of a workflow failed'))
      .finally(() => {
        this.here.delete(taskId);
        this.settled.happened();
      });
  }

  private tasksBefore(step: string): string[] {
    const before = this.steps.get(step);
    const tasks = before ? stepsBefore(before).flatMap((id) => this.course.tasksOf(id)) : [];
    return tasks.slice(0, mostAfter).map(({ taskId }) => taskId);
  }

  /** Passes the message on to the step that waits for it. Where the database is away just then, it is passed on later. */
  private answer(): void {
    const { parts, course, key, principal, unsaid: message } = this;
    if (!message) return;
    this.unsaid = undefined;
    const { to, parts: said } = answerOf(message, course.open('waiting'));
    if (!to) return;
    course.heard({ ...to, state: { phase: 'working' } });
    const answer = { ...message, messageId: randomUUID(), taskId: to.taskId, parts: said };
    const goesOn = parts.inner.goOn({ tenant: key.tenant, id: to.taskId }, { principal, message: answer });
    const kept = goesOn.catch((error: unknown) => {
      if (isAwayOrBusy(error)) this.unsaid = message;
      throw error;
    });
    this.followed(to.taskId, kept);
  }

  /** Until a task that is executed here has come to rest, or it is time to look at the others, or to begin one. */
  private somethingHappens(nextDue: number | undefined): Promise<void> {
    const isElsewhere = this.course.open().some(({ taskId }) => !this.here.has(taskId));
    const waits = [...(isElsewhere ? [pollMs] : []), ...(nextDue === undefined ? [] : [nextDue - this.parts.now()])];
    return this.settled.next(Math.min(...waits), this.stop);
  }

  private nextDue(): number | undefined {
    const due = this.course.due().map(({ notBefore }) => notBefore);
    return due.length === 0 ? undefined : Math.min(...due);
  }

  /** How the tasks stand that were under way. */
  private async look(): Promise<void> {
    const { course, here, parts, key } = this;
    const open = course.open().filter(({ taskId }) => !here.has(taskId));
    if (open.length === 0) return;
    const ids = open.map(({ taskId }) => taskId);
    const rows = new Map((await parts.workflows.standings(key, ids)).map((row) => [row.taskId, row]));
    for (const run of open) {
      const row = rows.get(run.taskId);
      if (row) this.heard(row);
      // Its replica died before it had begun it.
      else course.gone(run);
    }
  }

  private tell(): void {
    const { course } = this;
    const waiting = waitingIn(course);
    const workflow = { progress: course.progress, ...(waiting.length > 0 && { waiting }) };
    const said = JSON.stringify(workflow);
    if (said === this.said) return;
    this.said = said;
    this.call.tell(`${workflow.progress} % of the steps have ended`, { workflow });
  }

  /** All that is left waits for an answer. */
  private resting(): SkillOutcome {
    const { course } = this;
    const waiting = waitingIn(course);
    const [first] = waiting;
    const text = `The step ${first?.step} waits: ${first?.text}`;
    return { state: 'input-required', artifacts: [], text, data: { workflow: { progress: course.progress, waiting } } };
  }

  private reported() {
    const { course, results, kept, parts } = this;
    return { steps: kept.steps, course, results, mostBytes: parts.maxArtifactBytes };
  }

  /** What becomes of it where it cannot go on. */
  private async stopped(error: unknown): Promise<SkillOutcome | undefined> {
    const { call, late, parts, key } = this;
    if (isDraining(call.signal.reason)) {
      // Else its lease ends a little later.
      await parts.workflows.leave(key).catch((error: unknown) => {
        if (!isAwayOrBusy(error)) throw error;
      });
      return undefined;
    }
    await this.cancelSteps();
    const told = late.signal.aborted ? late.signal.reason : error;
    if (call.signal.aborted || !isLimit(told)) throw error;
    await this.look().catch(() => {});
    return { state: 'failed', artifacts: [await stepsArtifact(this.reported())], ...saying(told) };
  }

  private async cancelSteps(): Promise<void> {
    const { parts, key } = this;
    const open = this.course.open();
    await Promise.allSettled(open.map(({ taskId: id }) => parts.inner.cancel({ tenant: key.tenant, id })));
  }
}
