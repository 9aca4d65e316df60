import type { ExecutionArgs, GraphQLError, GraphQLSchema } from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { deferred } from '../base/deferred.ts';
import { ConcordError, ErrorCode } from '../base/errors.ts';
import { refuse } from '../base/reasons.ts';
import { asConcordError } from '../calls/faults.ts';
import { parseParams } from '../calls/params.ts';
import type { Slots } from '../calls/slots.ts';
import { openStream } from '../calls/streamAccount.ts';
import { CallerGone, streamRefused } from '../calls/streamEnd.ts';
import type { FollowChanges } from '../knowledge/subscribe/follow.ts';
import type { Oversight } from '../limits/oversight.ts';
import type { Authenticate, Credentials } from '../security/authenticator.ts';
import type { Principal } from '../security/principal.ts';
import { recheck, recheckMs } from '../security/recheck.ts';
import { AccessRefused } from '../security/refused.ts';
import type { Instruments } from '../telemetry/instruments.ts';
import type { Logger } from '../telemetry/logger.ts';
import { sameRequest } from '../telemetry/tracing.ts';
import { changeResults } from './changeResults.ts';
import type { entityResults } from './entityResults.ts';
import { graphqlError } from './errors.ts';
import { operationParams } from './operationParams.ts';
import { admitSubscription, tellSubscription } from './watched.ts';

export interface ConnectionParts {
  schema: GraphQLSchema;
  follow: FollowChanges;
  entities: ReturnType<typeof entityResults>;
  authenticate: Authenticate;
  /** Sockets of an agent, and of all. */
  slots: Pick<Slots, 'enter'>;
  instruments: Instruments;
  logger: Logger;
  oversight: Oversight;
}

/** Subscriptions that one socket may have at a time. */
const mostSubscriptions = 100;

interface Stream {
  controller: AbortController;
  /** Settles when there are no more results. */
  finished: Promise<void>;
  finish(): void;
}

/** One socket: who has opened it, and its subscriptions. */
export class Connection {
  private readonly streams = new Set<Stream>();
  private principal: Principal | undefined;
  private ending: ConcordError | undefined;
  private readonly asRequested = sameRequest();

  constructor(
    private readonly socket: WebSocket,
    private readonly parts: ConnectionParts,
  ) {
    socket.once('close', () => this.abort(new CallerGone()));
  }

  /** Whether it is known who has opened it. */
  get isIntroduced(): boolean {
    return this.principal !== undefined;
  }

  /**
   * Finds out who opens the socket, now and again while it is open. Whoever is refused, is refused by closing it.
   * @returns whether it stays open
   */
  async introduce(credentialsOf: () => Credentials): Promise<boolean> {
    try {
      const credentials = credentialsOf();
      const authenticate = () => this.parts.authenticate(credentials);
      const principal = await authenticate();
      if (this.socket.readyState !== this.socket.OPEN) return false;
      const { leave } = this.parts.slots.enter(principal);
      this.socket.once('close', leave);
      this.principal = principal;
      const stop = recheck(authenticate, recheckMs, (refused) => this.refuse(refused));
      this.socket.once('close', stop);
      return true;
    } catch (error) {
      if (error instanceof ConcordError) this.asRequested(() => tellSubscription(this.parts, undefined, error));
      if (error instanceof AccessRefused) await this.refuse(error);
      else if (error instanceof ConcordError) await this.end(1013, error.message.slice(0, 123), error);
      else throw error;
      return false;
    }
  }

  /** What executes a subscription: its `contextValue` are the results. Else why it cannot be. It does not throw. */
  subscribe(payload: SubscribePayload): Promise<ExecutionArgs | GraphQLError[]> {
    return this.asRequested(() => this.begin(payload));
  }

  private async begin(payload: SubscribePayload): Promise<ExecutionArgs | GraphQLError[]> {
    const stream = this.open();
    const { signal } = stream.controller;
    try {
      const { schema, follow, entities, instruments, logger } = this.parts;
      const { query, operationName, variables } = parseParams(operationParams, payload);
      if (!this.principal) throw new Error('Subscribed before anybody was introduced');
      if (this.ending) throw this.ending;
      if (this.streams.size > mostSubscriptions) throw tooMany();
      await admitSubscription(this.parts, this.principal);
      const call = { principal: this.principal, signal };
      const changes = await follow({ subscription: query, operationName, variables, isGraphql: true }, call);
      tellSubscription(this.parts, this.principal);
      const open = () => openStream('graphql subscription', instruments, logger);
      const shown = entities({ changes, variables, call });
      const results = changeResults(changes, { schema, variables, signal, open, entities: shown });
      return { schema, document: changes.document, contextValue: stoppable(results, stream) };
    } catch (thrown) {
      stream.finish();
      const error = asConcordError(signal.aborted ? signal.reason : thrown);
      if (!(signal.reason instanceof CallerGone)) tellSubscription(this.parts, this.principal, error);
      if (error.code === ErrorCode.InternalError) this.parts.logger.error({ err: error.cause }, 'call failed');
      return [graphqlError(error)];
    }
  }

  /** Ends every subscription with the error, then closes the socket once that is said. */
  async end(code: number, reason: string, error: ConcordError): Promise<void> {
    this.ending ??= error;
    this.abort(error);
    await Promise.all([...this.streams].map(({ finished }) => finished));
    // What ends a subscription is written right after its results have ended.
    await new Promise(setImmediate);
    this.socket.close(code, reason);
  }

  private refuse(refused: AccessRefused): Promise<void> {
    // 1013: try again later. A reason has at most 123 bytes.
    const code = { 401: 4401, 403: 4403, 503: 1013 }[refused.status];
    return this.end(code, `${refused.reason}: ${refused.message}`.slice(0, 123), streamRefused(refused));
  }

  private abort(reason: Error): void {
    for (const { controller } of this.streams) controller.abort(reason);
  }

  private open(): Stream {
    const { promise: finished, resolve } = deferred();
    const finish = () => {
      this.streams.delete(stream);
      resolve();
    };
    const stream = { controller: new AbortController(), finished, finish };
    this.streams.add(stream);
    return stream;
  }
}

/** Results that can be returned from while they wait for a change: `return` alone would wait for it too. */
function stoppable<T>(results: AsyncGenerator<T, void>, { controller, finish }: Stream): AsyncIterable<T> {
  async function* all(): AsyncGenerator<T, void> {
    try {
      yield* results;
    } finally {
      finish();
    }
  }
  const stopped = all();
  const finishEarly = stopped.return.bind(stopped);
  stopped.return = (value) => {
    controller.abort(new CallerGone());
    finish();
    return finishEarly(value);
  };
  return stopped;
}

function tooMany(): ConcordError {
  return refuse(
    'too-many-subscriptions',
    `A socket has at most ${mostSubscriptions} subscriptions; complete one, or open another socket`,
    { limit: mostSubscriptions },
  );
}
