import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { country, predicates } from '../../../demo/names.ts';
import { patchesOf } from '../../../demo/patches.ts';
import { add, literal, type ObjectInput } from '../../../src/client/index.ts';
import type { Patch } from '../../../src/knowledge/patch.ts';
import { checked, countries } from '../graph.ts';
import { vocabularyFile } from '../servers.ts';
import { airports } from './airports.ts';
import { elements } from './elements.ts';

const bench = 'https://example.org/bench';

/** Writes the demo's vocabulary with that of airports and elements into a directory. @returns the file */
export async function writeVocabulary(directory: string): Promise<string> {
  const file = join(directory, 'explore.graphql');
  const more = await readFile(new URL('terms.graphql', import.meta.url), 'utf8');
  await writeFile(file, (await readFile(vocabularyFile, 'utf8')) + more);
  return file;
}

/** What is said of the countries of the world, of airports in them, and of the chemical elements. */
export function things(): Patch[] {
  const blocks = [...new Set(elements.map(({ block }) => block))];
  return checked([
    ...patchesOf(countries),
    ...airports.flatMap(({ iata, name, country: code }) => {
      const about = { id: `${bench}/airport/${iata}`, type: `${bench}#Airport` };
      return [
        said(about, predicates.name, literal(name, { language: 'en' })),
        said(about, `${bench}#iata`, iata),
        said(about, `${bench}#country`, country(code)),
      ];
    }),
    ...blocks.map((letter) => said(block(letter), predicates.name, literal(`${letter}-block`, { language: 'en' }))),
    ...elements.flatMap(({ symbol, name, otherNames, atomicNumber, block: letter }) => {
      const about = { id: `${bench}/element/${symbol}`, type: `${bench}#Element` };
      return [
        said(about, predicates.name, literal(name, { language: 'en' })),
        ...otherNames.map((other) => said(about, predicates.alternateName, other)),
        said(about, predicates.symbol, symbol),
        said(about, `${bench}#atomicNumber`, atomicNumber),
        said(about, `${bench}#block`, block(letter)),
      ];
    }),
  ]);
}

function block(letter: string) {
  return { id: `${bench}/block/${letter}`, type: `${bench}#Block` };
}

function said(about: { id: string; type: string }, predicate: string, object: ObjectInput) {
  return add(about, predicate, object, { provenance: { method: 'bench' } });
}
