import { type Command, Option } from 'commander';
import { readConfig } from '../config/config.ts';
import { readVocabulary } from '../vocabulary/read.ts';
import { UsageError } from './terminal/exit.ts';
import type { Io } from './terminal/io.ts';
import { pythonText } from './types/python.ts';
import { typescriptText } from './types/typescript.ts';

const help = `
The vocabulary is a file of GraphQL SDL, that of the setting VOCABULARY if none is named.

Examples:
  concord types world.graphql > src/world.ts
  concord types world.graphql --python > world.py
`;

/** Adds `concord types`. */
export function addTypesCommand(program: Command, { print }: Io): void {
  program
    .command('types')
    .description('make types for programs from a vocabulary')
    .argument('[vocabulary]', 'file of GraphQL SDL')
    .option('--python', 'dataclasses instead of TypeScript')
    .addOption(new Option('--client <module>', 'where TypeScript finds the client').default('concord-client'))
    .addHelpText('after', help)
    .action(async (said: string | undefined, { python, client }: { python?: boolean; client: string }) => {
      const file = said ?? readConfig(process.env).VOCABULARY;
      if (file === undefined) throw new UsageError('Name the file of the vocabulary, or set VOCABULARY.');
      const vocabulary = await readVocabulary(file);
      if (vocabulary.classes.length === 0) throw new UsageError(`${file} has no classes.`);
      // @neo4j/graphql would be most of the start of every other command.
      const { classesOf } = await import('./types/classes.ts');
      const classes = await classesOf(vocabulary);
      print(python ? pythonText(classes) : typescriptText(classes, client));
    });
}
