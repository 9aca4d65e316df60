import { readConfig } from '../../src/config/config.ts';
import { startService } from '../../src/service/startService.ts';
import { tasksInMemory } from '../a2a/tasksInMemory.ts';

/** Concord with the SDK's own store in the place of the tasks in Neo4j. */
const service = await startService(readConfig(process.env), () => {}, { tasks: tasksInMemory() });
process.once('SIGTERM', async () => {
  await service.close();
  process.exit(0);
});
