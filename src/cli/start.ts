import type { Command } from 'commander';

const help = `
Its settings are environment variables (PORT, DATA_DIR, VOCABULARY, NEO4J_URI and others: docs/settings.md lists them).
With NODE_OPTIONS=--max-semi-space-size=64, as npm start has it, Node collects garbage less often: writing takes about a tenth less of its time.

Examples:
  concord start
  VOCABULARY=world.graphql DATA_DIR=/var/lib/concord concord start
`;

/** Adds `concord start`, the same as `npm start`. */
export function addStartCommand(program: Command): void {
  program
    .command('start')
    .description('start a Concord, with a Neo4j of its own unless NEO4J_URI names one')
    .addHelpText('after', help)
    .action(async () => {
      await import('../main.ts');
    });
}
