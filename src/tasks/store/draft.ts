import type { Message, Task } from '@a2a-js/sdk';
import type { AgentExecutionEvent } from '@a2a-js/sdk/server';
import neo4j from 'neo4j-driver';
import { dateTime } from '../../graph/statements/values.ts';
import type { Beside } from '../../skills/skill.ts';
import { eventText } from '../nodes/events.ts';
import {
  type ArtifactNode,
  artifactNodeOf,
  type MessageNode,
  messageNodeOf,
  metadataText,
  statusMessageText,
  type TaskKey,
} from '../nodes/taskNodes.ts';
import { isEnded, isResting, stateName } from '../nodes/taskState.ts';

declare module '../../calls/callState.ts' {
  interface CallState {
    /** Of the task that the call has saved last. */
    draft?: TaskDraft;
  }
}

/** What the database has of a task, as far as this replica knows; it may have more. */
export interface Known {
  /** By key. */
  messages: Set<string>;
  /** As JSON text, by id. */
  artifacts: Map<string, string>;
  /** As JSON text. */
  status?: string;
}

export const nothingKnown = (): Known => ({ messages: new Set(), artifacts: new Map() });

/** A task to be written. */
export interface TaskDraft extends TaskKey {
  owner: string;
  task: Task;
  known: Known;
  /** States that it has gone through since it was last written. */
  passed: { state: string; at: number }[];
  /** Events that have been published, and are in `task`, since then. */
  events: AgentExecutionEvent[];
  /** What is to be written beside it, in order. */
  beside?: Beside[];
  /** The replica that runs it. */
  replica?: string;
  /** How many want to be told of the task's events, by when it was last written. */
  receivers?: number;
  /** Whether it is new as far as its replica knows: then its first transaction takes its id, where that is free. */
  guess?: boolean;
  /** Whether the id was not free, so that nothing was written. */
  taken?: boolean;
  /** Whether its status came after the end of the task when it was last written, so that it wasn't. */
  refused?: boolean;
}

/** What is written of a task's status. */
interface StatusDelta {
  ended: boolean;
  resting: boolean;
  states: string[];
  stateTimes: unknown[];
  properties: object;
}

/** What is written of a draft: only what the database hasn't. */
export interface Delta extends TaskKey {
  owner: string;
  /** Whether it is written only where the id is free. */
  guess: boolean;
  replica: string | null;
  created: object;
  status: StatusDelta | null;
  messages: (MessageNode & { key: string; offset: unknown })[];
  artifacts: (ArtifactNode & { offset: unknown })[];
  events: { offset: unknown; event: string | null }[];
}

/** A draft's delta, and what the database has once that is written. */
export function deltaOf(draft: TaskDraft, now: number): { delta: Delta; known: Known } {
  const { tenant, id, owner, task, known, passed, events, replica } = draft;
  const status = statusText(task);
  const messages = keyed(task.history).filter(({ key }) => !known.messages.has(key));
  const artifacts = task.artifacts.map(artifactNodeOf);
  const texts = new Map(artifacts.map((each) => [each.artifactId, JSON.stringify(each)]));
  const changed = artifacts.filter(({ artifactId }) => known.artifacts.get(artifactId) !== texts.get(artifactId));
  return {
    delta: {
      tenant,
      id,
      owner,
      guess: draft.guess ?? false,
      replica: replica ?? null,
      created: { owner, contextId: task.contextId, createdAt: dateTime(now) },
      status: status === known.status ? null : statusOf(task, passed, now),
      messages: numbered(messages.map(({ message, key }) => ({ ...messageNodeOf(message), key }))),
      artifacts: numbered(changed),
      events: numbered(events.map((event) => ({ event: eventText(event) }))),
    },
    known: {
      messages: new Set([...known.messages, ...messages.map(({ key }) => key)]),
      artifacts: new Map([...known.artifacts, ...texts]),
      status,
    },
  };
}

/** What the database has of a task that was just read, or is just written. */
export function knownOf(task: Task): Known {
  return {
    messages: new Set(keyed(task.history).map(({ key }) => key)),
    artifacts: new Map(task.artifacts.map((each) => [each.artifactId, JSON.stringify(artifactNodeOf(each))] as const)),
    status: statusText(task),
  };
}

/**
 * Messages with what tells them apart in their task: the id, and of one that is said again under an id that was used,
 * which time it is.
 */
function keyed(history: Message[]): { message: Message; key: string }[] {
  const times = new Map<string, number>();
  return history.map((message) => {
    const { messageId } = message;
    const time = (times.get(messageId) ?? 0) + 1;
    times.set(messageId, time);
    return { message, key: time === 1 ? messageId : `${messageId} (${time})` };
  });
}

/** The state of a task and the time it has it since, in milliseconds since 1970. */
export function stateSince({ status }: Task, now: number): { state: string; at: number } {
  const at = Date.parse(status?.timestamp ?? '');
  return { state: stateName(status?.state ?? 0), at: Number.isNaN(at) ? now : at };
}

function statusText(task: Task): string {
  const { status } = task;
  return JSON.stringify([
    status?.state,
    status?.timestamp,
    status ? statusMessageText(status) : null,
    metadataText(task),
  ]);
}

function statusOf(task: Task, passed: TaskDraft['passed'], now: number): StatusDelta {
  const { state, at } = stateSince(task, now);
  const states = passed.length > 0 ? passed : [{ state, at }];
  return {
    ended: isEnded(state),
    resting: isResting(state),
    states: states.map((each) => each.state),
    stateTimes: states.map((each) => dateTime(each.at)),
    properties: {
      contextId: task.contextId,
      state,
      statusAt: dateTime(at),
      statusMessage: task.status ? statusMessageText(task.status) : null,
      metadata: metadataText(task),
    },
  };
}

function numbered<T extends object>(items: T[]): (T & { offset: unknown })[] {
  return items.map((item, offset) => ({ ...item, offset: neo4j.int(offset) }));
}
