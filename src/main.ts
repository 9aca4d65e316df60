import { StartupError } from './base/errors.ts';
import { readConfig } from './config/config.ts';
import { type Service, startService } from './service/startService.ts';

const say = (line: string) => process.stderr.write(`${line}\n`);

function closeOnSignals(service: Service): void {
  const stop = async (signal: string) => {
    service.logger.info({ signal }, 'stopping');
    try {
      await service.close();
      process.exit(0);
    } catch (error) {
      service.logger.error({ err: error }, 'stopping failed');
      process.exit(1);
    }
  };
  // Once each: a second signal of the kind ends the process at once.
  process.once('SIGINT', stop).once('SIGTERM', stop);
}

try {
  closeOnSignals(await startService(readConfig(process.env), say));
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  say(`concord: ${error.message}`);
  process.exitCode = 1;
}
