import type { Artifact, Part } from '@a2a-js/sdk';

/** The member of a message's metadata that tells who has handed on what it asks for. */
export const delegationMember = 'concord.delegation';

/** A message on its way to an agent. */
export interface Outgoing {
  /** Chosen before it is sent for the first time, and the same when it is sent again. */
  messageId: string;
  /** Which of the agent's conversations; chosen here, where the agent has none of it yet. */
  conversation: string;
  /** The agent's own task, which it goes on with. */
  taskId?: string;
  parts: Part[];
  /** What the agent is asked to do, by the name of its skill. */
  skill?: string;
  metadata: Record<string, unknown>;
}

export type RemoteState = 'working' | 'input-required' | 'completed' | 'failed' | 'rejected' | 'canceled';

/** How a task of another agent stands, and what that says of it. */
export interface RemoteStatus {
  state: RemoteState;
  /** Empty where it says nothing. */
  text: string;
  /** Its data parts. */
  data: unknown[];
}

export interface RemoteArtifact extends Pick<Artifact, 'name' | 'description' | 'parts'> {
  id: string;
  /** Whether the parts come behind those that there are. */
  append: boolean;
}

/** What an agent says at one time. It is checked by its shape, and nothing more: a stranger has said it. */
export interface RemoteReport {
  /** Absent of an agent that answers without a task. */
  taskId?: string;
  conversation?: string;
  artifacts: RemoteArtifact[];
  status?: RemoteStatus;
}

/**
 * An agent as it is called, whichever protocol it speaks. What fails is a ConcordError: `agent-unreachable` where it
 * doesn't answer, `agent-refused` where it answers with an error, `agent-answer` where that makes no sense.
 */
export interface RemoteAgent {
  /** Sends a message, and gives what the agent says to it. The last need not be the end of its task. */
  send(message: Outgoing, signal: AbortSignal): AsyncIterable<RemoteReport>;
  /** A task as it stands; undefined where the agent has no such task. Absent where it can't be asked. */
  get?(taskId: string, signal: AbortSignal): Promise<RemoteReport | undefined>;
  /** What is said of a task from now on. */
  follow?(taskId: string, signal: AbortSignal): AsyncIterable<RemoteReport>;
  /** The task that a message has begun; undefined where it has begun none. Absent where that can't be asked. */
  find?(message: Outgoing, signal: AbortSignal): Promise<RemoteReport | undefined>;
  cancel?(taskId: string, signal: AbortSignal): Promise<void>;
}
