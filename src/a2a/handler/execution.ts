import type { AgentExecutor } from '@a2a-js/sdk/server';
import { type Place, placeKey } from '../../calls/slots.ts';

/** The executor, each of whose executions keeps the place that its request has taken until it ends. */
export function keepingPlaces(executor: AgentExecutor): AgentExecutor {
  return {
    async execute(request, bus) {
      const place = request.context.state.get(placeKey) as Place | undefined;
      if (place) place.held = true;
      try {
        await executor.execute(request, bus);
      } finally {
        place?.leave();
      }
    },
    cancelTask: (taskId, bus) => executor.cancelTask(taskId, bus),
  };
}
