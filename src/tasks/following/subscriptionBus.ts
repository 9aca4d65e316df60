import type { ExecutionEventBus, ExecutionEventBusManager, ServerCallContext } from '@a2a-js/sdk/server';
import { signalIn, stateIn } from '../../calls/callState.ts';

/**
 * The manager, with buses that end for a subscriber when its call does. The SDK reads from a bus until the task ends,
 * however long the subscriber has been gone, and keeps its listener there.
 */
export function endingSubscriptions(manager: ExecutionEventBusManager): ExecutionEventBusManager {
  const settle = manager.settleByTaskId?.bind(manager);
  return {
    createOrGetByTaskId: (taskId, context) => manager.createOrGetByTaskId(taskId, context),
    getByTaskId(taskId, context) {
      const bus = manager.getByTaskId(taskId, context);
      return bus && context && stateIn(context).subscribes ? endingWith(bus, context) : bus;
    },
    cleanupByTaskId: (taskId, context) => manager.cleanupByTaskId(taskId, context),
    ...(settle && { settleByTaskId: settle }),
  };
}

/**
 * A bus that tells those who listen by it that it has finished when the call ends; they take their listeners off then.
 */
function endingWith(bus: ExecutionEventBus, context: ServerCallContext): ExecutionEventBus {
  const signal = signalIn(context);
  const on = (name: 'event' | 'finished', listener: () => void) => {
    bus.on(name as 'finished', listener);
    if (name === 'finished') {
      if (signal.aborted) listener();
      else signal.addEventListener('abort', () => listener(), { once: true });
    }
    return ending;
  };
  const ending = new Proxy(bus, {
    get(target, name) {
      if (name === 'on') return on;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return ending;
}
