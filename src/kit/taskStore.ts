import type { Task } from '@a2a-js/sdk';
import { InMemoryTaskStore, type ServerCallContext, type TaskStore } from '@a2a-js/sdk/server';
import { LRUCache } from 'lru-cache';

/** Tasks in memory, the newest of them: the SDK's own store keeps all that there ever were. */
export class RecentTasks implements TaskStore {
  private readonly tasks: LRUCache<string, Task>;

  constructor(most: number) {
    this.tasks = new LRUCache({ max: most });
  }

  async save(task: Task): Promise<void> {
    this.tasks.set(task.id, structuredClone(task));
  }

  async load(id: string): Promise<Task | undefined> {
    const task = this.tasks.get(id);
    return task && structuredClone(task);
  }

  /** Which conversation a task is of. */
  contextOf(id: string): string | undefined {
    return this.tasks.peek(id)?.contextId;
  }

  async list(params: Parameters<TaskStore['list']>[0], context: ServerCallContext): ReturnType<TaskStore['list']> {
    const page = new InMemoryTaskStore();
    for (const task of this.tasks.rvalues()) if (task) await page.save(task, context);
    return page.list(params, context);
  }
}
