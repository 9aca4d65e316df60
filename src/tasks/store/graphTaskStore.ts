import type { ListTasksRequest, ListTasksResponse, Task } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import type { ServerCallContext, TaskStore } from '@a2a-js/sdk/server';
import { stateIn } from '../../calls/callState.ts';
import { asConcordError } from '../../calls/faults.ts';
import type { Database } from '../../graph/database/database.ts';
import { callerOf, ownerAsked } from '../nodes/caller.ts';
import { type Cursor, listTasks, readTask } from '../nodes/readTasks.ts';
import { isResting, stateName } from '../nodes/taskState.ts';
import { type Known, knownOf, nothingKnown, stateSince, type TaskDraft } from './draft.ts';
import type { LiveTask, LiveTasks } from './liveTasks.ts';
import type { TaskWriter } from './taskWriter.ts';

export interface GraphTaskStoreParts {
  database: Database;
  writer: TaskWriter;
  live: LiveTasks;
  /** Of this replica. */
  replica: string;
  /** Milliseconds since 1970. */
  now(): number;
}

const timeoutMs = 10_000;

/**
 * Tasks as nodes. A task that this replica executes is kept in memory too, so that what becomes of it is not read
 * again.
 */
export class GraphTaskStore implements TaskStore {
  /** What the database has of tasks that were read from it. */
  private readonly read = new WeakMap<Task, Known>();

  constructor(private readonly parts: GraphTaskStoreParts) {}

  /**
   * Resolves when the task is in the database; at once for a state between begin and end, and for the begin too where
   * the caller hears of the task only at its end. What that caller doesn't wait for is held back for a moment, so that a
   * task which ends within it takes one transaction.
   * @throws ConcordError
   */
  async save(task: Task, context: ServerCallContext): Promise<void> {
    const { live, writer } = this.parts;
    const { tenant, owner } = callerOf(context);
    const state = stateIn(context);
    const running = live.get({ tenant, id: task.id });
    const draft = running ? this.taken(running, task, owner) : this.drafted(task, tenant, owner);
    state.draft = draft;
    const isNew = draft.known.status === undefined;
    if (running && !isResting(stateName(task.status?.state ?? 0)) && !(isNew && !state.waits)) {
      if (isNew || state.waits) writer.hold(draft);
      else void writer.write(draft);
      return;
    }
    await writer.write(draft).catch((error: unknown) => {
      throw asConcordError(error);
    });
    if (!running) this.read.set(task, draft.known);
  }

  async load(taskId: string, context: ServerCallContext): Promise<Task | undefined> {
    const { live, database, writer } = this.parts;
    const { tenant } = callerOf(context);
    const owner = ownerAsked(context);
    const { following, guesses } = stateIn(context);
    // To others than who has begun it, a task is there once the database has taken it.
    const guessed = guesses ? undefined : live.get({ tenant, id: taskId })?.draft;
    if (guessed?.guess) await writer.write(guessed).catch(() => {});
    const running = live.get({ tenant, id: taskId });
    const draft = running?.draft;
    // Who follows it reads the database, which may not have its begin yet.
    if (draft && following && draft.known.status === undefined) await writer.write(draft).catch(() => {});
    if (draft && !following && (owner === undefined || draft.owner === owner)) return structuredClone(draft.task);
    if (running?.isNew && !draft && (guesses || !running.isGuess)) return undefined;
    const found = await database.read((tx) => readTask(tx, { tenant, id: taskId }, owner), timeoutMs);
    if (!found) return undefined;
    following?.followFrom(found.events);
    this.read.set(found.task, knownOf(found.task));
    return found.task;
  }

  async list(params: ListTasksRequest, context: ServerCallContext): Promise<ListTasksResponse> {
    const { contextId, status, pageSize = 50, pageToken, statusTimestampAfter, historyLength } = params;
    const owner = ownerAsked(context);
    const { tasks, total } = await this.parts.database.read(
      (tx) =>
        listTasks(
          tx,
          {
            tenant: callerOf(context).tenant,
            ...(owner !== undefined && { owner }),
            ...(contextId && { contextId }),
            ...(status && { state: stateName(status) }),
            ...(statusTimestampAfter && { after: Date.parse(statusTimestampAfter) }),
          },
          {
            // One more tells whether there is another page.
            size: pageSize + 1,
            ...(pageToken && { cursor: cursorOf(pageToken) }),
            ...(historyLength !== undefined && { history: historyLength }),
            artifacts: params.includeArtifacts ?? false,
          },
        ),
      timeoutMs,
    );
    const shown = tasks.slice(0, pageSize);
    const last = tasks.length > pageSize ? shown.at(-1) : undefined;
    return { tasks: shown, nextPageToken: last ? tokenOf(last) : '', pageSize, totalSize: total };
  }

  /** What the database has of a task that this store gave. */
  known(task: Task | undefined): Known | undefined {
    return task && this.read.get(task);
  }

  private taken(running: LiveTask, task: Task, owner: string): TaskDraft {
    const { replica, now } = this.parts;
    const before = running.draft && stateName(running.draft.task.status?.state ?? 0);
    const draft = running.take(structuredClone(task), owner, replica);
    const since = stateSince(task, now());
    if (since.state !== before) draft.passed.push(since);
    return draft;
  }

  private drafted(task: Task, tenant: string, owner: string): TaskDraft {
    const known = this.read.get(task) ?? nothingKnown();
    return { tenant, id: task.id, owner, task: structuredClone(task), known, passed: [], events: [] };
  }
}

function tokenOf({ id, status }: Task): string {
  const cursor: Cursor = { at: Date.parse(status?.timestamp ?? ''), id };
  return Buffer.from(JSON.stringify([cursor.at, cursor.id])).toString('base64url');
}

/** @throws RequestMalformedError */
function cursorOf(token: string): Cursor {
  try {
    const [at, id]: unknown[] = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (Number.isSafeInteger(at) && typeof id === 'string') return { at: at as number, id };
  } catch {
    // Said below.
  }
  throw new RequestMalformedError('The pageToken is none that ListTasks gave');
}
