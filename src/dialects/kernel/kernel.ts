import { randomUUID } from 'node:crypto';
import type { SendMessageRequest, StreamResponse } from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { A2AError, TaskNotFoundError } from '@a2a-js/sdk/errors';
import type { ServerCallContext } from '@a2a-js/sdk/server';
import type { z } from 'zod';
import type { Dialect, DialectCore } from '../../a2a/handler/dialect.ts';
import { contextOf as contextIn } from '../../a2a/protocol/callContext.ts';
import { ProtocolError } from '../../a2a/protocol/protocolError.ts';
import { isObject } from '../../base/isObject.ts';
import type { Call, EventStream, StreamingMethod, UnaryMethod } from '../../calls/call.ts';
import { parseParams } from '../../calls/params.ts';
import { StreamEvents } from './events.ts';
import { getParams, idParams, pushParams, type SendParams, sendParams, type Task } from './messages.ts';
import { configId, corePushConfig, sendRequest } from './read.ts';
import { writeMessage, writePushConfig, writeTask } from './write.ts';

/** What the first A2A is called in `A2A-Version` and where tasks are kept. Its own clients send no such header. */
const version = '0.1';

/** The first A2A (April 2025): `tasks/send` and its family. */
export const kernel: Dialect = {
  name: version,

  methods(core) {
    const unary: Record<string, UnaryMethod> = {
      'tasks/send': (params, call) => send(core, parseParams(sendParams, params), call),
      'tasks/get': (params, call) => get(core, params, call),
      'tasks/cancel': (params, call) => cancel(core, params, call),
      'tasks/pushNotification/set': (params, call) => setPush(core, params, call),
      'tasks/pushNotification/get': (params, call) => getPush(core, params, call),
      'agent/getCard': async () => core.legacyCard(),
    };
    const streaming: Record<string, StreamingMethod> = {
      'tasks/sendSubscribe': (params, call) => sendSubscribe(core, parseParams(sendParams, params), call),
      'tasks/resubscribe': (params, call) => resubscribe(core, params, call),
    };
    return {
      unary: new Map(Object.entries(unary).map(([name, method]) => [name, described(name, told(method))])),
      streaming: new Map(Object.entries(streaming).map(([name, method]) => [name, described(name, told(method))])),
    };
  },

  taskIdIn: (params) => (isObject(params) && typeof params.id === 'string' ? params.id : undefined),

  notifications: {
    serialize({ payload }, task) {
      const known = payload?.$case === 'task' ? payload.value : task;
      const body = known ? writeTask(known) : new StreamEvents('').take({ payload }).at(-1);
      return { body: JSON.stringify(body), contentType: 'application/json' };
    },
  },
};

async function send(core: DialectCore, params: SendParams, call: Call): Promise<Task> {
  const { request, context, taskId } = sending(core, params, call);
  const answer = await core.handler.sendMessage(request, context);
  if ('status' in answer) return writeTask(answer, params.historyLength);
  // An executor of somebody else's may answer without a task.
  const status = { state: 'completed' as const, message: writeMessage(answer), timestamp: new Date().toISOString() };
  return { id: taskId, sessionId: answer.contextId, status };
}

async function sendSubscribe(core: DialectCore, params: SendParams, call: Call): Promise<EventStream> {
  const { request, context, taskId } = sending(core, params, call);
  return streamed(core.handler.sendMessageStream(request, context), taskId);
}

function sending({ pushNotifications }: DialectCore, params: SendParams, call: Call) {
  const taskId = params.id ?? randomUUID();
  const request: SendMessageRequest = sendRequest(params, taskId, pushNotifications);
  return { taskId, request, context: contextOf(call, taskId) };
}

async function get({ handler }: DialectCore, params: unknown, call: Call): Promise<Task> {
  const { id, historyLength } = parseParams(getParams, params);
  const task = await handler.getTask({ tenant: '', id, historyLength }, contextOf(call));
  return writeTask(task, historyLength);
}

async function cancel({ handler }: DialectCore, params: unknown, call: Call): Promise<Task> {
  const { id, metadata } = parseParams(idParams, params);
  return writeTask(await handler.cancelTask({ tenant: '', id, metadata }, contextOf(call)));
}

async function resubscribe({ handler }: DialectCore, params: unknown, call: Call): Promise<EventStream> {
  const { id } = parseParams(idParams, params);
  return streamed(handler.resubscribe({ tenant: '', id }, contextOf(call)), id);
}

async function setPush({ handler }: DialectCore, params: unknown, call: Call) {
  const { id, pushNotificationConfig } = parseParams(pushParams, params);
  const config = corePushConfig(id, pushNotificationConfig);
  return writePushConfig(id, await handler.createTaskPushNotificationConfig(config, contextOf(call)));
}

/** The one that was set here; else the first that was set in another version. */
async function getPush({ handler }: DialectCore, params: unknown, call: Call) {
  const { id } = parseParams(idParams, params);
  const asked = { tenant: '', taskId: id, pageSize: 0, pageToken: '' };
  const { configs } = await handler.listTaskPushNotificationConfigs(asked, contextOf(call));
  const config = configs.find((each) => each.id === configId) ?? configs[0];
  if (!config) throw new TaskNotFoundError('The task has no push notification configuration');
  return writePushConfig(id, config);
}

/** @param chosenId of a task that the call begins or goes on with */
function contextOf(call: Call, chosenId?: string): ServerCallContext {
  return contextIn(call, version, { dialect: version, ...(chosenId !== undefined && { chosenId }) });
}

/** The first event is waited for, so that a stream which is refused is answered with an error and not with a stream. */
async function streamed(
  answers: AsyncGenerator<StreamResponse, void, undefined>,
  taskId: string,
): Promise<EventStream> {
  const events = new StreamEvents(taskId);
  let step = await answers.next();
  return (async function* () {
    try {
      for (; !step.done; step = await answers.next()) {
        for (const result of events.take(step.value)) yield { result };
      }
      for (const result of events.owed()) yield { result };
    } catch (error) {
      throw written(error);
    } finally {
      answers.return().catch(() => {});
    }
  })();
}

const params: Record<string, z.ZodType> = {
  'tasks/send': sendParams,
  'tasks/sendSubscribe': sendParams,
  'tasks/pushNotification/set': pushParams,
  'tasks/pushNotification/get': idParams,
};

/** The method, with what its params are checked by. */
function described<Method extends UnaryMethod | StreamingMethod>(name: string, method: Method): Method {
  return Object.assign(method, params[name] && { params: params[name] });
}

/** The method, with the protocol's own errors as this dialect has them: code and message. */
function told<Method extends UnaryMethod | StreamingMethod>(method: Method): Method {
  return (async (params: unknown, call: Call) => {
    try {
      return await method(params, call);
    } catch (error) {
      throw written(error);
    }
  }) as Method;
}

function written(error: unknown): unknown {
  const original = error instanceof ProtocolError ? error.original : error;
  if (!(original instanceof A2AError)) return error;
  const { code, message } = LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(original);
  return new ProtocolError({ code, message }, original);
}
