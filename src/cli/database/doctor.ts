import type { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import { triggerState } from '../../graph/capture/captureTrigger.ts';
import { cdcState } from '../../graph/capture/cdcSource.ts';
import { inspect, lineOf } from '../../graph/setup/looseSettings.ts';
import { exitCodes } from '../terminal/exit.ts';
import { type DatabaseParts, withDatabase } from './database.ts';

export interface DoctorParts extends DatabaseParts {
  /** Of Neo4j, for the memory that is advised. */
  heap(): string;
  /** How edits by hand are to be seen. */
  capture(): Config['CAPTURE'];
}

const help = `
It finds Neo4j by the same settings as the service (NEO4J_URI and the like, or DATA_DIR), changes nothing, and works while the
service runs. Each line is a setting: tight, loose with what to set, or unknown where the user may not see it (SHOW SETTING).
The blocklist of addresses is shown to nobody; it is tried by LOAD CSV from 192.0.2.1 and 2001:db8::1, which nobody has.
The last line tells whether edits that somebody makes in Neo4j by hand are seen, and if not, what to set for it.
It ends with 1 where something is loose, and with 3 where nothing is but something is unknown.

Examples:
  concord doctor
  NEO4J_URI=bolt://db:7687 NEO4J_PASSWORD=… concord doctor --json | jq '.settings[] | select(.state == "loose")'
`;

/** Adds `concord doctor`. */
export function addDoctorCommand(program: Command, parts: DoctorParts): void {
  program
    .command('doctor')
    .description('tell which settings of Neo4j let a query do more than Concord needs')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(async ({ json }: { json?: boolean }) => {
      process.exitCode = await examine(json ?? false, parts);
    });
}

async function examine(json: boolean, parts: DoctorParts): Promise<number> {
  const { heap, print } = parts;
  const { settings, capture } = await withDatabase(parts, async (database) => ({
    settings: await inspect(database, heap()),
    capture: await (parts.capture() === 'cdc' ? cdcState(database) : triggerState(database)),
  }));
  if (json) print(JSON.stringify({ settings, capture }));
  else {
    for (const finding of settings) print(lineOf(finding));
    print(capture.isSeen ? 'seen: edits by hand' : `not seen: edits by hand: ${capture.why}`);
  }
  const states = settings.map(({ state }) => state);
  if (states.includes('loose')) return exitCodes.failed;
  return states.includes('unknown') ? exitCodes.partly : exitCodes.done;
}
