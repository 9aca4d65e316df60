import { StartupError } from './base/errors.ts';
import type { Service } from './service/startService.ts';

const say = (line: string) => process.stderr.write(`${line}\n`);

const starting = new AbortController();
let service: Service | undefined;

async function stop(signal: string): Promise<void> {
  if (service === undefined) {
    starting.abort(new StartupError(`stopped by ${signal} while it started`));
    return;
  }
  service.logger.info({ signal }, 'stopping');
  try {
    await service.close();
    process.exit(0);
  } catch (error) {
    service.logger.error({ err: error }, 'stopping failed');
    process.exit(1);
  }
}

// Once each: a second signal of the kind ends the process at once. And before the parts are loaded, which takes a
// second: the first process of a container hears no signal that it doesn't listen for.
process.once('SIGINT', stop).once('SIGTERM', stop);

try {
  const { readConfig } = await import('./config/config.ts');
  const { startService } = await import('./service/startService.ts');
  service = await startService(readConfig(process.env), say, {}, starting.signal);
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  say(`concord: ${error.message}`);
  // A wait or a query may be under way still.
  if (starting.signal.aborted) process.exit(0);
  process.exitCode = 1;
}
