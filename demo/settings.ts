import { fileURLToPath } from 'node:url';
import { type Config, readConfig } from '../src/config/config.ts';
import { tryPort } from '../src/neo4jServer/ports.ts';
import { distrusted } from './story.ts';

/**
 * The demo's configuration: that of the environment, with the demo's vocabulary and trust, and with any free port where the usual
 * one is taken and none is set.
 * @throws StartupError
 */
export async function demoConfig(
  environment: Record<string, string | undefined>,
  report: (line: string) => void,
): Promise<Config> {
  const config = readConfig({
    ...environment,
    VOCABULARY: fileURLToPath(new URL('world.graphql', import.meta.url)),
    AGENT_TRUST: [environment.AGENT_TRUST, `${distrusted}=0.2`].filter(Boolean).join(','),
    // The demo's own agent listens on this machine.
    AGENT_ALLOW: [environment.AGENT_ALLOW, '127.0.0.1'].filter(Boolean).join(','),
    LOG_LEVEL: environment.LOG_LEVEL || 'warn',
  });
  if (environment.PORT || (await tryPort(config.PORT)) !== undefined) return config;
  report(`Port ${config.PORT} is taken, so Concord takes a free one. PORT sets another.`);
  return { ...config, PORT: 0 };
}
