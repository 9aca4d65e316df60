import { type Message, Role, type Task, TaskState } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutor, type ExecutionEventBus, type RequestContext } from '@a2a-js/sdk/server';
import { ConcordError, ErrorCode } from '../base/errors.ts';
import { refuse } from '../base/reasons.ts';
import { principalIn, stateIn } from '../calls/callState.ts';
import { asConcordError } from '../calls/faults.ts';
import type { Principal } from '../security/principal.ts';
import type { Logger } from '../telemetry/logger.ts';
import { traceId } from '../telemetry/tracing.ts';
import { assignmentOf, beginOf } from './assignment.ts';
import { type EventParts, TaskEvents, type TaskIds } from './events.ts';
import type { Beside, DataArtifact, LastingSkill, Skill, SkillCall, SkillOutcome, Skills } from './skill.ts';

export interface SkillExecutorParts extends EventParts {
  skills: Skills;
  /** How long a task may run before it fails. */
  timeoutMs: number;
  /** The bytes that the artifacts of one message may have, as JSON in UTF-8. */
  maxArtifactBytes: number;
  logger: Logger;
  /** As of a skill's call, where tasks are kept in the database. */
  kept?(key: { tenant: string; id: string }, beside?: Beside): Promise<void>;
  alongside?(key: { tenant: string; id: string }, beside: Beside): void;
}

/** One run of a skill. */
interface Run {
  ids: TaskIds;
  principal: Principal;
  message: Message;
  task: Task | undefined;
  skill: Skill;
  /** Milliseconds, where less than every task may take. */
  mostMs?: number | undefined;
  work(call: SkillCall): Promise<SkillOutcome | undefined>;
}

interface Running {
  /** Of its task: another tenant's may have the same id. */
  bus: ExecutionEventBus;
  controller: AbortController;
  done: Promise<void>;
}

/** Runs the skill that a message asks for. A message that asks for none is answered with what there is. */
export class SkillExecutor implements AgentExecutor {
  private readonly events: TaskEvents;
  private readonly running = new Set<Running>();
  private closed = false;
  /** The contexts of tasks, which the SDK doesn't tell when it cancels one. */
  private readonly contexts = new WeakMap<ExecutionEventBus, string>();

  constructor(private readonly parts: SkillExecutorParts) {
    this.events = new TaskEvents(parts);
  }

  /**
   * Publishes what becomes of the task; it does not throw, since the SDK would show the error to the caller as it is.
   */
  async execute(request: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const { task, taskId, contextId, userMessage: message } = request;
    this.contexts.set(bus, contextId);
    const begun = task && this.begunWith(task);
    const asked = begun ? undefined : assignmentOf(request);
    const skill = begun ?? (asked && this.parts.skills.get(asked.name));
    if (!skill) return this.explain(request, bus);
    const work = (call: SkillCall) => begun?.lasting.goOn(call) ?? skill.run(asked?.input ?? {}, call);
    bus.publish(this.events.begun(request));
    const principal = principalIn(request.context);
    const { timeoutMs: mostMs } = stateIn(request.context);
    await this.entered(bus, { ids: { taskId, contextId }, principal, message, task, skill, mostMs, work });
  }

  /**
   * How a task goes on whose replica is gone; undefined where it doesn't.
   * @returns what executes it, and publishes what becomes of it
   */
  async resume(
    task: Task,
    { tenant, owner }: { tenant: string; owner: string },
  ): Promise<((bus: ExecutionEventBus) => Promise<void>) | undefined> {
    const { id: taskId, contextId } = task;
    const skill = this.begunWith(task);
    const message = task.history.findLast(({ role }) => role === Role.ROLE_USER);
    if (!skill || !message || !(await skill.lasting.isLasting({ tenant, id: taskId }))) return undefined;
    const principal: Principal = { tenant, ...(owner !== '' && { agentId: owner }), scopes: new Set() };
    const work = (call: SkillCall) => skill.lasting.takeUp(call);
    return async (bus) => {
      this.contexts.set(bus, contextId);
      await this.entered(bus, { ids: { taskId, contextId }, principal, message, task, skill, work });
    };
  }

  /** Told that a task was cancelled that nobody executed. */
  async cancelled(task: Task, tenant: string): Promise<void> {
    await this.begunWith(task)?.lasting.cancelled({ tenant, id: task.id });
  }

  /** The skill of a task, where it goes on with its tasks by itself. */
  private begunWith(task: Task): (Skill & { lasting: LastingSkill }) | undefined {
    const skill = this.parts.skills.get(beginOf(task)?.name ?? '');
    return skill?.lasting && { ...skill, lasting: skill.lasting };
  }

  private async entered(bus: ExecutionEventBus, run: Run): Promise<void> {
    const controller = new AbortController();
    if (this.closed) controller.abort(draining());
    const entry = { bus, controller, done: this.run(run, bus, controller.signal) };
    this.running.add(entry);
    await entry.done;
    this.running.delete(entry);
  }

  private async run(run: Run, bus: ExecutionEventBus, stop: AbortSignal) {
    const { ids, principal, message, task, skill, mostMs = Number.POSITIVE_INFINITY, work } = run;
    bus.publish(this.events.status(ids, TaskState.TASK_STATE_WORKING));
    const timeout = new AbortController();
    const timeoutMs = Math.min(this.parts.timeoutMs, mostMs);
    const timer = skill.endsItself ? undefined : setTimeout(() => timeout.abort(timedOut(timeoutMs)), timeoutMs);
    const signal = AbortSignal.any([stop, timeout.signal]);
    const key = { tenant: principal.tenant, id: ids.taskId };
    const call: SkillCall = {
      ...ids,
      ...{ principal, signal, message },
      traceId: traceId(),
      ...(task && { task }),
      kept: async (beside) => this.parts.kept?.(key, beside),
      alongside: (beside) => this.parts.alongside?.(key, beside),
      ...this.reports(ids, bus, signal),
    };
    const outcome = await this.outcome(() => work(call), signal);
    clearTimeout(timer);
    // A task that was cancelled has its last event already; of one that another replica takes up there is nothing to say.
    if (stop.reason === cancelled || !outcome) return;
    for (const artifact of outcome.artifacts) bus.publish(this.events.artifact(ids, artifact));
    bus.publish(this.events.ended(ids, outcome));
  }

  /** Stops the skill, whatever it has done so far stays, and says that the task is cancelled. */
  async cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
    for (const each of this.running) if (each.bus === bus) each.controller.abort(cancelled);
    const ids: TaskIds = { taskId, contextId: this.contexts.get(bus) ?? '' };
    bus.publish(this.events.status(ids, TaskState.TASK_STATE_CANCELED));
  }

  /** Stops what runs, waits until each task has failed with the reason, and lets go. */
  async close(): Promise<void> {
    this.closed = true;
    const all = [...this.running];
    for (const { controller } of all) controller.abort(draining());
    await Promise.all(all.map(({ done }) => done));
  }

  private async outcome(
    run: () => Promise<SkillOutcome | undefined>,
    signal: AbortSignal,
  ): Promise<SkillOutcome | undefined> {
    try {
      const outcome = await run();
      if (outcome) this.requireWithinLimit(outcome.artifacts.map(({ data }) => data));
      return outcome;
    } catch (thrown) {
      // A skill that was told to stop may throw anything; the reason to stop says more.
      const told = signal.aborted && !(thrown instanceof ConcordError);
      const error = asConcordError(told ? signal.reason : thrown);
      // Who cancels it is told so, and nothing has failed.
      const isFault = error.code === ErrorCode.InternalError && signal.reason !== cancelled;
      if (isFault && error.cause) {
        this.parts.logger.error({ err: error.cause }, 'a skill failed');
      }
      const { code, message, data } = error;
      const refused = code === ErrorCode.InvalidParams || code === ErrorCode.AlignmentViolation;
      return {
        state: refused ? 'rejected' : 'failed',
        artifacts: [],
        text: message,
        data: { error: { code, message, data } },
      };
    }
  }

  /** How a skill reports while it runs; once it is told to stop, nothing that it says comes after the last event. */
  private reports(ids: TaskIds, bus: ExecutionEventBus, signal: AbortSignal): Pick<SkillCall, 'tell' | 'publish'> {
    const { events } = this;
    return {
      tell: (text, data) => {
        if (signal.aborted) return;
        bus.publish(events.status(ids, TaskState.TASK_STATE_WORKING, events.message(ids, text, data)));
      },
      publish: (artifact) => {
        if (signal.aborted) return;
        // What is made of parts has a limit of its own.
        if ('data' in artifact) this.requireWithinLimit([artifact.data]);
        bus.publish(events.part(ids, artifact));
      },
    };
  }

  /** @throws ConcordError `artifact-too-large` */
  private requireWithinLimit(artifacts: DataArtifact['data'][]): void {
    const limit = this.parts.maxArtifactBytes;
    const found = artifacts.reduce((sum: number, data) => sum + Buffer.byteLength(JSON.stringify(data)), 0);
    if (found <= limit) return;
    throw refuse('artifact-too-large', `The artifacts are longer than the limit of ${limit} bytes; ask for less`, {
      limit,
      found,
    });
  }

  /** Tells what there is: by a message; where there is a task already, or must be one, by its status. */
  private explain(request: RequestContext, bus: ExecutionEventBus): void {
    const { taskId, contextId, task, context } = request;
    const skills = [...this.parts.skills].map(([id, { summary, example }]) => ({ id, summary, example }));
    const structured = skills.map(({ id }) => id).join(', ');
    const plain = this.parts.skills.has('ask')
      ? 'A message of text alone is a question.'
      : 'Natural language is not understood here: INTROSPECTION is off, and how a question is read would tell the schema.';
    const text = `Send a data part whose "skill" is one of ${structured}; the examples show the other fields. ${plain}`;
    if (task || stateIn(context).dialect !== undefined) {
      bus.publish(this.events.begun(request));
      bus.publish(this.events.ended({ taskId, contextId }, { state: 'input-required', text, data: { skills } }));
      return;
    }
    bus.publish(AgentEvent.message(this.events.message({ taskId: '', contextId }, text, { skills })));
  }
}

const cancelled = new Error('The task was cancelled');

function draining(): ConcordError {
  return refuse('draining', 'Concord is shutting down; send the message again');
}

function timedOut(limit: number): ConcordError {
  return refuse(
    'timeout',
    `The task took longer than the limit of ${limit} ms`,
    { limit },
    { code: ErrorCode.UnsupportedOperation },
  );
}
