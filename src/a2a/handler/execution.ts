import type { AgentExecutor } from '@a2a-js/sdk/server';
import { stateIn } from '../../calls/callState.ts';

/** The executor, each of whose executions keeps the slot that its request has taken until it ends. */
export function holdSlots(executor: AgentExecutor): AgentExecutor {
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
