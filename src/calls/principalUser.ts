import type { User } from '@a2a-js/sdk/server';
import type { Principal } from '../security/principal.ts';
import type { CallState } from './callState.ts';

/** The principal of a request, as the SDK knows its users, with the state of its call. */
export class PrincipalUser implements User {
  readonly isAuthenticated = true;
  readonly state: CallState;

  constructor(
    principal: Principal,
    signal: AbortSignal,
    streaming: Partial<Pick<CallState, 'becomeStream' | 'pace'>> = {},
  ) {
    this.state = { principal, signal, becomeStream: () => {}, ...streaming };
  }

  /** Whose the tasks are: the agent, or for the local principal nobody, as no agent can be called. */
  get userName(): string {
    return this.state.principal.agentId ?? '';
  }
}
