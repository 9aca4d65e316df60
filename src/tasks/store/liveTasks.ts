import type { Task } from '@a2a-js/sdk';
import { type AgentExecutionEvent, DefaultExecutionEventBus } from '@a2a-js/sdk/server';
import { getOrInsert } from '../../base/getOrInsert.ts';
import type { Beside } from '../../skills/skill.ts';
import { shows } from '../nodes/events.ts';
import { keyText, type TaskKey } from '../nodes/taskNodes.ts';
import { isResting, stateName } from '../nodes/taskState.ts';
import { type Known, nothingKnown, type TaskDraft } from './draft.ts';

/** A task that this replica executes: its bus, and what it comes to before the database has it. */
export class LiveTask implements TaskKey {
  readonly tenant: string;
  readonly id: string;
  readonly bus = new DefaultExecutionEventBus();
  /** Under way at the same time: a follow-up may come while the task runs. */
  executions = 0;
  /** Whether it was executed yet. */
  begun = false;
  /** Whether there was no such task before it was executed here. */
  isNew = false;
  /** Whether it is so only as far as this replica knows. */
  isGuess = false;
  /** How many times in a row it was found that nobody executes it. */
  foundIdle = 0;
  /** What the database has of it before the first draft. */
  known: Known | undefined;
  draft: TaskDraft | undefined;
  /** What is to be written beside it. */
  readonly beside: Beside[] = [];
  /** Whether it was told to stop already. */
  cancelled = false;
  private readonly published: AgentExecutionEvent[] = [];

  constructor({ tenant, id }: TaskKey) {
    this.tenant = tenant;
    this.id = id;
    this.bus.on('event', (event) => this.published.push(event));
  }

  get isResting(): boolean {
    return this.draft !== undefined && isResting(stateName(this.draft.task.status?.state ?? 0));
  }

  /** Takes a task as it has become, with the events that it shows. */
  take(task: Task, owner: string, replica: string): TaskDraft {
    const { tenant, id, known = nothingKnown() } = this;
    const { beside, isGuess: guess } = this;
    this.draft ??= { tenant, id, owner, task, known, passed: [], events: [], beside, replica, guess };
    this.draft.task = task;
    const last = this.published.findLastIndex((event) => shows(task, event));
    const shown = this.published.splice(0, last + 1).filter(({ kind }) => kind !== 'message');
    this.draft.events.push(...shown);
    return this.draft;
  }
}

/** The tasks that this replica executes. */
export class LiveTasks {
  private readonly tasks = new Map<string, LiveTask>();

  get(key: TaskKey): LiveTask | undefined {
    return this.tasks.get(keyText(key));
  }

  open(key: TaskKey): LiveTask {
    return getOrInsert(this.tasks, keyText(key), () => new LiveTask(key));
  }

  all(): LiveTask[] {
    return [...this.tasks.values()];
  }

  /** Lets go of a task. What comes of it later is read from the database. */
  drop(live: LiveTask): void {
    this.tasks.delete(keyText(live));
  }
}
