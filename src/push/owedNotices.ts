import { AgentEvent } from '@a2a-js/sdk/server';
import { Periodic } from '../base/periodic.ts';
import type { Database } from '../graph/database/database.ts';
import { readTask } from '../tasks/nodes/readTasks.ts';
import { type OwedNotice, takeOwed } from '../tasks/store/owedNotices.ts';
import type { PushConfigs } from '../tasks/store/pushConfigs.ts';
import type { EndedTask } from '../tasks/tasks.ts';
import { untraced } from '../telemetry/tracing.ts';

export interface OwedNoticesParts {
  database: Database;
  store: Pick<PushConfigs, 'ofTask'>;
  tell(ended: EndedTask): void;
  onError(error: unknown): void;
}

const everyMs = 20_000;
const batch = 100;
const timeoutMs = 10_000;

/**
 * Tells receivers how their tasks rest whose replica has died, or who were away for longer than a notification is tried
 * again: what waits is in the memory of a replica, and what is owed in the graph.
 */
export class OwedNotices {
  private readonly looking: Periodic;

  constructor(private readonly parts: OwedNoticesParts) {
    this.looking = new Periodic({ everyMs, work: () => untraced(() => this.look()), onError: parts.onError });
  }

  start(): void {
    this.looking.wake();
    this.looking.start();
  }

  close(): Promise<void> {
    return this.looking.close();
  }

  private async look(): Promise<void> {
    for (let found = batch; found === batch && !this.looking.isClosed; ) {
      const owed = await this.parts.database.write((tx) => takeOwed(tx, batch), timeoutMs);
      for (const each of owed) await this.tell(each);
      found = owed.length;
    }
  }

  private async tell({ configId, ...key }: OwedNotice): Promise<void> {
    const { database, store, tell } = this.parts;
    const found = await database.read((tx) => readTask(tx, key, undefined), timeoutMs);
    if (!found) return;
    const { owner, task } = found;
    const ids = { taskId: task.id, contextId: task.contextId };
    const event = AgentEvent.statusUpdate({ ...ids, status: task.status, metadata: undefined });
    const receivers = async () => (await store.ofTask(key, undefined)).filter(({ config }) => config.id === configId);
    tell({ tenant: key.tenant, owner, task, events: [event], receivers });
  }
}
