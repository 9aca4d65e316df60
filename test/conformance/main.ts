import { spawn } from 'node:child_process';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createLegacyAwarePushNotificationSender } from '@a2a-js/sdk/compat/v0_3/server';
import { InMemoryPushNotificationStore } from '@a2a-js/sdk/server';
import { readConfig } from '../../src/config/config.ts';
import { startService } from '../../src/service/startService.ts';
import { kitAgent } from './kitAgent.ts';

/** How the kit in a folder is run. */
interface Kit {
  otherwise: Parameters<typeof kitAgent>[0];
  settings: Record<string, string>;
  command(url: string): string[];
  environment?: Record<string, string>;
}

const say = (line: string) => process.stderr.write(`${line}\n`);

/** A2A 1.0: the kit's branch `1.0-dev`. */
const kit10: Kit = {
  otherwise: 'completed',
  settings: { A2A_KIT: 'true' },
  command: (url) => ['run_tck.py', '--sut-host', url, '--transport', 'grpc,jsonrpc,http_json', '--', '-rs'],
};

/** A2A 0.3: the kit's branch `0.3.x`, which reads a card of 0.3 without asking for it. */
const kit03: Kit = {
  otherwise: 'input-required',
  settings: { A2A_KIT: 'true', AGENT_CARD_VERSION: '0.3' },
  command: (url) => [
    'run_tck.py',
    '--sut-url',
    `${url}/a2a`,
    '--category',
    'mandatory',
    '--transports',
    'jsonrpc,rest,grpc',
  ],
  environment: { TCK_STREAMING_TIMEOUT: '2.0' },
};

async function kitIn(folder: string): Promise<Kit> {
  const has = (name: string) =>
    access(join(folder, name)).then(
      () => true,
      () => false,
    );
  if (!(await has('run_tck.py'))) throw new Error(`${folder} does not hold the kit: there is no run_tck.py`);
  return (await has('scenarios')) ? kit10 : kit03;
}

function run(python: string, args: string[], folder: string, environment: Record<string, string> = {}) {
  return new Promise<number>((settle, reject) => {
    const child = spawn(python, args, {
      cwd: folder,
      stdio: 'inherit',
      env: { ...process.env, ...environment },
    });
    child.once('error', reject);
    child.once('close', (code) => settle(code ?? 1));
  });
}

const [, , given] = process.argv;
if (given === undefined) {
  say('Usage: npm run tck -- DIR, the folder of a2aproject/a2a-tck (branch 1.0-dev or 0.3.x).');
  say('PYTHON is the Python that has its packages: pip install DIR.');
  process.exit(2);
}
const folder = resolve(given);
const kit = await kitIn(folder);
const data = await mkdtemp(join(tmpdir(), 'concord-tck-'));
const store = new InMemoryPushNotificationStore();
const service = await startService(
  readConfig({
    PORT: '0',
    GRPC_PORT: '0',
    NEO4J_BOLT_PORT: '0',
    NEO4J_HTTP_PORT: '0',
    LOG_LEVEL: 'warn',
    DATA_DIR: data,
    ...kit.settings,
    ...process.env,
  }),
  say,
  {
    executor: kitAgent(kit.otherwise),
    tasks: {
      push: { store, sender: createLegacyAwarePushNotificationSender(store) },
    },
  },
);
try {
  process.exitCode = await run(process.env.PYTHON ?? 'python3', kit.command(service.url), folder, kit.environment);
} finally {
  await service.close();
  await rm(data, { recursive: true, force: true });
}
