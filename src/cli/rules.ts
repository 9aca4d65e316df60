import type { Command } from 'commander';
import { loadRules } from '../alignment/rule.ts';
import { readConfig } from '../config/config.ts';
import type { Io } from './terminal/io.ts';
import { tableLines } from './terminal/table.ts';

const help = `
They are those of a service with the same settings: Concord's own, and those of the folder RULES.

Examples:
  concord rules
  RULES=rules concord rules --json
`;

/** Adds `concord rules`. */
export function addRulesCommand(program: Command, { print }: Io): void {
  program
    .command('rules')
    .description('list the alignment rules')
    .option('--json', 'print a JSON array, with their Cypher')
    .addHelpText('after', help)
    .action(async ({ json }: { json?: boolean }) => {
      const rules = await loadRules(readConfig(process.env).RULES);
      if (json) return print(JSON.stringify(rules));
      const rows = rules.map(({ name, severity, message }) => [name, severity, message]);
      for (const line of tableLines(['RULE', 'SEVERITY', 'MESSAGE'], rows)) print(line);
    });
}
