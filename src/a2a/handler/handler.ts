import type { AgentCard, SendMessageRequest, TaskPushNotificationConfig } from '@a2a-js/sdk';
import {
  type A2ARequestHandler,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBusManager,
  type PushNotificationSender,
  type PushNotificationStore,
  type ServerCallContext,
  type TaskStore,
} from '@a2a-js/sdk/server';
import { principalIn, stateIn } from '../../calls/callState.ts';
import { Slots } from '../../calls/slots.ts';
import type { Config } from '../../config/config.ts';
import type { Principal } from '../../security/principal.ts';
import { endingSubscriptions } from '../../tasks/following/subscriptionBus.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { beginningExecutor, beginningTasks } from './dialectTasks.ts';
import { guarded } from './guard.ts';
import { type TaskClaims, takingTurns } from './taskClaims.ts';

/** Where tasks are kept, and how they are followed. */
export interface TaskParts {
  taskStore: TaskStore;
  eventBusManager: ExecutionEventBusManager;
  claims: TaskClaims;
  /** Wraps the executor, where tasks are executed by several replicas. */
  replicated?(executor: AgentExecutor): AgentExecutor;
  /** Absent where push notifications are not served. */
  push?: {
    store: PushNotificationStore;
    sender: PushNotificationSender;
    /** Refuses a receiver that nothing is to be sent to, or for which its task has no room, by throwing. */
    requireReceiver?(config: TaskPushNotificationConfig, context: ServerCallContext): Promise<void>;
  };
}

type TaskConfig = Pick<
  Config,
  | 'TASK_MAX_CONCURRENT'
  | 'TASK_MAX_RUNNING'
  | 'TASK_MAX_HISTORY'
  | 'TASK_MAX_HISTORY_BYTES'
  | 'STREAM_MAX_CONCURRENT'
  | 'STREAM_MAX_OPEN'
>;

export interface TaskHandlerParts extends TaskParts {
  /** The public card; the SDK looks up versions, extensions and capabilities in it. */
  card: AgentCard;
  /** The card for a caller that is known. */
  extendedCard: (principal: Principal) => Promise<AgentCard>;
  executor: AgentExecutor;
  /** As of the guard. */
  changesNothing(params: SendMessageRequest): boolean;
  config: TaskConfig;
  logger: Logger;
}

/** The handler of the task methods, of every transport and version. */
export function taskHandler(parts: TaskHandlerParts): A2ARequestHandler {
  const { card, push, config, logger } = parts;
  const { claims } = parts;
  const taskStore = takingTurns(beginningTasks(parts.taskStore, claims), claims);
  const executor = parts.replicated?.(parts.executor) ?? parts.executor;
  const handler = new DefaultRequestHandler(
    card,
    taskStore,
    holdSlots(beginningExecutor(executor)),
    endingSubscriptions(parts.eventBusManager),
    push?.store,
    push?.sender,
    (context) => parts.extendedCard(principalIn(context)),
  );
  return guarded({
    handler,
    taskStore,
    claims,
    tasks: new Slots({
      what: 'tasks',
      perAgent: config.TASK_MAX_CONCURRENT,
      inAll: config.TASK_MAX_RUNNING,
    }),
    streams: new Slots({
      what: 'streams',
      perAgent: config.STREAM_MAX_CONCURRENT,
      inAll: config.STREAM_MAX_OPEN,
    }),
    maxHistory: config.TASK_MAX_HISTORY,
    maxHistoryBytes: config.TASK_MAX_HISTORY_BYTES,
    changesNothing: parts.changesNothing,
    requireReceiver: async (asked, context) => push?.requireReceiver?.(asked, context),
    failed: (err) => logger.error({ err }, 'a task whose stream nobody reads failed'),
  });
}

/** The executor, each of whose executions keeps the slot that its request has taken until it ends. */
function holdSlots(executor: AgentExecutor): AgentExecutor {
  return {
    async execute(request, bus) {
      const { slot } = stateIn(request.context);
      if (slot) slot.held = true;
      try {
        await executor.execute(request, bus);
      } finally {
        slot?.leave();
      }
    },
    cancelTask: (taskId, bus) => executor.cancelTask(taskId, bus),
  };
}
