import type { Command } from 'commander';
import { counted } from '../base/counted.ts';
import type { Patch, Update } from '../client/index.ts';
import { type ConnectionOptions, connectTo, withConnection } from './target/connection.ts';
import { confirmTarget, type WritingParts } from './target/target.ts';
import { exitCodes, UsageError } from './terminal/exit.ts';
import { textOf } from './terminal/text.ts';

interface UpdateCommandOptions extends ConnectionOptions {
  justification?: string;
  yes?: boolean;
  json?: boolean;
}

const help = `
The patches are a JSON array, an object {"mutations": [...], "entities": [...]}, or one patch a line: {"op": "add" | "remove" | "replace", "statement": ...}.
They are one update, all or none; 'concord import' sends many. Exit code 3: rejected, or held for review.

Examples:
  concord update patches.json --agent scout --justification 'census of 2024'
  echo '{"op": "add", "statement": {"subject": {"id": "urn:a"}, "predicate": {"id": "urn:p"}, "object": {"value": 1}}}' | concord update -
`;

/** Adds `concord update`. */
export function addUpdateCommand(program: Command, parts: WritingParts): void {
  const command = program
    .command('update')
    .description('propose patches in one update, and print the verdict')
    .argument('<file>', 'JSON of the patches, or - for standard input')
    .option('--justification <text>', 'why')
    .option('--yes', "don't ask first, wherever it writes to")
    .option('--json', 'print the whole answer as one line of JSON')
    .addHelpText('after', help);
  withConnection(command).action(async (file: string, options: UpdateCommandOptions) => {
    process.exitCode = await propose(file, options, parts);
  });
}

async function propose(file: string, options: UpdateCommandOptions, parts: WritingParts): Promise<number> {
  const { justification } = options;
  const { print } = parts;
  const update = updateOf(await textOf(file));
  await confirmTarget(options, parts);
  const client = await connectTo(options);
  const result = await client.update({ ...update, ...(justification !== undefined && { justification }) });
  if (options.json) print(JSON.stringify(result));
  else {
    const { verificationStatus, statementsAffected, revision, updateId, verificationDetails } = result;
    const count = `${counted(statementsAffected, 'statement')} affected`;
    const where = revision === undefined ? '' : `, revision ${revision}`;
    print(`${verificationStatus}: ${count}${where}${updateId === undefined ? '' : `, update ${updateId}`}`);
    if (verificationDetails !== undefined) print(verificationDetails);
  }
  return result.success && result.verificationStatus === 'Verified' ? exitCodes.done : exitCodes.partly;
}

/** @throws UsageError */
function updateOf(text: string): Update {
  const read =
    parsed(text) ??
    text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map(parsed);
  if (Array.isArray(read) && read.every((patch) => patch !== undefined)) return { mutations: read as Patch[] };
  const members = read as Partial<Update & Patch>;
  if (Array.isArray(members.mutations) || Array.isArray(members.entities)) return members as Update;
  if (members.op !== undefined) return { mutations: [members as Patch] };
  throw new UsageError('The input is neither a JSON array of patches, nor {"mutations": [...]}, nor a patch a line.');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
