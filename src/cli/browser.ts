import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { readVocabulary } from '../vocabulary/read.ts';
import type { ClassDefinition } from '../vocabulary/vocabulary.ts';
import type { Io } from './terminal/io.ts';

const help = `
The style is GraSS: drag the file onto Neo4j Browser. Each class of the vocabulary has a colour and its name
as the caption; without a vocabulary (an argument, or the setting VOCABULARY) all entities look alike.
The questions are Cypher files. In the Browser, Import under Saved Scripts takes them.

Examples:
  concord browser world.graphql > concord.grass
  concord browser --questions questions
`;

const folder = fileURLToPath(new URL('../../cypher/browser/', import.meta.url));

/** Colours of the Browser's own that the style of Concord's nodes leaves: of a node, its border and its text. */
const colours = [
  ['#F16667', '#EB2728', '#FFFFFF'],
  ['#D9D9D9', '#A5A5A5', '#2A2C34'],
  ['#DA7194', '#CC3C6C', '#FFFFFF'],
  ['#ECB5C9', '#DA7298', '#2A2C34'],
  ['#68BDF6', '#5CA8DB', '#2A2C34'],
  ['#6DCE9E', '#60B58B', '#2A2C34'],
] as const;

/** Adds `concord browser`. */
export function addBrowserCommand(program: Command, { print, say }: Io): void {
  program
    .command('browser')
    .description('print a style sheet for Neo4j Browser, or write questions for it')
    .argument('[vocabulary]', 'file of GraphQL SDL, whose classes get colours')
    .option('--questions <folder>', 'write the questions of docs/operate/browser.md into this folder instead')
    .addHelpText('after', help)
    .action(async (said: string | undefined, { questions }: { questions?: string }) => {
      if (questions !== undefined) {
        for (const file of await writeQuestions(questions)) say(`written: ${file}`);
        return;
      }
      const { classes } = await readVocabulary(said ?? readConfig(process.env).VOCABULARY);
      const style = await readFile(join(folder, 'style.grass'), 'utf8');
      print([style.trimEnd(), ...classes.map(styleOf)].join('\n'));
    });
}

/** The files that it has written. */
async function writeQuestions(into: string): Promise<string[]> {
  await mkdir(into, { recursive: true });
  const files = (await readdir(folder)).filter((each) => each.endsWith('.cypher')).sort();
  const written = files.map((each) => ({ from: join(folder, each), to: join(into, each) }));
  // Not copied: a file system that is read-only would have them so.
  for (const { from, to } of written) await writeFile(to, await readFile(from));
  return written.map(({ to }) => to);
}

/** GraSS for the nodes of a class: by its key, or a field called name, or its first text. */
function styleOf({ name, key, fields }: ClassDefinition, index: number): string {
  const [colour, border, text] = colours[index % colours.length] ?? colours[0];
  const texts = fields.flatMap((each) => (each.kind === 'literal' && each.scalar === 'String' ? [each.name] : []));
  const shown = texts.find((each) => each === 'name') ?? key?.[0] ?? texts[0] ?? 'id';
  return `node.${name} {
  color: ${colour};
  border-color: ${border};
  text-color-internal: ${text};
  caption: "{${shown}}";
}`;
}
