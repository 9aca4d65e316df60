import { randomUUID } from 'node:crypto';
import { readConfig } from '../../../src/config/config.ts';
import { startService } from '../../../src/service/startService.ts';
import { SkillExecutor } from '../../../src/skills/skillExecutor.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { testSkills } from '../../a2a/tasks.ts';

/**
 * A replica in a process of its own, whose skill `wait` goes on until `release` is asked of the same replica; or, with
 * REPLICA_SKILLS=own, with Concord's skills. It prints its URL.
 */
const { skills, release } = testSkills();
const executor = new SkillExecutor({
  skills: new Map(
    Object.entries({
      ...skills,
      release: {
        ...skills.echo,
        async run() {
          release();
          return { state: 'completed' as const, artifacts: [], text: 'released' };
        },
      },
    }),
  ),
  timeoutMs: 600_000,
  maxArtifactBytes: 1_000_000,
  logger: createLogger('silent'),
  uuid: randomUUID,
  now: Date.now,
});
const service = await startService(readConfig({ ...process.env, PORT: '0', LOG_LEVEL: 'silent' }), () => {}, {
  ...(process.env.REPLICA_SKILLS !== 'own' && { executor }),
});
process.stdout.write(`${service.url}\n`);
process.once('SIGTERM', async () => {
  await executor.close();
  await service.close();
  process.exit(0);
});
