import type { ServerCallContext, User } from '@a2a-js/sdk/server';
import type { Principal } from '../security/principal.ts';
import type { Slot, Slots } from './slots.ts';

/**
 * What goes with a call of the protocol through the SDK. A room above adds members of its own by declaring them there.
 */
export interface CallState {
  readonly principal: Principal;
  /** Aborted when the caller goes away or the service drains. */
  readonly signal: AbortSignal;
  /** Makes a stream of the call, by what its transport does with streams. */
  readonly becomeStream: () => void;
  /** Settles once the caller has read enough of a stream to be sent more; rejects where that takes too long. */
  readonly pace?: () => Promise<void>;
  /** Of the execution that the call begins. */
  slot?: Slot;
  /** The slots of the door that the call came by, of which its execution has one beside that of every execution. */
  doorSlots?: Pick<Slots, 'enter'>;
  /** Whether the caller hears of a task only when it rests. */
  waits?: boolean;
  /** The dialect of the call, where it isn't A2A 1.0 or 0.3; who speaks one knows no answer to a message but a task. */
  dialect?: string;
  /** The id under which the call begins a task, or goes on with one. */
  chosenId?: string;
  /** Whether the call subscribes to a task. */
  subscribes?: boolean;
  /** How long the task may be executed, in milliseconds, where that is less than every task may. */
  timeoutMs?: number;
  /** What the call threw, which the SDK's transports put in their own words. */
  thrown?: unknown;
}

const key = 'concord.call';

/** The state as the SDK keeps it. */
export function stateMap(state: CallState): Map<string, unknown> {
  return new Map([[key, state]]);
}

export function stateIn(context: ServerCallContext): CallState {
  return context.state.get(key) as CallState;
}

/** Who makes a call. */
export function principalIn(context: ServerCallContext): Principal {
  return stateIn(context).principal;
}

/** What ends a call. */
export function signalIn(context: ServerCallContext): AbortSignal {
  return stateIn(context).signal;
}

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
