import { DefaultExecutionEventBusManager, InMemoryTaskStore } from '@a2a-js/sdk/server';
import type { TaskParts } from '../../src/a2a/handler/handler.ts';

/** The SDK's own, for what needs no Neo4j. */
export function tasksInMemory(): TaskParts {
  const claimed = new Set<string>();
  const taskStore = new InMemoryTaskStore();
  return {
    taskStore,
    eventBusManager: new DefaultExecutionEventBusManager(),
    async claim(id, context) {
      const key = JSON.stringify([context.tenant, context.user?.userName, id]);
      if (claimed.has(key)) return (await taskStore.load(id, context)) ? 'known' : 'under-way';
      claimed.add(key);
      return 'claimed';
    },
  };
}
