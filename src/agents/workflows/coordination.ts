import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConcordError } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import { isUnavailable } from '../../graph/database/database.ts';
import type { Principal } from '../../security/principal.ts';
import type { SkillCall, SkillOutcome, Skills } from '../../skills/skill.ts';
import type { TaskKey } from '../../tasks/nodes/taskNodes.ts';
import type { InnerMessage, InnerTasks } from '../../tasks/running/innerTasks.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { isDraining } from '../delegation/outcome.ts';
import { answerOf } from './answer.ts';
import type { KeptWorkflow, NewRun, Workflows } from './nodes/workflows.ts';
import { Course, type Due, type Entry, type Run, type RunKey } from './plan/course.ts';
import { entryOf, inputOf, itemsOf } from './plan/entering.ts';
import type { Step } from './plan/plan.ts';
import { resultsNeeded, stepsBefore } from './plan/references.ts';
import { outcomeOf, saying, stepsArtifact } from './report.ts';
import { StepResults } from './results.ts';
import { runId, runOf } from './runs.ts';
import { ownSkillOf, stepMessage } from './stepMessage.ts';

export interface CoordinationParts {
  workflows: Workflows;
  inner: Pick<InnerTasks, 'claim' | 'begin' | 'goOn' | 'cancel'>;
  /** Concord's own, which steps may ask for. */
  skills: Skills;
  /** Steps of one workflow that are under way at a time. */
  atOnce: number;
  /** Characters of the results that one step needs. */
  longestResults: number;
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
const awayMs = 1_000;
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
  private wake: () => void = () => {};
  private hasHappened = false;
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
    [this.course, this.results] = this.anew();
  }

  /** @param answer a message for a step that waits for one, where there is one */
  async run(answer?: SkillCall['message']): Promise<SkillOutcome | undefined> {
    try {
      for (let given = answer; ; given = undefined) {
        try {
          return await this.advance(given);
        } catch (error) {
          this.stop.throwIfAborted();
          if (!isUnavailable(error)) throw error;
          // What is under way goes on meanwhile, and what has become of it stands in the graph.
          await sleep(awayMs, undefined, { signal: this.stop }).catch(() => this.stop.throwIfAborted());
        }
      }
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

  private async advance(answer: SkillCall['message'] | undefined): Promise<SkillOutcome> {
    [this.course, this.results] = this.anew();
    for (const row of await this.parts.workflows.runs(this.key)) this.course.heard(runOf(row));
    if (answer) this.answer(answer);
    for (;;) {
      this.stop.throwIfAborted();
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
      asked.set(run.taskId, await this.askedBy(run));
      runs.push({ ...run, after: this.tasksBefore(step) });
    }
    const keys = runs.map(({ taskId: id }) => ({ tenant: key.tenant, id }));
    const owner = principal.agentId ?? '';
    const claimed = await parts.inner.claim(keys, owner, (tx) => parts.workflows.join(tx, key, runs));
    for (const { after: _, ...run } of runs) this.course.heard({ ...run, state: { phase: 'working' } });
    // The others were begun by a replica that believes that this one has died.
    for (const each of claimed) {
      const message = asked.get(each.id);
      if (message) this.followed(each.id, parts.inner.begin(each, message));
    }
  }

  /** What the task of a step is begun with. */
  private async askedBy({ step: id, item }: RunKey): Promise<InnerMessage> {
    const { parts, call, kept, principal } = this;
    const step = this.steps.get(id);
    if (!step) throw new TypeError('A step is gone');
    const results = await this.results.of(resultsNeeded(step));
    const now = parts.now();
    const deadline = Math.min(kept.deadline, now + (step.timeout ?? longestTimer));
    const message = stepMessage({
      ...{ step, skills: parts.skills, contextId: call.contextId, deadline },
      input: inputOf(step, results, itemsOf(step, results)?.[item]),
      messageId: randomUUID(),
      requestId: runId(kept.seed, { step: id, item, attempt: 1 }),
      agentId: principal.agentId,
      metadata: (call.task?.history[0] ?? call.message).metadata,
    });
    const isOwn = ownSkillOf(step) !== undefined;
    return { principal, message, ...(isOwn && { timeoutMs: Math.max(1, deadline - now) }) };
  }

  private followed(taskId: string, execution: Promise<unknown>): void {
    this.here.add(taskId);
    execution
      .catch((err: unknown) => this.parts.logger.error({ err }, 'a step of a workflow failed'))
      .finally(() => {
        this.here.delete(taskId);
        this.hasHappened = true;
        this.wake();
      });
  }

  private tasksBefore(step: string): string[] {
    const before = this.steps.get(step);
    const tasks = before ? stepsBefore(before).flatMap((id) => this.course.tasksOf(id)) : [];
    return tasks.slice(0, mostAfter).map(({ taskId }) => taskId);
  }

  /** Passes a message on to the step that waits for it. */
  private answer(message: SkillCall['message']): void {
    const { parts, course, key, principal } = this;
    const { to, parts: said } = answerOf(message, course.open('waiting'));
    if (!to) return;
    course.heard({ ...to, state: { phase: 'working' } });
    const answer = { ...message, messageId: randomUUID(), taskId: to.taskId, parts: said };
    this.followed(to.taskId, parts.inner.goOn({ tenant: key.tenant, id: to.taskId }, { principal, message: answer }));
  }

  /** Until a task that is executed here has come to rest, or it is time to look at the others, or to begin one. */
  private async somethingHappens(nextDue: number | undefined): Promise<void> {
    if (this.hasHappened) {
      this.hasHappened = false;
      return;
    }
    const isElsewhere = this.course.open().some(({ taskId }) => !this.here.has(taskId));
    const waits = [...(isElsewhere ? [pollMs] : []), ...(nextDue === undefined ? [] : [nextDue - this.parts.now()])];
    const waited = new AbortController();
    const happened = new Promise<void>((resolve) => {
      this.wake = resolve;
      this.stop.addEventListener('abort', () => resolve(), { once: true, signal: waited.signal });
    });
    const ms = Math.max(0, Math.min(...waits, longestTimer));
    await Promise.race([happened, sleep(ms, undefined, waited).catch(() => {})]);
    waited.abort();
    this.hasHappened = false;
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
      if (row) course.heard(runOf(row));
      // Its replica died before it had begun it.
      else course.gone(run);
    }
  }

  private tell(): void {
    const { course } = this;
    const waiting = course.open('waiting').map(({ step, taskId, state }) => ({ step, task: taskId, ...textIn(state) }));
    const workflow = { progress: course.progress, ...(waiting.length > 0 && { waiting }) };
    const said = JSON.stringify(workflow);
    if (said === this.said) return;
    this.said = said;
    this.call.tell(`${workflow.progress} % of the steps have ended`, { workflow });
  }

  /** All that is left waits for an answer. */
  private resting(): SkillOutcome {
    const { course } = this;
    const waiting = course.open('waiting').map(({ step, taskId, state }) => ({ step, task: taskId, ...textIn(state) }));
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
      await parts.workflows.leave(key);
      return undefined;
    }
    await this.cancelSteps();
    if (call.signal.aborted || !late.signal.aborted) throw error;
    await this.look().catch(() => {});
    return { state: 'failed', artifacts: [await stepsArtifact(this.reported())], ...saying(late.signal.reason) };
  }

  private async cancelSteps(): Promise<void> {
    const { parts, key } = this;
    const open = this.course.open();
    await Promise.allSettled(open.map(({ taskId: id }) => parts.inner.cancel({ tenant: key.tenant, id })));
  }
}

const textIn = (state: Run['state']) => (state.phase === 'waiting' ? { text: state.text } : {});

function tooLate(): ConcordError {
  return refuse('workflow-deadline', 'The time of the workflow is over; its steps that were under way are cancelled');
}
