import { TaskState } from '@a2a-js/sdk';
import { DefaultExecutionEventBusManager, InMemoryTaskStore } from '@a2a-js/sdk/server';
import type { TaskParts } from '../../src/a2a/handler/handler.ts';

/** The SDK's own, for what needs no Neo4j. */
export function tasksInMemory(): TaskParts {
  const claimed = new Set<string>();
  const taskStore = new InMemoryTaskStore();
  return {
    taskStore,
    eventBusManager: new DefaultExecutionEventBusManager(),
    claims: {
      async begin(id, context) {
        const key = JSON.stringify([context.tenant, context.user?.userName, id]);
        if (claimed.has(key)) return (await taskStore.load(id, context)) ? 'known' : 'under-way';
        claimed.add(key);
        return 'claimed';
      },
      async goOn(id, context) {
        const { state, message } = (await taskStore.load(id, context))?.status ?? {};
        const question = `${id} ${message?.messageId}`;
        if (state !== TaskState.TASK_STATE_INPUT_REQUIRED || claimed.has(question)) return false;
        claimed.add(question);
        return true;
      },
      async release() {},
    },
  };
}
