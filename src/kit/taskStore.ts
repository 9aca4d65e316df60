import { deserialize, serialize } from 'node:v8';
import type { Task } from '@a2a-js/sdk';
import { InMemoryTaskStore, type ServerCallContext, type TaskStore } from '@a2a-js/sdk/server';
import { LRUCache } from 'lru-cache';

interface Kept {
  contextId: string;
  /** A copy, of which the length is known. */
  bytes: Buffer;
}

/** Tasks in memory, those used last: the SDK's own store keeps all that there ever were. */
export class RecentTasks implements TaskStore {
  private readonly tasks: LRUCache<string, Kept>;

  /** @param most tasks @param mostBytes of all together; of a task that is longer by itself nothing is kept */
  constructor(most: number, mostBytes: number) {
    this.tasks = new LRUCache({ max: most, maxSize: mostBytes, sizeCalculation: ({ bytes }) => bytes.length });
  }

  async save(task: Task): Promise<void> {
    this.tasks.set(task.id, { contextId: task.contextId, bytes: serialize(task) });
  }

  /** Of a task that is kept; 0 of any other. */
  bytesOf(id: string): number {
    return this.tasks.peek(id)?.bytes.length ?? 0;
  }

  async load(id: string): Promise<Task | undefined> {
    const kept = this.tasks.get(id);
    return kept && deserialize(kept.bytes);
  }

  /** Which conversation a task is of. */
  contextOf(id: string): string | undefined {
    return this.tasks.peek(id)?.contextId;
  }

  async list(params: Parameters<TaskStore['list']>[0], context: ServerCallContext): ReturnType<TaskStore['list']> {
    const page = new InMemoryTaskStore();
    for (const kept of this.tasks.rvalues()) if (kept) await page.save(deserialize(kept.bytes), context);
    return page.list(params, context);
  }
}
