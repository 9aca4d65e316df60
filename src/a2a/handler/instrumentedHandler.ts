import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import type { ConcordError } from '../../base/errors.ts';
import { accountedStream } from '../../calls/accountedStream.ts';
import { stateIn } from '../../calls/callState.ts';
import { asConcordError } from '../../calls/faults.ts';
import { openStream } from '../../calls/streamAccount.ts';
import type { Instruments } from '../../telemetry/instruments.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Calls } from '../protocol/calls.ts';
import type { WriteError } from '../protocol/transportErrors.ts';

export interface AccountParts {
  handler: A2ARequestHandler;
  calls: Calls;
  instruments: Instruments;
  logger: Logger;
  /** `http+json` or `grpc`, for spans. */
  system: string;
  /** How the transport writes errors. */
  writeError: WriteError;
}

/**
 * The handler for a transport that the SDK serves whole, with the spans, metrics and log lines that calls over JSON-RPC
 * have. What it throws is in the transport's own form.
 */
export function instrumentedHandler(parts: AccountParts): A2ARequestHandler {
  const { handler } = parts;
  const unary = unaryOf(parts);
  const streaming = streamingOf(parts);
  return {
    getAgentCard: () => handler.getAgentCard(),
    getAuthenticatedExtendedAgentCard: unary('GetExtendedAgentCard', (params, context) =>
      handler.getAuthenticatedExtendedAgentCard(params, context),
    ),
    sendMessage: unary('SendMessage', (params, context) => handler.sendMessage(params, context)),
    sendMessageStream: streaming('SendStreamingMessage', (params, context) =>
      handler.sendMessageStream(params, context),
    ),
    resubscribe: streaming('SubscribeToTask', (params, context) => handler.resubscribe(params, context)),
    getTask: unary('GetTask', (params, context) => handler.getTask(params, context)),
    listTasks: unary('ListTasks', (params, context) => handler.listTasks(params, context)),
    cancelTask: unary('CancelTask', (params, context) => handler.cancelTask(params, context)),
    createTaskPushNotificationConfig: unary('CreateTaskPushNotificationConfig', (params, context) =>
      handler.createTaskPushNotificationConfig(params, context),
    ),
    getTaskPushNotificationConfig: unary('GetTaskPushNotificationConfig', (params, context) =>
      handler.getTaskPushNotificationConfig(params, context),
    ),
    listTaskPushNotificationConfigs: unary('ListTaskPushNotificationConfigs', (params, context) =>
      handler.listTaskPushNotificationConfigs(params, context),
    ),
    deleteTaskPushNotificationConfig: unary('DeleteTaskPushNotificationConfig', (params, context) =>
      handler.deleteTaskPushNotificationConfig(params, context),
    ),
  };
}

function unaryOf({ calls, system, writeError }: AccountParts) {
  return <P, R>(method: string, make: (params: P, context: ServerCallContext) => Promise<R>) =>
    async (params: P, context: ServerCallContext): Promise<R> => {
      const request = { method, params };
      const outcome = await calls.spanned(
        request,
        (span) => calls.made(request, stateIn(context), span, () => make(params, context)),
        system,
      );
      if (outcome.ok) return outcome.value;
      throw written(outcome.error, context, writeError);
    };
}

function streamingOf({ calls, instruments, logger, system, writeError }: AccountParts) {
  return <P, T>(method: string, make: (params: P, context: ServerCallContext) => AsyncGenerator<T, void, undefined>) =>
    async function* (params: P, context: ServerCallContext): AsyncGenerator<T, void, undefined> {
      stateIn(context).becomeStream();
      const request = { method, params };
      const events = make(params, context);
      // The first event is part of the call: until it has come the stream may still be refused.
      const outcome = await calls.spanned(
        request,
        (span) => calls.made(request, stateIn(context), span, () => events.next()),
        system,
      );
      if (!outcome.ok) throw written(outcome.error, context, writeError);
      const { signal, pace } = stateIn(context);
      const account = openStream(method, instruments, logger);
      try {
        yield* accountedStream(goingOn(outcome.value, events), { signal, account, ...(pace && { pace }) });
      } catch (error) {
        throw written(asConcordError(error), context, writeError);
      } finally {
        events.return().catch(() => {});
      }
    };
}

async function* goingOn<T>(first: IteratorResult<T, void>, events: AsyncGenerator<T, void>) {
  for (let step = first; !step.done; step = await events.next()) yield step.value;
}

/** The error in the transport's form; the context keeps it as it is, for what that form has no room for. */
function written(error: ConcordError, context: ServerCallContext, writeError: WriteError) {
  stateIn(context).thrown = error;
  return writeError(error, context.requestedVersion);
}
