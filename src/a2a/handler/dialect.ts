import type { A2ARequestHandler, PushNotificationSerializer } from '@a2a-js/sdk/server';
import type { Methods } from '../../calls/call.ts';

/** What a dialect stands on. */
export interface DialectCore {
  /** Of tasks, behind the guard: A2A 1.0's. */
  handler: A2ARequestHandler;
  /** The card as `/.well-known/agent.json` has it. */
  legacyCard(): object;
  /** Whether tasks are followed by push notifications. */
  pushNotifications: boolean;
}

/**
 * Another way to write the calls of A2A over JSON-RPC. It parses and writes, and has no store, executor or right of its
 * own: its methods call the handler.
 */
export interface Dialect {
  /** What its tasks and push configurations are marked with; a caller may name it in the header `A2A-Version`. */
  name: string;
  /**
   * Its methods. One whose name A2A 0.3 has too is the dialect's where the header names it, or where there is no header
   * and the task was begun in the dialect.
   */
  methods(core: DialectCore): Methods;
  /** The id of the task that the params of such a method are about. */
  taskIdIn(params: unknown): string | undefined;
  /** How it writes push notifications. */
  notifications: PushNotificationSerializer;
}
