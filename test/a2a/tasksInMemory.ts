import { DefaultExecutionEventBusManager, InMemoryTaskStore } from '@a2a-js/sdk/server';
import type { TaskParts } from '../../src/a2a/handler/handler.ts';

/** The SDK's own, for what needs no Neo4j. */
export function tasksInMemory(): TaskParts {
  return { taskStore: new InMemoryTaskStore(), eventBusManager: new DefaultExecutionEventBusManager() };
}
