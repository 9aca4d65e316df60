import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { predicates } from '../../demo/names.ts';
import { add, literal, type ObjectInput } from '../../src/client/index.ts';
import type { Patch } from '../../src/knowledge/patch.ts';
import { checked, withCertainties } from './graph.ts';
import { vocabularyFile } from './servers.ts';

/**
 * Weather stations that were never built: enough of one class that filters and aggregates have something to do. Always
 * the same.
 */

const bench = 'https://example.org/bench';

export const perNetwork = 40;
export const perOperator = 20;
/** Metres, of the highest station. */
export const elevations = 4_000;
export const firstYear = 1850;
export const years = 170;

/** Writes the demo's vocabulary with that of the stations into a directory. @returns the file */
export async function writeVocabulary(directory: string): Promise<string> {
  const file = join(directory, 'bench.graphql');
  const more = await readFile(new URL('stations.graphql', import.meta.url), 'utf8');
  await writeFile(file, (await readFile(vocabularyFile, 'utf8')) + more);
  return file;
}

export const networkId = (number: number) => `${bench}/network/${number}`;
export const operatorName = (number: number) => `Operator ${number}`;

/** Five statements about each station, and a name for each network. */
export function stations(count: number): Patch[] {
  const networks = Array.from({ length: Math.ceil(count / perNetwork) }, (_, number) =>
    said(network(number), predicates.name, literal(`Network ${number}`, { language: 'en' })),
  );
  const all = Array.from({ length: count }, (_, number) => aboutStation(number, count / perOperator));
  return withCertainties(checked([...networks, ...all.flat()]));
}

function aboutStation(number: number, operators: number) {
  const about = { id: `${bench}/station/${number}`, type: `${bench}#Station` };
  // Multiples of primes spread what neighbours by number have.
  const elevation = literal((number * 7_919) % elevations, { type: 'xsd:double' });
  return [
    said(about, predicates.name, literal(`Station ${number}`, { language: 'en' })),
    said(about, `${bench}#operator`, operatorName((number * 31) % operators)),
    said(about, `${bench}#elevation`, elevation),
    said(about, `${bench}#opened`, firstYear + ((number * 37) % years)),
    said(about, `${bench}#network`, network(Math.floor(number / perNetwork))),
  ];
}

function network(number: number) {
  return { id: networkId(number), type: `${bench}#Network` };
}

function said(about: { id: string; type: string }, predicate: string, object: ObjectInput) {
  return add(about, predicate, object, { provenance: { method: 'bench' } });
}
