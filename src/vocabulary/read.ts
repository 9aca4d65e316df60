import { readFile } from 'node:fs/promises';
import { StartupError } from '../base/errors.ts';
import { parseVocabulary } from './parse.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * The vocabulary of a file of SDL. Without one everything is still there to read, as `entities` with their
 * `statements`.
 * @throws StartupError where the file cannot be read
 * @throws VocabularyError where it is no vocabulary
 */
export async function readVocabulary(file: string | undefined): Promise<Vocabulary> {
  if (file === undefined) return { base: 'urn:concord:', classes: [] };
  const sdl = await readFile(file, 'utf8').catch((error: Error) => {
    throw new StartupError(`VOCABULARY: ${file} cannot be read (${error.message})`);
  });
  return parseVocabulary(sdl, file);
}
