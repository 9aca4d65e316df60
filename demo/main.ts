import { once } from 'node:events';
import { Command } from 'commander';
import { StartupError } from '../src/base/errors.ts';
import { ConcordClientError } from '../src/client/index.ts';
import type { Config } from '../src/config/config.ts';
import { type Service, startService } from '../src/service/startService.ts';
import { showAddresses } from './addresses.ts';
import { takeCensus } from './census.ts';
import { counted, Screen } from './screen.ts';
import { demoConfig } from './settings.ts';
import { tellStory } from './story.ts';

const { once: onlyOnce } = new Command('npm run demo --')
  .description('Starts Concord, lets three agents build a graph of the countries of the world, and stays up.')
  .option('--once', 'stop after the story')
  .addHelpText('after', '\nThe data stays in DATA_DIR (.concord); a second run finds it there and changes nothing.')
  .parse()
  .opts<{ once?: boolean }>();

const { stdout } = process;
const screen = new Screen(stdout, stdout.isTTY === true && !process.env.NO_COLOR);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // Once each: a second signal of the kind ends the process at once.
  process.once(signal, () => stop.abort());
}

/** Starts, tells the story, waits, stops. */
async function demo(): Promise<void> {
  screen.heading('Concord: a knowledge graph that agents share. The demo: a graph of the world');
  const report = (line: string) => screen.aside(line);
  const config = await demoConfig(process.env, report);
  const service = await startService(config, report);
  try {
    await present(service, config);
    if (onlyOnce) return;
    screen.line('Concord stays up until Ctrl-C.');
    await untilStopped();
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    screen.aside('Stopping');
    await service.close();
  }
}

async function present(service: Service, config: Config): Promise<void> {
  await tellStory(service.url, screen, stop.signal);
  const { nodes, relationships, revision } = await takeCensus(service.neo4j);
  screen.heading('The graph');
  screen.line(
    `Revision ${revision}: ${counted(nodes)} nodes and ${counted(relationships)} relationships, the change log included.`,
  );
  screen.line('Run the demo again: it changes nothing.');
  showAddresses(service, config, screen);
}

async function untilStopped(): Promise<void> {
  if (!stop.signal.aborted) await once(stop.signal, 'abort');
}

try {
  await demo();
} catch (error) {
  if (!(error instanceof StartupError || error instanceof ConcordClientError)) throw error;
  process.stderr.write(`concord: ${error.message}\n`);
  process.exitCode = 1;
}
