import { randomUUID } from 'node:crypto';
import { Message, type Task, TaskState } from '@a2a-js/sdk';
import { ServerCallContext } from '@a2a-js/sdk/server';
import { PrincipalUser, stateMap } from '../../src/calls/callState.ts';
import type { Principal, Scope } from '../../src/security/principal.ts';

/** The context of a call of this agent; without one, of a principal who is none. */
export function contextOf(agentId: string | undefined, { tenant = 'north', scopes = ['tasks'] as Scope[] } = {}) {
  const principal: Principal = { tenant, agentId, scopes: new Set(scopes) };
  const user = new PrincipalUser(principal, new AbortController().signal);
  return new ServerCallContext({
    user,
    tenant,
    requestedVersion: '1.0',
    state: stateMap(user.state),
  });
}

export function messageOf(text: string, further: object = {}): Message {
  return Message.fromJSON({ messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...further });
}

export function taskOf(further: Partial<Task> = {}): Task {
  return {
    id: randomUUID(),
    contextId: 'a talk',
    status: {
      state: TaskState.TASK_STATE_WORKING,
      message: undefined,
      timestamp: '2026-01-02T03:04:05.678Z',
    },
    history: [],
    artifacts: [],
    metadata: undefined,
    ...further,
  };
}

export function statusAt(state: TaskState, at: number): Task['status'] {
  return { state, message: undefined, timestamp: new Date(at).toISOString() };
}
