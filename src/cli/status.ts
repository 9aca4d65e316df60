import type { Command } from 'commander';
import { type ConnectionOptions, connectTo, revisionOf, withConnection } from './target/connection.ts';
import { exitCodes } from './terminal/exit.ts';
import type { Io } from './terminal/io.ts';

const help = `
Examples:
  concord status
  concord status --json | jq .checks.feed.lagSeconds
  until concord status; do sleep 1; done
`;

/** Adds `concord status`. */
export function addStatusCommand(program: Command, io: Io): void {
  const command = program
    .command('status')
    .description('tell whether a Concord is ready, its version, revision, and how fresh its feed is')
    .option('--json', 'print JSON')
    .addHelpText('after', help);
  withConnection(command).action(async (options: ConnectionOptions & { json?: boolean }) => {
    process.exitCode = await showStatus(options, io);
  });
}

interface Readiness {
  status: 'ready' | 'not ready' | 'draining';
  /** Absent where operators have a port of their own. */
  checks?: Record<string, { ok: boolean; ms: number; reason?: string; lagSeconds?: number }>;
}

async function showStatus(options: ConnectionOptions & { json?: boolean }, { print }: Io): Promise<number> {
  const client = await connectTo(options);
  const response = await fetch(`${options.url.replace(/\/+$/, '')}/readyz`);
  const { status, checks } = (await response.json()) as Readiness;
  const ready = status === 'ready';
  // Where Neo4j is away there is none to tell.
  const revision = ready ? await revisionOf(client) : undefined;
  const { version } = client.card;
  if (options.json) print(JSON.stringify({ url: options.url, status, version, revision, checks }));
  else {
    print(`${options.url}: ${status}, version ${version}`);
    if (revision !== undefined) print(`revision ${revision}`);
    for (const [name, { ok, ms, reason, lagSeconds }] of Object.entries(checks ?? {})) {
      const lag = lagSeconds === undefined ? '' : `, ${lagSeconds} s behind`;
      print(`${name}: ${ok ? `ok${lag}` : reason} (${ms} ms)`);
    }
  }
  return ready ? exitCodes.done : exitCodes.failed;
}
