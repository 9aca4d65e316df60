import { Message, type SendMessageRequest, type TaskPushNotificationConfig } from '@a2a-js/sdk';
import { A2AError } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler, ServerCallContext, TaskStore } from '@a2a-js/sdk/server';
import { ErrorCode } from '../../base/errors.ts';
import { orAborted } from '../../base/orAborted.ts';
import { refuse } from '../../base/reasons.ts';
import { untilAborted } from '../../base/untilAborted.ts';
import { type CallState, principalIn, signalIn, stateIn } from '../../calls/callState.ts';
import { drain } from '../../calls/drain.ts';
import { parseParams } from '../../calls/params.ts';
import { requireScope } from '../../calls/scope.ts';
import type { Slot, Slots } from '../../calls/slots.ts';
import { CallerGone } from '../../calls/streamEnd.ts';
import { requireOwnTenant } from '../../security/tenant.ts';
import { ProtocolError } from '../protocol/protocolError.ts';
import { refusedDraft } from './dialectTasks.ts';
import { requestShape } from './requestShape.ts';
import type { TaskClaims } from './taskClaims.ts';

export interface GuardParts {
  handler: A2ARequestHandler;
  taskStore: TaskStore;
  claims: Pick<TaskClaims, 'release'>;
  /** Tasks being executed, and streams open, at the same time. */
  tasks: Slots;
  streams: Slots;
  /** Messages that a task may have, and the bytes as JSON that they may have together when another comes. */
  maxHistory: number;
  maxHistoryBytes: number;
  /**
   * Refuses a receiver of push notifications that nothing is to be sent to, or for which its task has no room, by
   * throwing.
   */
  requireReceiver(config: TaskPushNotificationConfig, context: ServerCallContext): Promise<void>;
  /** Whether what a message asks for changes nothing, so that it may be done for a call that comes to be refused. */
  changesNothing(params: SendMessageRequest): boolean;
  /** Told of an error that nobody was there to hear. */
  failed(error: unknown): void;
}

/** What the params of every method have. */
interface Params {
  tenant: string;
}

/**
 * The handler of every transport and version: what it hands on is of the caller's own tenant, within the caller's
 * scopes and the limits, and ends with the call. It throws ConcordError, of which ProtocolError stands for the SDK's
 * own errors.
 */
export function guarded(parts: GuardParts): A2ARequestHandler {
  const { handler, requireReceiver } = parts;
  return {
    getAgentCard: () => handler.getAgentCard(),
    getAuthenticatedExtendedAgentCard: unary(handler.getAuthenticatedExtendedAgentCard.bind(handler), false),
    sendMessage: unary((params, context) => {
      stateIn(context).waits = params.configuration?.returnImmediately !== true;
      return sendMessage(parts, params, context);
    }),
    sendMessageStream: (params, context) =>
      stream(parts, params, context, () => drain(sendMessageStream(parts, params, context), parts.failed)),
    resubscribe: (params, context) =>
      stream(parts, params, context, () => {
        stateIn(context).subscribes = true;
        return handler.resubscribe(params, context);
      }),
    getTask: unary(handler.getTask.bind(handler)),
    listTasks: unary(handler.listTasks.bind(handler)),
    cancelTask: unary(handler.cancelTask.bind(handler)),
    createTaskPushNotificationConfig: unary(async (params, context) => {
      await requireReceiver(params, context);
      return handler.createTaskPushNotificationConfig(params, context);
    }),
    getTaskPushNotificationConfig: unary(handler.getTaskPushNotificationConfig.bind(handler)),
    listTaskPushNotificationConfigs: unary(handler.listTaskPushNotificationConfigs.bind(handler)),
    deleteTaskPushNotificationConfig: unary(handler.deleteTaskPushNotificationConfig.bind(handler)),
  };
}

function unary<P extends Params, R>(make: (params: P, context: ServerCallContext) => Promise<R>, needsScope = true) {
  return async (params: P, context: ServerCallContext): Promise<R> => {
    try {
      admit(params, context, needsScope);
      // A task goes on whatever becomes of who waits for it.
      return await orAborted(make(params, context), signalIn(context));
    } catch (error) {
      throw noteThrown(error, context);
    }
  };
}

async function* stream<T>(
  { streams }: GuardParts,
  params: Params,
  context: ServerCallContext,
  make: () => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  const signal = signalIn(context);
  let slot: Slot | undefined;
  try {
    admit(params, context);
    slot = streams.enter(principalIn(context));
    yield* untilAborted(make(), signal);
    // To a caller that has gone there is nothing to say.
    if (signal.aborted && !(signal.reason instanceof CallerGone)) throw signal.reason;
  } catch (error) {
    throw noteThrown(error, context);
  } finally {
    slot?.leave();
  }
}

/** Looks at who asks, and what, before anything is done. */
function admit(params: Params, context: ServerCallContext, needsScope = true): void {
  const principal = principalIn(context);
  requireOwnTenant(principal, [context.tenant, params.tenant]);
  if (context.tenant === undefined) context.setTenant(principal.tenant);
  if (needsScope) requireScope({ principal }, 'tasks', ErrorCode.InvalidRequest);
  parseParams(requestShape, params);
}

/** Where the id that it has begun under was not free after all, the message is sent anew, as to a task that is there. */
async function sendMessage(parts: GuardParts, params: SendMessageRequest, context: ServerCallContext) {
  const state = stateIn(context);
  state.guesses = mayGuess(parts, params);
  try {
    const answer = await sendOnce(parts, params, context);
    if (!refusedDraft(state)) return answer;
  } catch (error) {
    if (!refusedDraft(state)) throw error;
  }
  beginAnew(state);
  return sendOnce(parts, params, context);
}

/** The same for a stream, of which nothing is told before it is known. */
async function* sendMessageStream(parts: GuardParts, params: SendMessageRequest, context: ServerCallContext) {
  const state = stateIn(context);
  state.guesses = mayGuess(parts, params);
  try {
    for await (const event of streamOnce(parts, params, context)) if (!refusedDraft(state)) yield event;
  } catch (error) {
    if (!refusedDraft(state)) throw error;
  }
  if (!refusedDraft(state)) return;
  beginAnew(state);
  yield* streamOnce(parts, params, context);
}

/** Of a call that is answered before its task rests, two executions could come to have one context. */
function mayGuess({ changesNothing }: GuardParts, params: SendMessageRequest): boolean {
  const { returnImmediately, taskPushNotificationConfig } = params.configuration ?? {};
  return !returnImmediately && !taskPushNotificationConfig && changesNothing(params);
}

function beginAnew(state: CallState): void {
  state.guesses = false;
  delete state.draft;
  delete state.begins;
  delete state.turn;
}

async function sendOnce(parts: GuardParts, params: SendMessageRequest, context: ServerCallContext) {
  await admitReceiver(parts, params, context);
  const slot = takeSlot(parts, context);
  try {
    await admitMessage(parts, params, context);
    return await parts.handler.sendMessage(params, context);
  } finally {
    if (!slot.held) await giveUp(parts, params, context, slot);
  }
}

async function* streamOnce(parts: GuardParts, params: SendMessageRequest, context: ServerCallContext) {
  await admitReceiver(parts, params, context);
  const slot = takeSlot(parts, context);
  try {
    await admitMessage(parts, params, context);
    yield* parts.handler.sendMessageStream(params, context);
  } finally {
    if (!slot.held) await giveUp(parts, params, context, slot);
  }
}

/** Looks at who is to be told of a message's task, before anything is kept. */
async function admitReceiver(
  { requireReceiver }: GuardParts,
  { configuration, message }: SendMessageRequest,
  context: ServerCallContext,
): Promise<void> {
  const receiver = configuration?.taskPushNotificationConfig;
  if (receiver) await requireReceiver({ ...receiver, taskId: message?.taskId ?? '' }, context);
}

/** Looks at a message before anything is kept of it. It has its slot, for this may take the id that it names. */
async function admitMessage(
  { taskStore, maxHistory, maxHistoryBytes }: GuardParts,
  params: SendMessageRequest,
  context: ServerCallContext,
): Promise<void> {
  const taskId = params.message?.taskId ?? '';
  if (!taskId) return;
  const state = stateIn(context);
  const task = await taskStore.load(taskId, context);
  if (state.begins !== 'claimed') state.turn = 'wanted';
  if (!task) return;
  if (task.history.length >= maxHistory) {
    const message = `The task has the ${maxHistory} messages that it may have; begin another`;
    throw refuse('history-full', message, { limit: maxHistory });
  }
  // The first may be as long as any body. All of them are read whenever the task is.
  if (task.history.length === 0) return;
  const found = bytesOf([...task.history, ...(params.message ? [params.message] : [])]);
  if (found > maxHistoryBytes) {
    const message = `The messages of the task would be longer than ${maxHistoryBytes} bytes; begin another`;
    throw refuse('history-full', message, { limit: maxHistoryBytes, found });
  }
}

const bytesOf = (messages: Message[]): number =>
  messages.reduce((sum, each) => sum + Buffer.byteLength(JSON.stringify(Message.toJSON(each))), 0);

/** For a task that begins or goes on: its own slot, which the execution keeps until it ends. */
function takeSlot({ tasks }: GuardParts, context: ServerCallContext): Slot {
  const { doorSlots } = stateIn(context);
  const slot = bothSlots(tasks.enter(principalIn(context)), () => doorSlots?.enter(principalIn(context)));
  stateIn(context).slot = slot;
  return slot;
}

/** A slot together with a second one: where that can't be had, the first is given back. */
function bothSlots(slot: Slot, enterSecond: () => Slot | undefined): Slot {
  try {
    const second = enterSecond();
    if (!second) return slot;
    const leave = () => {
      slot.leave();
      second.leave();
    };
    return { held: false, leave };
  } catch (error) {
    slot.leave();
    throw error;
  }
}

/** Lets go of what a call has taken by which nothing is executed. */
async function giveUp(
  { claims, failed }: GuardParts,
  { message }: SendMessageRequest,
  context: ServerCallContext,
  slot: Slot,
): Promise<void> {
  slot.leave();
  const { begins, turn } = stateIn(context);
  const hasClaim = begins === 'claimed' || begins === 'begun' || turn === 'taken';
  if (hasClaim) await claims.release(message?.taskId ?? '', context).catch(failed);
}

/** What is thrown on, which is also kept in the context. */
function noteThrown(error: unknown, context: ServerCallContext): unknown {
  const thrown = error instanceof A2AError ? ProtocolError.of(error) : error;
  stateIn(context).thrown = thrown;
  return thrown;
}
