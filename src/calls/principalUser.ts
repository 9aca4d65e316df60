import type { ServerCallContext, User } from '@a2a-js/sdk/server';
import type { Principal } from '../security/principal.ts';

/** Under which `ServerCallContext.state` holds the caller's Principal. */
export const principalKey = 'concord.principal';
/** Under which `ServerCallContext.state` holds the signal that ends the call. */
export const signalKey = 'concord.signal';
/** Under which `ServerCallContext.state` holds what makes a stream of the call. */
export const streamKey = 'concord.stream';
/** Under which `ServerCallContext.state` holds true where the caller hears of a task only when it rests. */
export const waitingKey = 'concord.waiting';

/** The principal of a request, as the SDK knows its users. */
export class PrincipalUser implements User {
  readonly isAuthenticated = true;
  readonly principal: Principal;
  /** Aborted when the caller goes away or the service drains. */
  readonly signal: AbortSignal;
  /** Called when a stream begins to answer the request. */
  readonly becomeStream: () => void;

  constructor(principal: Principal, signal: AbortSignal, becomeStream = () => {}) {
    this.principal = principal;
    this.signal = signal;
    this.becomeStream = becomeStream;
  }

  /** Whose the tasks are: the agent, or `local` for the local principal. */
  get userName(): string {
    return this.principal.agentId ?? 'local';
  }
}

/** Who makes a call. */
export function principalIn(context: ServerCallContext): Principal {
  return context.state.get(principalKey) as Principal;
}

/** What ends a call. */
export function signalIn(context: ServerCallContext): AbortSignal {
  return context.state.get(signalKey) as AbortSignal;
}

/** Makes a stream of a call, by what its transport does with streams. */
export function becomeStreamIn(context: ServerCallContext): void {
  (context.state.get(streamKey) as PrincipalUser['becomeStream'])();
}
