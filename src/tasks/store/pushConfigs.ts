import { randomUUID } from 'node:crypto';
import { type Task, TaskPushNotificationConfig } from '@a2a-js/sdk';
import type { PushNotificationStore, ServerCallContext, StoredPushNotificationConfig } from '@a2a-js/sdk/server';
import { refuse } from '../../base/reasons.ts';
import { stateIn } from '../../calls/callState.ts';
import type { Database } from '../../graph/database/database.ts';
import { fixedPlan, type Queryable } from '../../graph/database/queryable.ts';
import { duration } from '../../graph/statements/values.ts';
import { callerOf, ownerAsked } from '../nodes/caller.ts';
import type { TaskKey } from '../nodes/taskNodes.ts';
import type { TaskDraft } from './draft.ts';
import { owedMs, wasTold } from './owedNotices.ts';

const timeoutMs = 10_000;
/** Configurations that a task may have: each of its events goes to each of them. */
const mostOfTask = 10;

/**
 * Where agents want to be told of their tasks (A2A 1.0, section 4.3.1). Their secrets stand on nodes that no agent
 * reads.
 */
export class PushConfigs implements PushNotificationStore {
  /**
   * @param owing the versions and dialects whose receivers are told of a task's end though a replica dies
   * @param receivers how many configurations there were when the task was last written, once that is as it stands;
   * undefined if unknown
   */
  constructor(
    private readonly database: Database,
    private readonly owing: ReadonlySet<string> = new Set(),
    private readonly receivers: (draft: TaskDraft) => Promise<number | undefined> = async () => undefined,
  ) {}

  /**
   * Refuses a configuration for which its task has no room, before anything is done.
   * @throws ConcordError
   */
  async requireRoom({ taskId, id }: TaskPushNotificationConfig, context: ServerCallContext): Promise<void> {
    // One that is still to begin has none.
    if (taskId === '') return;
    const configs = await this.load(taskId, context);
    requireRoomBeside(configs.filter((each) => each.id !== id).length);
  }

  /**
   * Gives the configuration an id if it has none. It may come before its task. The task's node is locked, as by who
   * writes the task, so each event is either written before this configuration or told to it.
   * @throws ConcordError where the task has as many as it may have
   */
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
      owed: this.owing.has(context.requestedVersion) ? duration(owedMs) : null,
    };
    const { tenant } = callerOf(context);
    await this.database.write(async (tx) => {
      await tx.run(
        `${fixedPlan} MERGE (t:Task {tenant: $tenant, id: $taskId}) SET t.updatedAt = datetime()`,
        parameters,
      );
      await requireRoom(tx, { tenant, id: taskId }, parameters.id);
      await tx.run(
        `${fixedPlan} MATCH (t:Task {tenant: $tenant, id: $taskId}) USING INDEX SEEK t:Task(tenant, id)
             MERGE (c:PushConfig {tenant: $tenant, taskId: $taskId, id: $id})
             ON CREATE SET c.createdAt = datetime(), c.owner = coalesce(t.owner, $owner), c.owedAt = datetime() + $owed
             WITH t, c WHERE $asked IS NULL OR c.owner = $asked
             SET c.url = $url, c.config = $config, c.wireVersion = $wireVersion
             MERGE (t)-[:NOTIFIES]->(c)`,
        parameters,
      );
    }, timeoutMs);
  }

  async load(taskId: string, context: ServerCallContext): Promise<TaskPushNotificationConfig[]> {
    return (await this.loadWithMetadata(taskId, context)).map(({ config }) => config);
  }

  /**
   * The configurations, each with the version of A2A in which it was given, the oldest first. Where the call has saved
   * the task, it is told from the write of that whether there are any, so that a task without is not asked about.
   */
  async loadWithMetadata(taskId: string, context: ServerCallContext): Promise<StoredPushNotificationConfig[]> {
    const { draft } = stateIn(context);
    // What could not be written is looked for all the same.
    if (draft?.id === taskId && (await this.receivers(draft).catch(() => undefined)) === 0) return [];
    return this.ofTask({ tenant: callerOf(context).tenant, id: taskId }, ownerAsked(context));
  }

  /** @param owner whose; without one, everybody's of the tenant */
  async ofTask({ tenant, id }: TaskKey, owner: string | undefined): Promise<StoredPushNotificationConfig[]> {
    const { records } = await this.database.read(
      async (tx) =>
        tx.run<{ config: string; wireVersion: string }>(
          `${fixedPlan} MATCH (c:PushConfig) USING INDEX SEEK c:PushConfig(tenant, taskId, id)
             WHERE c.tenant = $tenant AND c.taskId = $taskId AND c.id IS NOT NULL AND ($owner IS NULL OR c.owner = $owner)
             RETURN c.config AS config, c.wireVersion AS wireVersion ORDER BY c.createdAt, c.id`,
          { tenant, taskId: id, owner: owner ?? null },
        ),
      timeoutMs,
    );
    return records.map((record) => ({
      config: TaskPushNotificationConfig.fromJSON(JSON.parse(record.get('config'))),
      wireVersion: record.get('wireVersion'),
    }));
  }

  /** Keeps that a receiver has heard how a task rests, where that is owed to it. */
  async heard(
    { config, wireVersion }: StoredPushNotificationConfig,
    key: TaskKey,
    task: Pick<Task, 'status'>,
  ): Promise<void> {
    if (!this.owing.has(wireVersion)) return;
    await this.database.write((tx) => wasTold(tx, { ...key, configId: config.id }, task), timeoutMs);
  }

  /** @param configId without it, the configuration that has the task's id */
  async delete(taskId: string, context: ServerCallContext, configId = taskId): Promise<void> {
    await this.database.write(
      async (tx) =>
        tx.run(
          `${fixedPlan} MATCH (c:PushConfig {tenant: $tenant, taskId: $taskId, id: $id})
               USING INDEX SEEK c:PushConfig(tenant, taskId, id)
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

/** @throws ConcordError where the task has as many other configurations as it may have */
async function requireRoom(tx: Queryable, { tenant, id: taskId }: TaskKey, id: string): Promise<void> {
  const { records } = await tx.run<{ others: number }>(
    `${fixedPlan} MATCH (c:PushConfig) USING INDEX SEEK c:PushConfig(tenant, taskId, id)
     WHERE c.tenant = $tenant AND c.taskId = $taskId AND c.id IS NOT NULL AND c.id <> $id
     RETURN count(*) AS others`,
    { tenant, taskId, id },
  );
  requireRoomBeside(records[0]?.get('others') ?? 0);
}

function requireRoomBeside(others: number): void {
  if (others < mostOfTask) return;
  throw refuse(
    'push-configs-full',
    `The task has the ${mostOfTask} push notification configurations that it may have; delete one, or replace one by its id`,
    { limit: mostOfTask },
  );
}
