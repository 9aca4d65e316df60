import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

/** The text of a file, or of standard input where it is `-`. */
export function textOf(file: string): Promise<string> {
  return file === '-' ? text(process.stdin) : readFile(file, 'utf8');
}

/**
 * What is said on the command line: the text of standard input or of a file, where there is one of that name; else
 * itself.
 */
export async function textOrFile(said: string): Promise<string> {
  return said === '-' || existsSync(said) ? textOf(said) : said;
}
