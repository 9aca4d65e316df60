import { Command } from 'commander';
import { StartupError } from '../../src/base/errors.ts';
import type { Suite } from './bench.ts';
import { table } from './table.ts';

/** The suites by name, each loaded only when it is asked for. */
const suites: Record<string, () => Promise<Suite>> = {
  journeys: async () => (await import('./journeys.ts')).journeys,
  write: async () => (await import('./write.ts')).write,
  query: async () => (await import('./query.ts')).query,
  planning: async () => (await import('./planning.ts')).planning,
  paging: async () => (await import('./paging.ts')).paging,
  explore: async () => (await import('./explore/explore.ts')).explore,
  feed: async () => (await import('./feed.ts')).feed,
  capture: async () => (await import('./capture.ts')).capture,
  tasks: async () => (await import('./tasks.ts')).tasks,
  backup: async () => (await import('./backup.ts')).backup,
  recovery: async () => (await import('./recovery.ts')).recovery,
  streams: async () => (await import('./streams.ts')).streams,
  agents: async () => (await import('./agents.ts')).agents,
  telemetry: async () => (await import('./telemetry.ts')).telemetry,
  fairness: async () => (await import('./fairness.ts')).fairness,
  sources: async () => (await import('./sources.ts')).sources,
};

const say = (line: string) => process.stderr.write(`${Math.round(performance.now() / 1_000)} s: ${line}\n`);

const complain = (line: string) => process.stderr.write(`bench: ${line}\n`);

const closers: (() => Promise<unknown>)[] = [];
let closing: Promise<void> | undefined;

function closeAll(): Promise<void> {
  closing ??= (async () => {
    for (const close of closers.splice(0).reverse()) {
      await close().catch((error: Error) => say(`While closing: ${error.message}`));
    }
  })();
  return closing;
}

/** For JSON: no more digits than mean something. */
const rounded = (_key: string, value: unknown) =>
  typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value;

interface Options {
  json: boolean;
  quick: boolean;
  large: boolean;
}

async function run(name: string | undefined, { json, quick, large }: Options) {
  const load = name === undefined || !Object.hasOwn(suites, name) ? undefined : suites[name];
  if (load === undefined) {
    complain(
      `${name === undefined ? 'Name a suite' : `There is no suite '${name}'`}: ${Object.keys(suites).join(', ')}`,
    );
    process.exitCode = 1;
    return;
  }
  // An interrupted run leaves no server behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void closeAll().finally(() => process.exit(130)));
  try {
    const suite = await load();
    const result = await suite({ quick, large, say, opened: (close) => closers.push(close) });
    process.stdout.write(json ? `${JSON.stringify({ suite: name, quick, ...result }, rounded)}\n` : table(result));
  } catch (error) {
    // What is interrupted fails because its servers go away.
    if (closing) return;
    if (!(error instanceof StartupError)) throw error;
    complain(error.message);
    process.exitCode = 1;
  } finally {
    await closeAll();
  }
}

await new Command('bench')
  .description('Measures Concord. Progress goes to stderr, the figures to stdout.')
  .argument('[suite]', `one of: ${Object.keys(suites).join(', ')}`)
  .option('--json', 'print the figures as one line of JSON', false)
  .option('--quick', 'shorten every window: a smoke run', false)
  .option('--large', 'measure a graph of a million entities too (paging), which takes many minutes', false)
  .action(run)
  .parseAsync();
