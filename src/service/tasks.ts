import type { TaskParts } from '../a2a/handler/handler.ts';
import { dialects } from '../dialects/dialects.ts';
import { dialectName } from '../dialects/one/exchange.ts';
import { oneNotifications } from '../dialects/one/notifications.ts';
import { OwedNotices } from '../push/owedNotices.ts';
import { PushSender } from '../push/pushSender.ts';
import { keySetUrl } from '../security/signingKey.ts';
import { taskSweep } from '../tasks/running/taskSweep.ts';
import { type EndedTask, Tasks } from '../tasks/tasks.ts';
import { sparing } from '../telemetry/logger.ts';
import type { Address } from './address.ts';
import type { Agents } from './agents.ts';
import type { Foundation } from './foundation.ts';
import type { Identity } from './identity.ts';
import type { Storage } from './storage.ts';

/** What keeps tasks, and tells receivers of them. */
export type OpenTasks = TaskParts & Pick<Tasks, 'alongside' | 'endReviewed' | 'inner' | 'kept' | 'resumedBy'>;

export function openTasks(
  { config, instruments, logger, closing }: Foundation,
  { signingKey }: Identity,
  { database }: Storage,
  address: Address,
  { events, seals }: Pick<Agents, 'events' | 'seals'>,
): OpenTasks {
  const sweep = taskSweep(database, {
    keptMs: config.TASK_RETENTION_HOURS * 3_600_000,
    now: Date.now,
    onError: sparing(logger, 'old tasks cannot be removed'),
  });
  closing.add(sweep).start();
  const listeners: ((ended: EndedTask) => void)[] = [];
  const tasks = new Tasks({
    database,
    onError: sparing(logger, 'tasks cannot be looked after'),
    owing: new Set([dialectName]),
    notify: (ended) => {
      for (const listener of listeners) listener(ended);
    },
  });
  const { pushStore } = tasks;
  const sender = new PushSender({
    store: pushStore,
    allowed: config.PUSH_ALLOW,
    onFault: (host, fault) => logger.info({ host, fault }, 'the address of a receiver is refused'),
    signing: () => signingKey && { key: signingKey, issuer: address.url, jku: keySetUrl(address.url) },
    serializers: {
      ...Object.fromEntries(dialects.map(({ name, notifications }) => [name, notifications])),
      [dialectName]: oneNotifications({ events, seals, endpoint: () => address.messages, logger }),
    },
    heard: (receiver, key, task) => pushStore.heard(receiver, key, task),
    instruments,
    logger,
  });
  listeners.push((ended) => sender.tell(ended));
  // The tasks that end with the service have events, too: tasks are closed before their sender.
  closing.add(sender);
  closing.add(tasks);
  const onError = sparing(logger, 'callbacks that are owed cannot be sent');
  closing.add(new OwedNotices({ database, store: pushStore, tell: (ended) => sender.tell(ended), onError })).start();
  return {
    taskStore: tasks.taskStore,
    eventBusManager: tasks.eventBusManager,
    claims: tasks.claims,
    inner: tasks.inner,
    replicated: (executor) => tasks.replicated(executor),
    kept: (key, beside) => tasks.kept(key, beside),
    alongside: (key, beside) => tasks.alongside(key, beside),
    resumedBy: (resumer) => tasks.resumedBy(resumer),
    endReviewed: (tx, tenant, updates) => tasks.endReviewed(tx, tenant, updates),
    push: {
      store: pushStore,
      sender,
      async requireReceiver(receiver, context) {
        await sender.requireReceiver(receiver);
        await pushStore.requireRoom(receiver, context);
      },
    },
  };
}
