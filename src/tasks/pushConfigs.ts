import { randomUUID } from 'node:crypto';
import { TaskPushNotificationConfig } from '@a2a-js/sdk';
import type {
  PushNotificationStore,
  ServerCallContext,
  StoredPushNotificationConfig,
} from '@a2a-js/sdk/server';
import type { Database } from '../graph/database.ts';
import { fixedPlan } from '../graph/statementReader.ts';
import { callerOf, ownerAsked } from './caller.ts';

const timeoutMs = 10_000;

/** Where agents want to be told of their tasks (A2A 1.0, section 4.3.1). Their secrets stand on nodes that no agent reads. */
export class PushConfigs implements PushNotificationStore {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  /** Gives the configuration an id if it has none. It may come before its task. */
  async save(taskId: string, context: ServerCallContext, config: TaskPushNotificationConfig): Promise<void> {
    config.id ||= randomUUID();
    const parameters = {
      ...callerOf(context),
      asked: ownerAsked(context) ?? null,
      taskId,
      id: config.id,
      url: config.url,
      config: JSON.stringify(TaskPushNotificationConfig.toJSON(config)),
      // A request that names no version is one of 0.3.
      wireVersion: context.requestedVersion || '0.3',
    };
    await this.database.write(
      async (tx) =>
        tx.run(
          `${fixedPlan} MERGE (t:Task {tenant: $tenant, id: $taskId})
             MERGE (c:PushConfig {tenant: $tenant, taskId: $taskId, id: $id})
             ON CREATE SET c.createdAt = datetime(), c.owner = coalesce(t.owner, $owner)
             WITH t, c WHERE $asked IS NULL OR c.owner = $asked
             SET c.url = $url, c.config = $config, c.wireVersion = $wireVersion
             MERGE (t)-[:NOTIFIES]->(c)`,
          parameters,
        ),
      timeoutMs,
    );
  }

  async load(taskId: string, context: ServerCallContext): Promise<TaskPushNotificationConfig[]> {
    return (await this.loadWithMetadata(taskId, context)).map(({ config }) => config);
  }

  /** The configurations, each with the version of A2A in which it was given, the oldest first. */
  async loadWithMetadata(
    taskId: string,
    context: ServerCallContext,
  ): Promise<StoredPushNotificationConfig[]> {
    const { records } = await this.database.read(
      async (tx) =>
        tx.run<{ config: string; wireVersion: string }>(
          `${fixedPlan} MATCH (c:PushConfig) USING INDEX c:PushConfig(tenant, taskId, id)
             WHERE c.tenant = $tenant AND c.taskId = $taskId AND c.id IS NOT NULL AND ($owner IS NULL OR c.owner = $owner)
             RETURN c.config AS config, c.wireVersion AS wireVersion ORDER BY c.createdAt, c.id`,
          { tenant: callerOf(context).tenant, taskId, owner: ownerAsked(context) ?? null },
        ),
      timeoutMs,
    );
    return records.map((record) => ({
      config: TaskPushNotificationConfig.fromJSON(JSON.parse(record.get('config'))),
      wireVersion: record.get('wireVersion'),
    }));
  }

  /** @param configId without it, the configuration that has the task's id */
  async delete(taskId: string, context: ServerCallContext, configId = taskId): Promise<void> {
    await this.database.write(
      async (tx) =>
        tx.run(
          `${fixedPlan} MATCH (c:PushConfig {tenant: $tenant, taskId: $taskId, id: $id})
               USING INDEX c:PushConfig(tenant, taskId, id)
             WHERE $owner IS NULL OR c.owner = $owner
             DETACH DELETE c`,
          {
            tenant: callerOf(context).tenant,
            taskId,
            id: configId,
            owner: ownerAsked(context) ?? null,
          },
        ),
      timeoutMs,
    );
  }
}
