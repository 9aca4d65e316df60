import { readFile, writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import type { AuditEntry } from '../../graph/audit/entry.ts';
import { readChains } from '../../graph/audit/readTrail.ts';
import { entriesOf, verifyTrail } from '../../graph/audit/trailCheck.ts';
import type { KnownEnd } from '../../graph/audit/verify.ts';
import type { Database } from '../../graph/database/database.ts';
import { exitCodes, UsageError } from '../terminal/exit.ts';
import { type DatabaseParts, withDatabase } from './database.ts';
import { ocsfOf } from './ocsf.ts';

const help = `
Entries are chained by hashes: each chain holds what one replica has answered a tenant since its start, or the updates of
a tenant. \`verify\` reads them all and ends with 1 where an entry was changed, taken out or put in, or a chain was cut.
Whoever may write to the database can make a whole new trail: so keep the ends of the chains elsewhere, by --heads.

Examples:
  concord audit verify --heads /mnt/elsewhere/heads.json
  concord audit export --tenant acme --since 2026-11-01 > trail.jsonl
  concord audit export --format ocsf
`;

interface VerifyOptions {
  heads?: string;
  json?: boolean;
}

interface ExportOptions {
  tenant?: string;
  since?: string;
  format: 'jsonl' | 'ocsf';
}

/** Adds `audit verify` and `audit export` to a program. */
export function addAuditCommand(program: Command, parts: DatabaseParts): void {
  const audit = program.command('audit').description('verify and export the audit trail (AUDIT)');
  audit.addHelpText('after', help);
  audit
    .command('verify')
    .description('find what was changed in the audit trail, taken out of it or put into it')
    .option('--heads <file>', 'compare with the ends of chains in this file, and if all is well write them there anew')
    .option('--json', 'print JSON')
    .action(async (options: VerifyOptions) => {
      process.exitCode = await withDatabase(parts, (database) => verify(database, options, parts));
    });
  audit
    .command('export')
    .description('print the audit trail, an entry a line, chain by chain')
    .option('--tenant <tenant>', 'only entries of this tenant')
    .option('--since <time>', 'only entries of this time (ISO 8601) and later')
    .addOption(new Option('--format <format>', 'how an entry is written').choices(['jsonl', 'ocsf']).default('jsonl'))
    .action((options: ExportOptions) => withDatabase(parts, (database) => exportTrail(database, options, parts)));
}

async function verify(database: Database, { heads, json }: VerifyOptions, { print, say }: DatabaseParts) {
  const { ends, ...verified } = await verifyTrail(database, heads === undefined ? [] : await readHeads(heads));
  const { chains, entries, faults } = verified;
  if (json) print(JSON.stringify(verified));
  else {
    for (const { chain, sequence, what } of faults)
      print(`${what}: chain ${chain}${sequence === undefined ? '' : `, entry ${sequence}`}`);
    const found = faults.length === 0 ? 'all as they were written' : `${faults.length} faults`;
    print(`${entries} entries in ${chains} chains, ${found}`);
  }
  if (faults.length > 0) return exitCodes.failed;
  if (heads !== undefined) {
    await writeFile(heads, `${JSON.stringify(ends, null, 2)}\n`);
    say(`The ends of the chains are in ${heads}.`);
  }
  return exitCodes.done;
}

async function exportTrail(database: Database, { tenant, since, format }: ExportOptions, { print }: DatabaseParts) {
  const from = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since);
  if (Number.isNaN(from)) throw new UsageError(`--since ${since} is no time; write it as 2026-11-24T12:00:00Z`);
  const written = format === 'ocsf' ? ocsfOf : lineOf;
  for (const chain of await database.read(readChains, 60_000)) {
    if (tenant !== undefined && chain.tenant !== tenant) continue;
    for await (const page of entriesOf(database, chain))
      for (const entry of page) if (entry.at >= from) print(JSON.stringify(written(entry)));
  }
}

const lineOf = ({ at, ...rest }: AuditEntry) => ({ at: new Date(at).toISOString(), ...rest });

const headsFile = z.array(z.object({ chain: z.string(), length: z.int(), head: z.string() }));

/** What an earlier verification has written; nothing where there is no file yet. */
async function readHeads(file: string): Promise<KnownEnd[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '[]';
    throw error;
  });
  try {
    return headsFile.parse(JSON.parse(text));
  } catch {
    throw new UsageError(`${file} holds no ends of chains, as --heads writes them`);
  }
}
