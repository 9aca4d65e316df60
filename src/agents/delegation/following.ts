import { setTimeout as sleep } from 'node:timers/promises';
import { Part } from '@a2a-js/sdk';
import { ConcordError } from '../../base/errors.ts';
import { orAborted } from '../../base/orAborted.ts';
import { refuse } from '../../base/reasons.ts';
import type { GrowingParts } from '../../skills/skill.ts';
import { brokenAnswer, unreachable } from './protocols/failures.ts';
import type { Outgoing, RemoteAgent, RemoteArtifact, RemoteReport, RemoteStatus } from './protocols/remoteAgent.ts';

export interface FollowingParts {
  remote: RemoteAgent;
  signal: AbortSignal;
  /** The agent's task, where it is known already. */
  taskId?: string;
  /** Milliseconds in which a stream says something, or is asked about; and in which an agent that is away comes back. */
  answerMs: number;
  /** Bytes of all artifacts, as JSON in UTF-8. */
  maxArtifactBytes: number;
  /** Told which task the agent has, before anything else is made of what it says. */
  begun(taskId: string, conversation: string | undefined): void;
  publish(artifact: GrowingParts): void;
  tell(status: RemoteStatus): void;
}

const poll = { firstMs: 20, longestMs: 5_000, factor: 1.5 };
const most = { artifacts: 100, reports: 10_000 };

/** An agent's task, from a message to where it rests. One for each message. */
export class Following {
  private taskId: string | undefined;
  private rest: RemoteStatus | undefined;
  private reports = 0;
  private said: string | undefined;
  /** Of what was told of how far it is. */
  private toldBytes = 0;
  private bytes = 0;
  /** Parts as JSON, by the artifact. */
  private readonly artifacts = new Map<string, { parts: string[]; bytes: number }>();

  constructor(private readonly parts: FollowingParts) {
    this.taskId = parts.taskId;
  }

  /** The parts of all artifacts so far, as A2A 1.0 writes them in JSON. */
  get answer(): unknown[] {
    return [...this.artifacts.values()].flatMap(({ parts }) => parts.map((part) => JSON.parse(part)));
  }

  /** Sends a message, and follows its task until it rests. @throws ConcordError, the reason of the signal */
  async send(message: Outgoing): Promise<RemoteStatus> {
    const { remote } = this.parts;
    await this.hear((signal) => remote.send(message, signal));
    return this.rest ?? this.goOn();
  }

  /** Follows a task that the agent has, until it rests. @throws ConcordError, the reason of the signal */
  async goOn(): Promise<RemoteStatus> {
    const { remote, signal, answerMs } = this.parts;
    if (this.taskId === undefined) throw brokenAnswer('it ends without a task and without an answer');
    if (!remote.get) throw brokenAnswer('it ends before the task does');
    let awaySince: number | undefined;
    for (let waitMs = poll.firstMs; ; waitMs = Math.min(poll.longestMs, waitMs * poll.factor)) {
      try {
        const found = await remote.get(this.taskId, signal);
        if (!found) throw refuse('agent-lost', 'The agent has taken the task and does not know it any more');
        awaySince = undefined;
        this.heard(found);
        const { follow } = remote;
        const { taskId } = this;
        if (!this.rest && follow) await this.hear((until) => follow(taskId, until));
      } catch (error) {
        signal.throwIfAborted();
        if (!isPassing(error)) throw error;
        awaySince ??= performance.now();
        if (performance.now() - awaySince > answerMs) throw lost(error);
      }
      if (this.rest) return this.rest;
      await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  /** Takes what the agent says. */
  private heard({ taskId, conversation, artifacts, status }: RemoteReport): void {
    this.reports += 1;
    if (this.reports > most.reports) throw brokenAnswer(`it says more than ${most.reports} things of one task`);
    if (taskId !== undefined && taskId !== this.taskId) {
      if (this.taskId !== undefined) throw brokenAnswer('it is of another task than the one that was asked for');
      this.taskId = taskId;
      this.parts.begun(taskId, conversation);
    }
    for (const artifact of artifacts) this.take(artifact);
    if (!status) return;
    if (status.state !== 'working') this.rest = status;
    else if (status.text !== '' && status.text !== this.said) {
      this.said = status.text;
      this.toldBytes += Buffer.byteLength(JSON.stringify([status.text, status.data]));
      const { maxArtifactBytes: limit } = this.parts;
      if (this.toldBytes > limit) throw brokenAnswer(`it says more than ${limit} bytes of how far it is`);
      this.parts.tell(status);
    }
  }

  /**
   * Hears a stream to where the task rests, or as far as it goes. One that breaks off once the task is known is no
   * failure: the agent can be asked.
   */
  private async hear(open: (signal: AbortSignal) => AsyncIterable<RemoteReport>): Promise<void> {
    const { signal, remote } = this.parts;
    const left = new AbortController();
    const reports = open(AbortSignal.any([signal, left.signal]))[Symbol.asyncIterator]();
    try {
      while (!this.rest) {
        const step = await this.inTime(reports.next());
        if (step.done) return;
        this.heard(step.value);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (this.taskId === undefined || !remote.get || !isPassing(error)) throw error;
    } finally {
      // Ends the connection, also while it is stuck.
      left.abort();
      reports.return?.().catch(() => {});
    }
  }

  /** Of an agent that says nothing nobody knows whether it is there. */
  private async inTime<T>(step: Promise<T>): Promise<T> {
    const { answerMs, remote, signal } = this.parts;
    // Where it can't be asked, waiting is all that there is.
    if (!remote.get) return orAborted(step, signal);
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(unreachable(`The agent said nothing in ${answerMs} ms`)), answerMs);
    try {
      return await orAborted(step, AbortSignal.any([signal, silence.signal]));
    } finally {
      clearTimeout(timer);
    }
  }

  private take({ id, append, parts, name, description }: RemoteArtifact): void {
    const before = this.artifacts.get(id);
    const texts = parts.map((part) => JSON.stringify(Part.toJSON(part)));
    if (!append && before && isSame(before.parts, texts)) return;
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    this.bytes += bytes;
    if (append && before) {
      // In place: what has come is not gone through again with every part.
      for (const text of texts) before.parts.push(text);
      before.bytes += bytes;
    } else {
      this.bytes -= before?.bytes ?? 0;
      this.artifacts.set(id, { parts: texts, bytes });
    }
    if (this.artifacts.size > most.artifacts) throw brokenAnswer(`the task has more than ${most.artifacts} artifacts`);
    const { maxArtifactBytes: limit } = this.parts;
    if (this.bytes > limit) {
      const message = `The artifacts of the agent are longer than the limit of ${limit} bytes; ask for less`;
      throw refuse('artifact-too-large', message, { limit, found: this.bytes });
    }
    this.parts.publish({ id, name, description, parts, append: append && before !== undefined });
  }
}

const isSame = (one: string[], other: string[]) =>
  one.length === other.length && one.every((text, at) => text === other[at]);

const isPassing = (error: unknown) => error instanceof ConcordError && error.data.reason === 'agent-unreachable';

function lost(cause: unknown): ConcordError {
  return refuse('agent-lost', 'The agent has taken the task and does not answer any more', {}, { cause });
}
