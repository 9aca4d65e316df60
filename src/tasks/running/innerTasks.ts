import type { Message, Task } from '@a2a-js/sdk';
import { type AgentExecutionEvent, type AgentExecutor, RequestContext, ServerCallContext } from '@a2a-js/sdk/server';
import { PrincipalUser, stateMap } from '../../calls/callState.ts';
import type { Queryable } from '../../graph/database/queryable.ts';
import type { Principal } from '../../security/principal.ts';
import type { TaskKey } from '../nodes/taskNodes.ts';
import type { Claims } from '../store/claims.ts';
import type { TaskDraft } from '../store/draft.ts';
import type { GraphTaskStore } from '../store/graphTaskStore.ts';
import type { LiveTasks } from '../store/liveTasks.ts';
import { execution } from './execution.ts';

export interface InnerTasksParts {
  live: LiveTasks;
  claims: Claims;
  store: GraphTaskStore;
  executor(): Pick<AgentExecutor, 'execute'> & { cancel(key: TaskKey): Promise<unknown> };
  /** Told of each event once it is taken to be written with the task, and of what is written then. */
  written(draft: TaskDraft, task: Task, event: AgentExecutionEvent): void;
  settled(key: TaskKey): void;
  onError(error: unknown): void;
}

/** What a task is begun with, or goes on with. */
export interface InnerMessage {
  /** Who asks: what it may do now is what the task may. */
  principal: Principal;
  message: Message;
  /** Milliseconds that it may take, where that is less than every task may. */
  timeoutMs?: number;
}

/**
 * Tasks that Concord's own code begins for a caller: they are executed, kept, followed, cancelled and taken up as those
 * of calls are, and no call waits for them.
 */
export class InnerTasks {
  constructor(private readonly parts: InnerTasksParts) {}

  /**
   * Takes the ids of tasks that are to be begun.
   * @param also what is written in the same transaction
   * @returns those that were to be had: of several who want one id, one gets it
   */
  claim(
    keys: readonly TaskKey[],
    owner: string,
    also: (tx: Queryable, claimed: TaskKey[]) => Promise<void>,
  ): Promise<TaskKey[]> {
    return this.parts.claims.beginAll(keys, owner, also);
  }

  /** Begins a task whose id was taken. Resolves once it has come to rest, and is written; what fails is its status. */
  begin(key: TaskKey, { message, ...asked }: InnerMessage): Promise<void> {
    return this.execute(key, message, contextOf(asked));
  }

  /**
   * Goes on with a task that waits for an answer.
   * @returns whether it does; not where somebody else has answered. It has come to rest then
   */
  async goOn(key: TaskKey, { message, ...asked }: InnerMessage): Promise<boolean> {
    const { claims, store } = this.parts;
    const context = contextOf(asked);
    if (!(await claims.goOn(key.id, context))) return false;
    const task = await store.load(key.id, context);
    if (!task) {
      await claims.release(key.id, context);
      return false;
    }
    task.history.push(message);
    await this.execute(key, message, context, task);
    return true;
  }

  /** Cancels a task wherever it runs, and waits for its end. */
  async cancel(key: TaskKey): Promise<void> {
    await this.parts.executor().cancel(key);
  }

  private execute(key: TaskKey, message: Message, context: ServerCallContext, task?: Task): Promise<void> {
    const { live, store, written, settled, onError, executor } = this.parts;
    const request = { tenant: key.tenant, message, configuration: undefined, metadata: undefined };
    const asked = new RequestContext(request, key.id, message.contextId, context, task);
    return execution({ store, settled, onError, written }, live.open(key), context, (bus) =>
      executor().execute(asked, bus),
    );
  }
}

function contextOf({ principal, timeoutMs }: Omit<InnerMessage, 'message'>): ServerCallContext {
  const { tenant } = principal;
  const user = new PrincipalUser(principal, new AbortController().signal);
  // The caller hears of it when it rests.
  Object.assign(user.state, { waits: true, ...(timeoutMs !== undefined && { timeoutMs }) });
  return new ServerCallContext({ user, tenant, requestedVersion: '1.0', state: stateMap(user.state) });
}
