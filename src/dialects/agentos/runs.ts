import { TaskNotFoundError } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { Id } from '../../a2a/jsonrpc/jsonrpc.ts';
import { contextOf } from '../../a2a/protocol/callContext.ts';
import { ProtocolError } from '../../a2a/protocol/protocolError.ts';
import { type Deferred, deferred } from '../../base/deferred.ts';
import { refuse } from '../../base/reasons.ts';
import type { Call, UnaryMethod } from '../../calls/call.ts';
import { parseParams } from '../../calls/params.ts';
import type { Agent } from './agents.ts';
import { cancelParams, type Progress, type RunResult, type TaskState } from './messages.ts';
import { runRequest } from './runRequest.ts';
import { RunEvents, runResult, taskState } from './runResult.ts';

/** Runs that one socket has under way at a time, and as many cancellations. */
export const mostAtOnce = 64;

/**
 * `run` with one answer: a SendMessage of A2A. It waits for the end of the task, but for that of a skill which has none
 * of its own.
 */
export function runMethod(
  handler: A2ARequestHandler,
  agent: Agent,
  caller: string | undefined,
): UnaryMethod<RunResult> {
  return async (params, call) => {
    const { request, skill, input } = runRequest(agent, params, caller);
    // A delegation has a limit of its own, and an end.
    if (!skill?.endsItself || skill.lasting)
      return runResult(await handler.sendMessage(request, contextOf(call, '1.0')));
    // Of what its task comes to, nobody will be told.
    if (skill.parameters) parseParams(skill.parameters, input);
    return runResult(await handler.sendMessage({ ...request, configuration: atOnce }, contextOf(call, '1.0')));
  };
}

const atOnce = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: true };

/** The runs of one socket, by the ids of their requests. */
export class Runs {
  /** The id of the task, as soon as it is known. */
  private readonly taskIds = new Map<Id, Deferred<string | undefined>>();
  private readonly running = new Places();
  private readonly cancelling = new Places();

  constructor(
    private readonly handler: A2ARequestHandler,
    private readonly agent: Agent,
    private readonly caller: string | undefined,
  ) {}

  /** Takes a place for a run. @returns what gives it back @throws ConcordError `too-many-requests` */
  enter(): () => void {
    return this.running.enter();
  }

  /**
   * `run` as a streaming message.
   * @param tell told of the progress; it is waited for, which holds the next back for a slow reader
   * @throws ConcordError
   */
  async run(
    params: unknown,
    call: Call,
    id: Id | undefined,
    tell: (progress: Progress) => Promise<void>,
  ): Promise<RunResult> {
    const { request } = runRequest(this.agent, params, this.caller);
    const taskId = deferred<string | undefined>();
    if (id !== undefined) this.taskIds.set(id, taskId);
    const events = new RunEvents();
    try {
      for await (const event of this.handler.sendMessageStream(request, contextOf(call, '1.0'))) {
        const progress = events.take(event);
        taskId.resolve(events.taskId);
        if (progress) await tell(progress);
      }
      call.signal.throwIfAborted();
      return events.result();
    } finally {
      taskId.resolve(undefined);
      if (id !== undefined && this.taskIds.get(id) === taskId) this.taskIds.delete(id);
    }
  }

  /** `cancel`. @throws ConcordError -32001, -32002, `too-many-requests` */
  async cancel(params: unknown, call: Call): Promise<{ task: TaskState }> {
    const leave = this.cancelling.enter();
    try {
      const { run, task_id } = parseParams(cancelParams, params);
      const id = task_id ?? (await this.taskIds.get(run ?? null)?.promise);
      if (id === undefined) throw ProtocolError.of(new TaskNotFoundError('There is no such run on this socket'));
      const task = await this.handler.cancelTask({ tenant: '', id, metadata: undefined }, contextOf(call, '1.0'));
      return { task: taskState(task) };
    } finally {
      leave();
    }
  }
}

/** So many at a time; what comes beyond is refused: to wait would hold up what comes behind. */
class Places {
  private taken = 0;

  enter(): () => void {
    if (this.taken >= mostAtOnce) {
      const message = `The socket has ${mostAtOnce} of these under way; send it again when one has ended`;
      throw refuse('too-many-requests', message, { limit: mostAtOnce });
    }
    this.taken += 1;
    return () => {
      this.taken -= 1;
    };
  }
}
