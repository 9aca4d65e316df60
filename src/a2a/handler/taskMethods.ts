import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { A2AError, VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { type A2ARequestHandler, JsonRpcTransportHandler, type ServerCallContext } from '@a2a-js/sdk/server';
import { ConcordError, ErrorCode } from '../../base/errors.ts';
import type { Call, EventStream, Methods, StreamingMethod, UnaryMethod } from '../../calls/call.ts';
import { stateIn } from '../../calls/callState.ts';
import { contextOf } from '../protocol/callContext.ts';
import { type ErrorBody, ProtocolError } from '../protocol/protocolError.ts';
import { isServed, type ProtocolVersion, protocolVersions, versionAsked } from '../protocol/version.ts';

const names: Record<ProtocolVersion, { unary: string[]; streaming: string[] }> = {
  '1.0': {
    unary: [
      'SendMessage',
      'GetTask',
      'ListTasks',
      'CancelTask',
      'CreateTaskPushNotificationConfig',
      'GetTaskPushNotificationConfig',
      'ListTaskPushNotificationConfigs',
      'DeleteTaskPushNotificationConfig',
      'GetExtendedAgentCard',
    ],
    streaming: ['SendStreamingMessage', 'SubscribeToTask'],
  },
  '0.3': {
    unary: [
      'message/send',
      'tasks/get',
      'tasks/cancel',
      'tasks/pushNotificationConfig/set',
      'tasks/pushNotificationConfig/get',
      'tasks/pushNotificationConfig/list',
      'tasks/pushNotificationConfig/delete',
      'agent/getAuthenticatedExtendedCard',
    ],
    streaming: ['message/stream', 'tasks/resubscribe'],
  },
};

/** What a transport of the SDK answers, in either version. */
interface RpcAnswer {
  result?: unknown;
  error?: ErrorBody;
}

interface Transport {
  handle(
    request: Record<string, unknown>,
    context: ServerCallContext,
  ): Promise<RpcAnswer | AsyncGenerator<RpcAnswer, void, undefined>>;
}

/** The task methods of A2A 1.0 (section 9.4) and 0.3 (section 7) over JSON-RPC; what they throw is ConcordError. */
export function taskMethods(handler: A2ARequestHandler): Methods {
  const transports: Record<ProtocolVersion, Transport> = {
    '1.0': new JsonRpcTransportHandler(handler) as Transport,
    '0.3': new LegacyJsonRpcTransportHandler(handler) as Transport,
  };
  const unary = new Map<string, UnaryMethod>();
  const streaming = new Map<string, StreamingMethod>();
  for (const version of protocolVersions) {
    for (const method of names[version].unary) {
      unary.set(method, async (params, call) => {
        const { answer, context } = await handed(transports[version], version, method, params, call);
        if (Symbol.asyncIterator in answer) throw new TypeError(`${method} gave a stream`);
        if (answer.error) throw errorOf(stateIn(context).thrown, answer.error, version);
        // Some methods have nothing to say, which is null in JSON-RPC.
        return answer.result as object;
      });
    }
    for (const method of names[version].streaming) {
      streaming.set(method, async (params, call) => {
        const { answer, context } = await handed(transports[version], version, method, params, call);
        if (!(Symbol.asyncIterator in answer)) {
          throw errorOf(stateIn(context).thrown, answer.error ?? internal, version);
        }
        return opened(answer, version);
      });
    }
  }
  return { unary, streaming };
}

const internal: ErrorBody = { code: ErrorCode.InternalError, message: 'Internal error' };

async function handed(transport: Transport, version: ProtocolVersion, method: string, params: unknown, call: Call) {
  requireVersion(version, method, call.serviceParameters?.version);
  const context = contextOf(call, version);
  const answer = await transport.handle({ jsonrpc: '2.0', id: 0, method, params }, context);
  return { answer, context };
}

/** @throws ProtocolError -32009, or ConcordError -32601 where another version has the method */
function requireVersion(version: ProtocolVersion, method: string, header: string | undefined): void {
  const asked = versionAsked(header);
  if (!isServed(asked)) {
    const served = protocolVersions.join(' and ');
    throw ProtocolError.of(
      new VersionNotSupportedError(`A2A ${asked} is not supported; ${served} are, by the header A2A-Version`),
    );
  }
  if (asked !== version) {
    throw new ConcordError(
      ErrorCode.MethodNotFound,
      `${method} is a method of A2A ${version}, and the request is of ${asked}; send the header A2A-Version: ${version}`,
    );
  }
}

/** The first event is waited for, so that a stream which is refused is answered with an error and not with a stream. */
async function opened(
  answers: AsyncGenerator<RpcAnswer, void, undefined>,
  version: ProtocolVersion,
): Promise<EventStream> {
  const next = async () => {
    try {
      return await answers.next();
    } catch (error) {
      throw errorOf(error, internal, version);
    }
  };
  let step = await next();
  return (async function* () {
    try {
      for (; !step.done; step = await next()) yield { result: step.value.result as object };
    } finally {
      answers.return().catch(() => {});
    }
  })();
}

/**
 * @param thrown by the handler; where it threw nothing, the transport itself could not read the params
 * @param body what the SDK would have answered
 */
function errorOf(thrown: unknown, body: ErrorBody, version: ProtocolVersion): unknown {
  if (thrown instanceof ProtocolError && thrown.original && version === '0.3') {
    return new ProtocolError(LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(thrown.original), thrown.original);
  }
  if (thrown instanceof A2AError) return ProtocolError.of(thrown);
  if (thrown !== undefined) return thrown;
  const unreadable = body.code === ErrorCode.InternalError;
  return new ProtocolError(unreadable ? { ...body, code: ErrorCode.InvalidParams } : body);
}
