import type { ApolloServerPlugin } from '@apollo/server';
import type { Response } from 'express';
import { GraphQLError } from 'graphql';
import { ConcordError } from '../base/errors.ts';
import { answerTooLarge, LimitExceeded } from '../base/limitExceeded.ts';
import { statusOf } from '../calls/statuses.ts';
import type { QueryLimits } from '../knowledge/query/queryLimits.ts';
import type { Instruments } from '../telemetry/instruments.ts';
import { extensionsOf, httpOf, refusedBy } from './errors.ts';
import type { Context } from './server.ts';

/** Lets queries in by the same limits as `knowledge/query`, and counts those that go beyond one. */
export function limitsPlugin(limits: QueryLimits, instruments: Instruments): ApolloServerPlugin<Context> {
  return {
    requestDidStart: async () => ({
      didResolveOperation: async ({ contextValue, document, request }) => {
        try {
          contextValue.leave = limits.admit(contextValue.principal, document, request.variables, request.operationName);
        } catch (error) {
          throw error instanceof ConcordError ? refusal(error) : error;
        }
      },
      didEncounterErrors: async ({ errors }) => {
        const exceeded = errors.map((error) => refusedBy(error, limits.maxDepth));
        count(
          instruments,
          exceeded.find((error) => error instanceof LimitExceeded),
        );
      },
      willSendResponse: async ({ contextValue }) => contextValue.leave?.(),
    }),
  };
}

/** A refusal before execution has a status of its own: too many at once is HTTP's 429. */
function refusal(error: ConcordError): GraphQLError {
  const http = httpOf(statusOf(error).http, error.data.retryable);
  return new GraphQLError(error.message, { originalError: error, extensions: { http } });
}

/** Makes the text of an answer; in the place of one that is too long, that of the error. */
export function boundedText(maxBytes: number, instruments: Instruments): (answer: object) => string {
  return (answer) => {
    const text = `${JSON.stringify(answer)}\n`;
    const found = Buffer.byteLength(text);
    if (found <= maxBytes) return text;
    const error = answerTooLarge(maxBytes, found);
    count(instruments, error);
    return `${JSON.stringify({ errors: [{ message: error.message, extensions: extensionsOf(error) }] })}\n`;
  };
}

function count(instruments: Instruments, error: LimitExceeded | undefined): void {
  if (error) instruments.queriesRefused.add(1, { reason: error.reason });
}

/** Aborts when the caller goes away before it is answered. */
export function callerSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  const abort = () => {
    if (!response.writableFinished) gone.abort(new Error('The caller closed the connection'));
  };
  if (response.destroyed) abort();
  else response.once('close', abort);
  return gone.signal;
}
