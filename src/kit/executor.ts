import { randomUUID } from 'node:crypto';
import { type Message, type Part, Role, TaskState } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutionEvent,
  type AgentExecutor,
  type ExecutionEventBus,
  type RequestContext,
} from '@a2a-js/sdk/server';
import { isObject } from '../base/isObject.ts';
import type { ConcordClient } from '../client/client.ts';
import { TaskEvents, type TaskIds } from '../skills/events.ts';
import type { SkillOutcome } from '../skills/skill.ts';
import { type AgentSkill, Question, type SkillAnswer, SkillError } from './skill.ts';
import type { RecentTasks } from './taskStore.ts';

export interface ExecutorParts {
  skills: AgentSkill[];
  concord?: ConcordClient;
  tasks: Pick<RecentTasks, 'contextOf' | 'bytesOf'>;
  /** How long a skill may run. */
  timeoutMs: number;
  /** Skills that run at a time. */
  mostRunning: number;
  /** Told of what a skill throws that is no SkillError. */
  onError(error: unknown, skill: string): void;
}

interface Running {
  /** Of its task: several messages to one share it. */
  bus: ExecutionEventBus;
  controller: AbortController;
  done: Promise<void>;
}

const events = new TaskEvents({ uuid: randomUUID, now: Date.now });
const cancelled = new Error('The task was cancelled');
/** Bytes of a task: of its messages, and of its answer. */
const longestTask = 8 * 1024 * 1024;
/** What a skill tells of one message; more of it is not told. */
const longestTold = 256 * 1024;

/** Runs the skill that a message asks for; of an agent with one skill that is always it. */
export class KitExecutor implements AgentExecutor {
  private readonly running = new Set<Running>();

  constructor(private readonly parts: ExecutorParts) {}

  async execute(request: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const controller = new AbortController();
    const running = { bus, controller, done: this.run(request, bus, controller.signal) };
    this.running.add(running);
    await running.done;
    this.running.delete(running);
  }

  async cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
    for (const each of this.running) if (each.bus === bus) each.controller.abort(cancelled);
    const contextId = this.parts.tasks.contextOf(taskId) ?? '';
    bus.publish(events.status({ taskId, contextId }, TaskState.TASK_STATE_CANCELED));
  }

  /** Tells all skills that run to stop, and waits until they have. */
  async close(): Promise<void> {
    const all = [...this.running];
    for (const { controller } of all) controller.abort(new SkillError('The agent is shutting down; send it again'));
    await Promise.all(all.map(({ done }) => done));
  }

  private async run(request: RequestContext, bus: ExecutionEventBus, stop: AbortSignal): Promise<void> {
    const { timeoutMs } = this.parts;
    const ids = { taskId: request.taskId, contextId: request.contextId };
    const end = (state: SkillOutcome['state'], text: string) => bus.publish(events.ended(ids, { state, text }));
    bus.publish(events.begun(request));
    if (this.running.size >= this.parts.mostRunning) return bus.publish(events.ended(ids, busy));
    if (this.parts.tasks.bytesOf(ids.taskId) > longestTask) return end('failed', tooLong);
    const skill = skillOf(request, this.parts.skills);
    if (!skill) return end('input-required', askForSkill(this.parts.skills));
    bus.publish(events.status(ids, TaskState.TASK_STATE_WORKING));
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new SkillError(`It took longer than ${timeoutMs} ms`)), timeoutMs);
    const signal = AbortSignal.any([stop, late.signal]);
    try {
      const answer = await untilStopped(this.answer(skill, request, bus, signal), signal);
      if (answer instanceof Question) return end('input-required', answer.text);
      if (Buffer.byteLength(JSON.stringify(answer) ?? '') > longestTask) throw new SkillError(tooLongAnswer);
      bus.publish(artifactOf(ids, answer));
      bus.publish(events.status(ids, TaskState.TASK_STATE_COMPLETED));
    } catch (error) {
      // Who has cancelled it is told so already.
      if (stop.reason !== cancelled) end('failed', this.told(error, skill.id));
    } finally {
      clearTimeout(timer);
    }
  }

  private async answer(
    skill: AgentSkill,
    request: RequestContext,
    bus: ExecutionEventBus,
    signal: AbortSignal,
  ): Promise<SkillAnswer> {
    const { concord } = this.parts;
    const { userMessage: message, task, taskId, contextId } = request;
    let told = 0;
    return skill.run({
      ...inputOf(message),
      message,
      history: task?.history.filter(({ messageId }) => messageId !== message.messageId) ?? [],
      taskId,
      contextId,
      signal,
      ...(concord && { concord }),
      tell: (text) => {
        told += Buffer.byteLength(text);
        if (signal.aborted || told > longestTold) return;
        const ids = { taskId, contextId };
        bus.publish(events.status(ids, TaskState.TASK_STATE_WORKING, events.message(ids, text)));
      },
    });
  }

  /** What the caller may know: a stranger is not told what is inside of this process. */
  private told(error: unknown, skill: string): string {
    if (error instanceof SkillError) return error.message;
    this.parts.onError(error, skill);
    return `The skill ${skill} failed`;
  }
}

const tooLong = `The task is longer than ${longestTask} bytes; begin another`;
const tooLongAnswer = `The answer is longer than ${longestTask} bytes`;
const busy = {
  state: 'failed' as const,
  text: 'The agent has as much to do as it may; send it again later',
  data: { error: { data: { reason: 'busy', retryable: true } } },
};

/** A skill that doesn't heed its signal is no longer waited for. */
function untilStopped<Answer>(answer: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function skillOf({ userMessage, request, task }: RequestContext, skills: AgentSkill[]): AgentSkill | undefined {
  if (skills.length === 1) return skills[0];
  const asked = [userMessage, ...(task?.history.filter(({ role }) => role === Role.ROLE_USER).reverse() ?? [])];
  const named = asked.map((message) => dataOf(message)?.skill ?? message.metadata?.skill);
  const id = [...named, request.metadata?.skill].find((each) => typeof each === 'string');
  return skills.find((each) => each.id === id);
}

const askForSkill = (skills: AgentSkill[]) =>
  `Send a data part whose "skill" is one of ${skills.map(({ id }) => id).join(', ')}.`;

function inputOf(message: Message): { text: string; data: Record<string, unknown> } {
  const { skill: _, ...data } = dataOf(message) ?? {};
  const texts = message.parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []));
  return { text: texts.join('\n'), data };
}

const dataOf = ({ parts }: Message) =>
  parts.flatMap(({ content }) => (content?.$case === 'data' && isObject(content.value) ? [content.value] : []))[0];

function artifactOf(ids: TaskIds, answer: string | object): AgentExecutionEvent {
  const artifact = { artifactId: randomUUID(), name: '', description: '', parts: [partOf(answer)] };
  const whole = { ...artifact, metadata: undefined, extensions: [] };
  return AgentEvent.artifactUpdate({ ...ids, artifact: whole, append: false, lastChunk: true, metadata: undefined });
}

function partOf(value: string | object): Part {
  const content: Part['content'] = typeof value === 'string' ? { $case: 'text', value } : { $case: 'data', value };
  const mediaType = typeof value === 'string' ? 'text/plain' : 'application/json';
  return { content, metadata: undefined, filename: '', mediaType };
}
