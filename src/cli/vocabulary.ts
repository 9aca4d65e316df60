import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { Database } from '../graph/database/database.ts';
import { knownNames } from '../graph/names/dictionary.ts';
import { conversions } from '../graph/setup/conversions.ts';
import { installedVocabulary } from '../graph/setup/installedVocabulary.ts';
import { checkVocabulary, type Finding, hides, linesOf } from '../graph/setup/vocabularyCheck.ts';
import { defaultTenant } from '../security/tenant.ts';
import { differencesBetween } from '../vocabulary/differences.ts';
import { readVocabulary } from '../vocabulary/read.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import { type DatabaseParts, withDatabase } from './database/database.ts';
import { exitCodes } from './terminal/exit.ts';

const help = `
It compares a file with the vocabulary that the graph was served with last: what is new, renamed, removed or of another type, how many
statements each change hides (with three of them), and what would keep them. Every field is looked at, also one that is as it was:
statements may be there that never fitted. It finds Neo4j by the same settings as the service (NEO4J_URI and the like, or DATA_DIR),
changes nothing, and works while the service runs. It ends with 1 where something is hidden.

Examples:
  concord vocabulary diff new.graphql
  concord vocabulary diff new.graphql --patches anew.jsonl   # when the service has started with it: concord import anew.jsonl
  concord vocabulary diff new.graphql --json | jq '.findings[] | select(.hides)'
`;

/** Ten minutes: for an operator who waits, and no longer than a Neo4j of Concord's own lets a transaction last. */
const patienceMs = 600_000;

interface DiffOptions {
  json?: boolean;
  patches?: string;
  tenant: string;
}

/** Adds `concord vocabulary diff`. */
export function addVocabularyCommand(program: Command, parts: DatabaseParts): void {
  const vocabulary = program.command('vocabulary').description('see what a change of the vocabulary does');
  vocabulary
    .command('diff')
    .description('tell what a new vocabulary changes, and which statements it hides')
    .argument('<file>', 'the new vocabulary, GraphQL SDL')
    .option('--patches <file>', 'write patches that state anew what the fields take after a conversion without loss')
    .option('--tenant <tenant>', 'the tenant of the patches', defaultTenant)
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(async (file: string, options: DiffOptions) => {
      process.exitCode = await tellDifferences(file, options, parts);
    });
}

async function tellDifferences(
  file: string,
  { json, patches, tenant }: DiffOptions,
  parts: DatabaseParts,
): Promise<number> {
  const { print, say } = parts;
  const vocabulary = await readVocabulary(file);
  return withDatabase(parts, async (database) => {
    const limits = { everything: true, rows: Number.MAX_SAFE_INTEGER, timeoutMs: patienceMs };
    const findings = (await checkVocabulary(database, vocabulary, limits)) ?? [];
    if (json) print(JSON.stringify({ findings: findings.map(asJson) }));
    else for (const finding of findings) for (const line of linesOf(finding, { examples: true })) print(line);
    if (!json && findings.length === 0) say('Nothing is otherwise, and everything fits.');
    if (patches !== undefined) {
      const written = await writePatches(database, vocabulary, tenant, patches);
      say(`${written} values are stated anew in ${patches}.`);
    }
    return findings.some(hides) ? exitCodes.failed : exitCodes.done;
  });
}

const asJson = (finding: Finding) => ({ ...finding, hides: hides(finding) });

/** @returns how many values it states anew */
async function writePatches(database: Database, vocabulary: Vocabulary, tenant: string, file: string): Promise<number> {
  const differences = differencesBetween(await installedVocabulary(database), vocabulary, true);
  const names = await knownNames(database);
  let written = 0;
  async function* lines() {
    for await (const pair of conversions(database, differences, names, tenant)) {
      written++;
      yield pair.map((patch) => `${JSON.stringify(patch)}\n`).join('');
    }
  }
  await pipeline(lines, createWriteStream(file));
  return written;
}
