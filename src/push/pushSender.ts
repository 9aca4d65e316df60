import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamResponse, Task, TaskPushNotificationConfig } from '@a2a-js/sdk';
import { V03PushNotificationSerializer } from '@a2a-js/sdk/compat/v0_3/server';
import {
  type PushNotificationSender,
  type PushNotificationStore,
  type ServerCallContext,
  type StoredPushNotificationConfig,
  V1PushNotificationSerializer,
} from '@a2a-js/sdk/server';
import { endsWithin } from '../base/endsWithin.ts';
import { type Caller, callerOf } from '../tasks/nodes/caller.ts';
import type { TaskKey } from '../tasks/nodes/taskNodes.ts';
import { isResting, stateName } from '../tasks/nodes/taskState.ts';
import type { EndedTask } from '../tasks/tasks.ts';
import type { Instruments } from '../telemetry/instruments.ts';
import type { Logger } from '../telemetry/logger.ts';
import { type AttemptParts, attempt, requireReceiver } from './attempt.ts';
import { type Patience, ReceiverQueue } from './receiverQueue.ts';
import type { Serializer } from './serializer.ts';

export interface PushParts extends Omit<AttemptParts, 'now'> {
  store: PushNotificationStore;
  instruments: Instruments;
  logger: Logger;
  /** Told that a receiver has heard how a task rests. */
  heard?(receiver: StoredPushNotificationConfig, key: TaskKey, task: Pick<Task, 'status'>): Promise<void>;
  /** Of the dialects, by their names. */
  serializers?: Record<string, Serializer>;
  patience?: Partial<Patience>;
  /** Milliseconds since 1970. */
  now?(): number;
}

const defaultPatience: Patience = {
  attempts: 5,
  baseMs: 500,
  failures: 3,
  pauseMs: 60_000,
  maxWaiting: 1_000,
};

/** Receivers that are remembered, before those of which nothing has to be are forgotten. */
const manyReceivers = 1_000;
/** Bytes that may wait, of all receivers together. */
const maxBytes = 64 * 1024 * 1024;
const ofCurrent = new V1PushNotificationSerializer();
/** How long a shutdown waits for what is under way. */
const closeMs = 5_000;

interface Event {
  event: StreamResponse;
  task: Task | undefined;
  /** Reads the task's configurations. */
  receivers(): Promise<StoredPushNotificationConfig[]>;
}

/**
 * Tells receivers of the events of tasks; A2A 1.0, section 4.3.3. What waits and who is paused is in memory: a
 * notification is lost with its process, but for what `OwedNotices` sends again, and each replica finds out by itself
 * that a receiver is dead. A receiver is a URL of one agent, so that none is paused for another.
 */
export class PushSender implements PushNotificationSender {
  private readonly now: () => number;
  private readonly receivers = new Map<string, ReceiverQueue>();
  /** The events of a task that are still to be handed to its receivers, in their order. */
  private readonly arriving = new Map<string, Event[]>();
  private readonly handing = new Set<Promise<void>>();
  private waitingBytes = 0;
  private readonly closing = new AbortController();
  private readonly cut = new AbortController();
  /** By the version or dialect in which a receiver was set. */
  private readonly serializers: Map<string, Serializer>;

  constructor(private readonly parts: PushParts) {
    this.now = parts.now ?? Date.now;
    this.serializers = new Map<string, Serializer>([
      ['1.0', ofCurrent],
      ['0.3', new V03PushNotificationSerializer()],
      ...Object.entries(parts.serializers ?? {}),
    ]);
    for (const { signal } of [this.closing, this.cut]) setMaxListeners(0, signal);
  }

  /**
   * Looks at a configuration before it is kept; its address is looked at again whenever something is sent.
   * @throws ConcordError -32602 with the reason
   */
  async requireReceiver(config: TaskPushNotificationConfig): Promise<void> {
    await requireReceiver(config, this.parts);
  }

  /** Hands an event on to the task's receivers. It settles when they have it in their queues, and never rejects. */
  async send(event: StreamResponse, context: ServerCallContext, task?: Task): Promise<void> {
    const taskId = taskOf(event);
    if (!taskId || this.cut.signal.aborted) return;
    const receivers = async () => (await this.parts.store.loadWithMetadata?.(taskId, context)) ?? [];
    // The SDK goes on with the objects.
    await this.take(callerOf(context), taskId, [{ ...structuredClone({ event, task }), receivers }]);
  }

  /** Hands on what has ended a task that nobody executed. */
  tell({ tenant, owner, task, events, receivers }: EndedTask): void {
    if (this.cut.signal.aborted) return;
    const arrived = events.map(({ kind, data }) => ({
      event: { payload: { $case: kind, value: data } } as StreamResponse,
      task,
      receivers,
    }));
    void this.take({ tenant, owner }, task.id, arrived);
  }

  private async take(caller: Caller, taskId: string, arrived: Event[]): Promise<void> {
    const key = JSON.stringify([caller.tenant, caller.owner, taskId]);
    const events = this.arriving.get(key);
    if (events) {
      events.push(...arrived);
      return;
    }
    this.arriving.set(key, arrived);
    const handing = this.handOn(key, taskId, caller);
    this.handing.add(handing);
    await handing.finally(() => this.handing.delete(handing));
  }

  /** Sends what is under way, without trying again, for some seconds at most. */
  async close(): Promise<void> {
    this.closing.abort();
    await endsWithin(this.settled(), closeMs);
    this.cut.abort();
    await this.settled();
  }

  private async settled(): Promise<void> {
    await Promise.all(this.handing);
    await Promise.all([...this.receivers.values()].map((each) => each.done()));
  }

  /** Reads the configurations once for all events that have come meanwhile. */
  private async handOn(key: string, taskId: string, caller: Caller): Promise<void> {
    try {
      for (;;) {
        const events = this.arriving.get(key)?.splice(0) ?? [];
        const last = events.at(-1);
        if (last === undefined) return;
        const configs = await last.receivers();
        for (const event of events) for (const config of configs) await this.enqueue(event, taskId, config, caller);
      }
    } catch (error) {
      this.parts.logger.error({ err: error, taskId }, 'the receivers of push notifications cannot be read');
    } finally {
      this.arriving.delete(key);
    }
  }

  private async enqueue(
    { event, task }: Event,
    taskId: string,
    receiver: StoredPushNotificationConfig,
    { tenant, owner }: Caller,
  ): Promise<void> {
    const { config, wireVersion } = receiver;
    const serializer: Serializer = this.serializers.get(wireVersion) ?? ofCurrent;
    const serialized = await this.serialized(() => serializer.serialize(event, task, { tenant, owner }), taskId);
    if (!serialized) return;
    const { body: text, ...plain } = serialized;
    const body = Buffer.from(text);
    if (this.waitingBytes + body.length > maxBytes) {
      this.parts.instruments.pushNotifications.add(1, { outcome: 'overflow' });
      return;
    }
    this.waitingBytes += body.length;
    this.receiver(JSON.stringify([tenant, owner, config.url])).add({
      notification: { ...plain, id: randomUUID(), about: { taskId }, body },
      attempt: async (notification) => {
        const parts = { ...this.parts, now: this.now };
        const outcome = await attempt(parts, config, notification, this.cut.signal);
        if (outcome.kind === 'delivered') await this.delivered(event, receiver, { tenant, id: taskId });
        return outcome;
      },
    });
  }

  /** What was delivered and can't be kept is delivered once more, under the same id. */
  private async delivered({ payload }: StreamResponse, receiver: StoredPushNotificationConfig, key: TaskKey) {
    if (payload?.$case !== 'statusUpdate') return;
    const { status } = payload.value;
    if (!isResting(stateName(status?.state ?? 0))) return;
    await this.parts.heard?.(receiver, key, { status }).catch((err: unknown) => {
      this.parts.logger.warn({ err, taskId: key.id }, 'that a receiver was told is not kept');
    });
  }

  /** What one receiver cannot be told, the others are told all the same. */
  private async serialized(serialize: () => ReturnType<Serializer['serialize']>, taskId: string) {
    try {
      return await serialize();
    } catch (err) {
      this.parts.logger.error({ err, taskId }, 'a push notification cannot be written');
      return undefined;
    }
  }

  private receiver(key: string): ReceiverQueue {
    const known = this.receivers.get(key);
    if (known) return known;
    if (this.receivers.size >= manyReceivers) {
      for (const [each, queue] of this.receivers) if (queue.isForgettable) this.receivers.delete(each);
    }
    const { signal } = this.closing;
    const queue = new ReceiverQueue({
      patience: { ...defaultPatience, ...this.parts.patience },
      // A pause of a minute is one, though the clock is set meanwhile.
      now: this.parts.now ?? (() => performance.now()),
      pause: (ms) => sleep(ms, undefined, { signal }).catch(() => {}),
      closing: signal,
      settled: ({ about, body }, outcome, reason) => {
        this.waitingBytes -= body.length;
        this.parts.instruments.pushNotifications.add(1, { outcome });
        // Neither the URL, which may hold a secret in its path, nor what the receiver said.
        if (outcome === 'failed') this.parts.logger.warn({ ...about, reason }, 'a push notification was not delivered');
      },
    });
    this.receivers.set(key, queue);
    return queue;
  }
}

/** The task that an event is of; '' for a message outside of tasks. */
function taskOf({ payload }: StreamResponse): string {
  if (!payload) return '';
  return payload.$case === 'task' ? payload.value.id : payload.value.taskId;
}
