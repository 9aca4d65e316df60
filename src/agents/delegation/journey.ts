import { setTimeout as sleep } from 'node:timers/promises';
import { type Message, Part } from '@a2a-js/sdk';
import { ConcordError } from '../../base/errors.ts';
import { withDeadline } from '../../base/withDeadline.ts';
import type { SkillCall, SkillOutcome } from '../../skills/skill.ts';
import type { TaskKey } from '../../tasks/nodes/taskNodes.ts';
import type { RegisteredAgentWithCard } from '../../wire/agents.ts';
import { Following } from './following.ts';
import { type DelegatedTask, type JourneyParts, reach } from './journeyParts.ts';
import type { Delegation } from './nodes/delegations.ts';
import { isDraining, isWorthRepeating, outcomeOf, tooLate, unknownOutcome } from './outcome.ts';
import { type Asked, outgoing } from './outgoing.ts';
import { proposedOrWaiting } from './proposing.ts';
import type { Outgoing, RemoteAgent, RemoteReport } from './protocols/remoteAgent.ts';

/** What is sent next: a message; or a question after one that was sent already. */
type Step = { kind: 'send'; message: Outgoing } | { kind: 'ask'; taskId: string };

/** The first wait before a further attempt. */
const retryMs = 1_000;
const longestRetryMs = 60_000;
/** How long it is held back which task the agent has begun, where the agent can be asked for it by the message. */
const holdMs = 100;

/** One run of a delegation: from a message to where the agent's task rests, over all attempts. */
export class Journey {
  private readonly key: TaskKey;
  private readonly stop: AbortSignal;
  private readonly late: AbortSignal;
  private readonly timer: NodeJS.Timeout;
  private agent: { id: string; remote: RemoteAgent } | undefined;
  private remoteTaskId: string | undefined;
  /** The message that was sent last. */
  private sent: Outgoing | undefined;
  private messageId = '';
  private attempt = 1;

  /** Its time begins. */
  constructor(
    private readonly parts: JourneyParts,
    private readonly call: SkillCall,
    private readonly asked: Asked,
  ) {
    this.key = { tenant: call.principal.tenant, id: call.taskId };
    const { deadline } = asked.request;
    const left =
      deadline === undefined ? parts.timeoutMs : Math.min(Date.parse(deadline) - parts.now(), parts.timeoutMs);
    const late = new AbortController();
    this.timer = setTimeout(() => late.abort(tooLate(deadline)), left);
    if (left <= 0) late.abort(tooLate(deadline));
    this.late = late.signal;
    this.stop = AbortSignal.any([call.signal, late.signal]);
  }

  /** Sends the task to an agent for the first time. */
  begin(agent: RegisteredAgentWithCard): Promise<SkillOutcome | undefined> {
    return this.bounded(async () => {
      const { parts, call, key } = this;
      this.stop.throwIfAborted();
      const { deadline, priority } = this.asked.request;
      this.agent = { id: agent.id, remote: await parts.connect(this.ownKey, agent) };
      const message = this.outgoing(parts.uuid(), call.message);
      const sent = { agentId: agent.id, messageId: message.messageId, passesOn: call.message.messageId };
      const begun = parts.delegations.begin(key, call.principal.agentId ?? '', sent, {
        ...(deadline !== undefined && { deadline: Date.parse(deadline) }),
        ...(priority !== undefined && { priority }),
      });
      await call.kept(begun);
      return this.attempts(async () => ({ kind: 'send', message }));
    });
  }

  /** Passes a further message on to the agent, whose task waits for it. */
  answer(delegation: Delegation): Promise<SkillOutcome | undefined> {
    return this.bounded(async () => {
      const { parts, call, key } = this;
      await this.rejoin(delegation);
      const message = this.outgoing(parts.uuid(), call.message, delegation);
      const { messageId: passesOn } = call.message;
      await call.kept(parts.delegations.answering(key, { messageId: message.messageId, passesOn }));
      return this.attempts(async () => ({ kind: 'send', message }));
    });
  }

  /** Goes on where another replica has stopped: asks the agent first, and sends only what it doesn't have. */
  takeUp(delegation: Delegation): Promise<SkillOutcome | undefined> {
    return this.bounded(async () => {
      await this.rejoin(delegation);
      return this.attempts(() => this.whereItStands(delegation));
    });
  }

  private async rejoin({ agentId, remoteTaskId, attempt, messageId }: Delegation): Promise<void> {
    const remote = await reach(this.parts, this.ownKey, agentId);
    this.agent = { id: agentId, remote };
    this.attempt = attempt;
    this.remoteTaskId = remoteTaskId;
    this.messageId = messageId;
    this.stop.throwIfAborted();
  }

  private async whereItStands(delegation: Delegation): Promise<Step> {
    const { remoteTaskId: taskId, state, passesOn, messageId } = delegation;
    const { remote } = this.joined();
    const { task, message: last } = this.call;
    const passed = task?.history.find((each) => each.messageId === passesOn) ?? last;
    const message = this.outgoing(messageId, passed, delegation);
    if (taskId !== undefined) {
      if (state !== 'sending') return { kind: 'ask', taskId };
      return this.afterAnswer(taskId, message);
    }
    if (!remote.find) throw unknownOutcome();
    let found: RemoteReport | undefined;
    try {
      found = await remote.find(message, this.stop);
    } catch (cause) {
      this.stop.throwIfAborted();
      throw unknownOutcome(cause);
    }
    if (found?.taskId === undefined) return { kind: 'send', message };
    return this.joinedTask(found.taskId, found.conversation);
  }

  /** Whether an answer came shows in the task, which waited for it. */
  private async afterAnswer(taskId: string, message: Outgoing): Promise<Step> {
    const found = await this.joined().remote.get?.(taskId, this.stop);
    return found?.status?.state === 'input-required' ? { kind: 'send', message } : { kind: 'ask', taskId };
  }

  private async joinedTask(taskId: string, conversation: string | undefined): Promise<Step> {
    await this.call.kept(this.parts.delegations.following(this.key, taskId, conversation));
    this.remoteTaskId = taskId;
    return { kind: 'ask', taskId };
  }

  /** Tries as often as it was wished. */
  private async attempts(first: () => Promise<Step>): Promise<SkillOutcome> {
    const { max = 0, backoff = 'exponential' } = this.asked.request.retry ?? {};
    for (let next = first; ; this.attempt += 1) {
      try {
        return await this.followed(await next());
      } catch (error) {
        this.stop.throwIfAborted();
        if (!isWorthRepeating(error) || this.attempt > max) throw error;
        const times = backoff === 'linear' ? this.attempt : 2 ** (this.attempt - 1);
        const waitMs = Math.min(longestRetryMs, retryMs * times);
        this.tell(`${error.message}. It is tried again in ${waitMs} ms`, { reason: error.data.reason });
        await sleep(waitMs, undefined, { signal: this.stop }).catch(() => this.stop.throwIfAborted());
        next = () => this.again(error);
      }
    }
  }

  /** The first message once more, for a task of its own; unless the one before has come after all. */
  private async again(after: ConcordError): Promise<Step> {
    const { parts, call, key, sent, stop } = this;
    if (after.data.reason === 'agent-unreachable' && sent) {
      if (sent.taskId !== undefined) return this.afterAnswer(sent.taskId, sent);
      const found = await this.joined()
        .remote.find?.(sent, stop)
        .catch(() => undefined);
      if (found?.taskId !== undefined) return this.joinedTask(found.taskId, found.conversation);
    }
    const [first = call.message] = call.task?.history ?? [];
    const message = this.outgoing(parts.uuid(), first);
    this.remoteTaskId = undefined;
    await call.kept(parts.delegations.sendingAgain(key, message.messageId, this.attempt));
    return { kind: 'send', message };
  }

  private async followed(step: Step): Promise<SkillOutcome> {
    const { parts, call, key, stop: signal } = this;
    const { id: agentId, remote } = this.joined();
    const taskId = step.kind === 'ask' ? step.taskId : step.message.taskId;
    this.sent = step.kind === 'send' ? step.message : this.sent;
    this.messageId = this.sent?.messageId ?? this.messageId;
    let later: NodeJS.Timeout | undefined;
    const following = new Following({
      ...{ remote, signal, answerMs: parts.answerMs, maxArtifactBytes: parts.maxArtifactBytes },
      ...(taskId !== undefined && { taskId }),
      begun: (id, conversation) => {
        this.remoteTaskId = id;
        // Of what the agent says meanwhile nothing is lost: it can be asked. One that ends at once needs no transaction.
        call.alongside(parts.delegations.following(key, id, conversation));
        later = setTimeout(() => call.kept().catch(() => {}), remote.find ? holdMs : 0);
      },
      publish: (artifact) => call.publish(artifact),
      tell: ({ text, data }) => this.tell(text, data.length > 0 ? { said: data } : {}),
    });
    const status = await (step.kind === 'send' ? following.send(step.message) : following.goOn()).finally(() =>
      clearTimeout(later),
    );
    // So that an answer is passed on; a task that has ended takes none.
    if (status.state === 'input-required') call.alongside(parts.delegations.resting(key));
    const outcome = outcomeOf(status, { ...this.about(), agent: agentId });
    if (outcome.state !== 'completed' || this.asked.request.then !== 'propose') return outcome;
    return this.proposed(following.answer, this.messageId, outcome);
  }

  /** Proposes what the agent has answered before, where the task waited for who may. */
  propose(delegation: Delegation): Promise<SkillOutcome | undefined> {
    return this.bounded(async () => {
      const { agentId, messageId, remoteTaskId } = delegation;
      this.agent = { id: agentId, remote: await reach(this.parts, this.ownKey, agentId) };
      this.remoteTaskId = remoteTaskId;
      const parts = this.call.task?.artifacts.flatMap((artifact) => artifact.parts.map((part) => Part.toJSON(part)));
      const data = { delegation: { ...this.about(), agent: agentId } };
      const nothing = { state: 'completed' as const, artifacts: [], text: `Done by ${agentId}`, data };
      return this.proposed(parts ?? [], messageId, nothing);
    });
  }

  private proposed(parts: unknown[], messageId: string, done: SkillOutcome): Promise<SkillOutcome> {
    const { remoteTaskId } = this;
    const agentId = this.joined().id;
    const answered = { agentId, messageId, parts, ...(remoteTaskId !== undefined && { remoteTaskId }) };
    return proposedOrWaiting(this.parts, answered, done, this.call);
  }

  private outgoing(messageId: string, given: Message, to?: Delegation): Outgoing {
    return outgoing(messageId, this.asked, this.joined().id, given, to);
  }

  /** Runs what is done here, and lets the agent know where it is not to go on. */
  private async bounded(work: () => Promise<SkillOutcome>): Promise<SkillOutcome | undefined> {
    const { call, late, parts } = this;
    try {
      return await work();
    } catch (error) {
      if (isDraining(call.signal.reason)) {
        await call.kept();
        await parts.delegations.leave(this.key);
        return undefined;
      }
      const { reason } = error instanceof ConcordError ? error.data : {};
      // Of an agent that is gone, or has ended, there is nothing to stop.
      if (call.signal.aborted || late.aborted || reason === 'agent-answer' || reason === 'artifact-too-large') {
        this.cancel();
      }
      throw late.aborted && !call.signal.aborted ? late.reason : error;
    } finally {
      clearTimeout(this.timer);
    }
  }

  /** Nobody waits for what the agent says to it. */
  private cancel(): void {
    const { parts, agent } = this;
    if (!agent) return;
    const nobody = new AbortController().signal;
    withDeadline(parts.answerMs, nobody, (signal) => this.cancelAt(agent.remote, signal)).catch((err: unknown) => {
      const { reason } = err instanceof ConcordError ? err.data : {};
      parts.logger.debug({ reason }, 'an agent does not hear that its task is cancelled');
    });
  }

  /** Of a message that was not answered yet, the task is looked for. */
  private async cancelAt(remote: RemoteAgent, signal: AbortSignal): Promise<void> {
    const { sent } = this;
    const id = this.remoteTaskId ?? (sent && (await remote.find?.(sent, signal))?.taskId);
    if (id !== undefined) await remote.cancel?.(id, signal);
  }

  private tell(text: string, data: object): void {
    this.call.tell(text, { delegation: { ...this.about(), ...data } });
  }

  private about() {
    const { agent, attempt, remoteTaskId: task } = this;
    return { agent: agent?.id, attempt, ...(task !== undefined && { task }) };
  }

  private get ownKey(): DelegatedTask {
    return { ...this.key, owner: this.call.principal.agentId ?? '' };
  }

  private joined() {
    if (!this.agent) throw new Error('No agent was joined');
    return this.agent;
  }
}
