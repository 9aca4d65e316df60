import { TaskState } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutor, type ExecutionEventBus, type RequestContext } from '@a2a-js/sdk/server';
import { ConcordError, ErrorCode } from '../base/errors.ts';
import { isObject } from '../base/isObject.ts';
import { refuse } from '../base/reasons.ts';
import { principalIn, stateIn } from '../calls/callState.ts';
import { asConcordError } from '../calls/faults.ts';
import type { Logger } from '../telemetry/logger.ts';
import { traceId } from '../telemetry/tracing.ts';
import { type EventParts, TaskEvents, type TaskIds } from './events.ts';
import type { DataArtifact, Skill, SkillCall, SkillOutcome, Skills } from './skill.ts';

export interface SkillExecutorParts extends EventParts {
  skills: Skills;
  /** How long a task may run before it fails. */
  timeoutMs: number;
  /** The bytes that the artifacts of one message may have, as JSON in UTF-8. */
  maxArtifactBytes: number;
  logger: Logger;
}

interface Running {
  /** Of its task: another tenant's may have the same id. */
  bus: ExecutionEventBus;
  controller: AbortController;
  done: Promise<void>;
}

/** Which skill a message asks for, with its input. */
interface Assignment {
  name: string;
  input: Record<string, unknown>;
}

/** Runs the skill that a message asks for. A message that asks for none is answered with what there is. */
export class SkillExecutor implements AgentExecutor {
  private readonly events: TaskEvents;
  private readonly running = new Set<Running>();
  /** The contexts of tasks, which the SDK doesn't tell when it cancels one. */
  private readonly contexts = new WeakMap<ExecutionEventBus, string>();

  constructor(private readonly parts: SkillExecutorParts) {
    this.events = new TaskEvents(parts);
  }

  /**
   * Publishes what becomes of the task; it does not throw, since the SDK would show the error to the caller as it is.
   */
  async execute(request: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const asked = askedIn(request) ?? questionIn(request);
    const skill = asked && this.parts.skills.get(asked.name);
    this.contexts.set(bus, request.contextId);
    if (!asked || !skill) return this.explain(request, bus);
    const controller = new AbortController();
    const entry = { bus, controller, done: this.run(skill, asked.input, request, bus, controller.signal) };
    this.running.add(entry);
    await entry.done;
    this.running.delete(entry);
  }

  private async run(
    skill: Skill,
    input: Record<string, unknown>,
    request: RequestContext,
    bus: ExecutionEventBus,
    stop: AbortSignal,
  ): Promise<void> {
    const { taskId, contextId, task } = request;
    const ids = { taskId, contextId };
    bus.publish(this.events.begun(request));
    bus.publish(this.events.status(ids, TaskState.TASK_STATE_WORKING));
    const timeout = new AbortController();
    const { timeoutMs } = this.parts;
    const timer = skill.endsItself ? undefined : setTimeout(() => timeout.abort(timedOut(timeoutMs)), timeoutMs);
    const signal = AbortSignal.any([stop, timeout.signal]);
    const call = {
      ...ids,
      principal: principalIn(request.context),
      signal,
      traceId: traceId(),
      ...this.reports(ids, bus, signal),
    };
    const outcome = await this.outcome(() => skill.run(input, { ...call, ...(task && { task }) }), signal);
    clearTimeout(timer);
    // A task that was cancelled has its last event already.
    if (stop.reason === cancelled) return;
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
    const all = [...this.running];
    for (const { controller } of all) controller.abort(draining());
    await Promise.all(all.map(({ done }) => done));
  }

  private async outcome(run: () => Promise<SkillOutcome>, signal: AbortSignal): Promise<SkillOutcome> {
    try {
      const outcome = await run();
      this.requireWithinLimit(outcome.artifacts);
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
        this.requireWithinLimit([artifact]);
        bus.publish(events.part(ids, artifact));
      },
    };
  }

  /** @throws ConcordError `artifact-too-large` */
  private requireWithinLimit(artifacts: DataArtifact[]): void {
    const limit = this.parts.maxArtifactBytes;
    const found = artifacts.reduce((sum, { data }) => sum + Buffer.byteLength(JSON.stringify(data)), 0);
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
      : 'Natural language is not understood here: for that, its operator sets MODEL_URL and MODEL_NAME.';
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

/** The first data part with a `skill`, else the message's metadata with the first data part for an input. */
function askedIn({ userMessage, request }: RequestContext): Assignment | undefined {
  const data = userMessage.parts.flatMap(({ content }) =>
    content?.$case === 'data' && isObject(content.value) ? [content.value] : [],
  );
  const own = data.find((each) => typeof each.skill === 'string');
  if (own) {
    const { skill, ...input } = own;
    return { name: skill as string, input };
  }
  const named: unknown = userMessage.metadata?.skill ?? request.metadata?.skill;
  return typeof named === 'string' ? { name: named, input: data[0] ?? {} } : undefined;
}

/** A message of plain text asks, where there is somebody to ask. */
function questionIn({ userMessage: { parts } }: RequestContext): Assignment | undefined {
  const question = parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('\n');
  return question.trim() === '' ? undefined : { name: 'ask', input: { question } };
}
