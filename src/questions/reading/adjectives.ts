import type { LiteralField } from '../../vocabulary/vocabulary.ts';
import type { Order } from '../query.ts';
import { type Found, type Reading, then } from './state.ts';

/** What an adjective of size compares by: nouns that a field may be called, and whether more of it is meant. */
const dimensions: Record<string, { nouns: string[]; more: boolean }> = {};
const dimension = (nouns: string, more: string, less: string) => {
  for (const adjective of more.split(' ')) dimensions[adjective] = { nouns: nouns.split(' '), more: true };
  for (const adjective of less.split(' ')) dimensions[adjective] = { nouns: nouns.split(' '), more: false };
};
dimension('size', 'big large huge great vast', 'small little tiny');
dimension('length', 'long', 'short');
dimension('height', 'tall', 'low');
dimension('height elevation altitude', 'high', 'shallow');
dimension('weight mass', 'heavy', 'light');
dimension('age', 'old', 'young');
dimension('depth', 'deep', '');
dimension('width', 'wide broad', 'narrow');
dimension('temperature', 'hot warm', 'cold cool');
dimension('speed', 'fast quick', 'slow');
dimension('price cost', 'expensive', 'cheap');
dimension('time', 'latest newest recent', 'earliest');
dimension('latitude', 'northernmost northern', 'southernmost southern');
dimension('longitude', 'easternmost eastern', 'westernmost western');

/** What something is put in order by. */
export type OrderBy = Order['by'];

interface Superlative {
  adjective: string | undefined;
  descending: boolean;
}

/** What an adjective stands for in any grade: `big` of `biggest` and `bigger`. */
function adjectiveAt(reading: Reading, at: number, ending: RegExp): Superlative | undefined {
  const token = reading.tokens[at];
  if (!token || token.quoted || !ending.test(token.word)) return undefined;
  const adjective = dimensions[token.word] ? token.word : token.root;
  const found = dimensions[adjective];
  return found && { adjective, descending: found.more };
}

/** `largest`, `highest`; `most` and `least` with what follows are read elsewhere. */
export function superlativeAt(reading: Reading, at: number): Found<Superlative>[] {
  const token = reading.tokens[at];
  const found = adjectiveAt(reading, at, /(?:est|most)$/);
  if (found) return [reading.found(found, at + 1)];
  // `most recent`, `most expensive`.
  const graded = reading.isWord(at, 'most') ? adjectiveAt(reading, at + 1, /./) : undefined;
  if (graded) return [reading.found(graded, at + 2)];
  if (token && ['greatest', 'maximum', 'top'].includes(token.word))
    return [reading.found({ adjective: undefined, descending: true }, at + 1)];
  return token && ['lowest', 'minimum', 'least'].includes(token.word)
    ? [reading.found({ adjective: undefined, descending: false }, at + 1)]
    : [];
}

/** `larger`, `more`, `fewer`. */
export function comparativeAt(reading: Reading, at: number): Found<Superlative>[] {
  const found = adjectiveAt(reading, at, /(?:er|ger)$/);
  if (found) return [reading.found(found, at + 1)];
  if (reading.isWord(at, 'more')) return [reading.found({ adjective: undefined, descending: true }, at + 1)];
  return ['less', 'fewer'].some((word) => reading.isWord(at, word))
    ? [reading.found({ adjective: undefined, descending: false }, at + 1)]
    : [];
}

/** `big` of `how big`. */
export function positiveAt(reading: Reading, at: number): Found<Superlative>[] {
  const found = adjectiveAt(reading, at, /./);
  return found ? [reading.found(found, at + 1)] : [];
}

export function numericFields(reading: Reading, of: string): LiteralField[] {
  return reading.lexicon
    .classOf(of)
    .fields.flatMap((field) =>
      field.kind === 'literal' && (field.scalar === 'Int' || field.scalar === 'Float') ? [field] : [],
    );
}

function timeFields(reading: Reading, of: string): LiteralField[] {
  return reading.lexicon
    .classOf(of)
    .fields.flatMap((field) => (field.kind === 'literal' && /^Date/.test(field.scalar) ? [field] : []));
}

/** The fields that an adjective may speak of; each number of the class where none is called so. */
export function fieldsFor(reading: Reading, of: string, adjective: string | undefined): LiteralField[] {
  const nouns = adjective === undefined ? [] : (dimensions[adjective]?.nouns ?? []);
  if (nouns[0] === 'time' && reading.lexicon.ofTables) return timeFields(reading, of);
  const fields = numericFields(reading, of);
  const called = fields.filter(({ name, aliases = [] }) =>
    nouns.some((noun) => name === noun || aliases.includes(noun)),
  );
  return called.length > 0 ? called : nouns[0] === 'size' ? fields : [];
}

/** What is counted or compared, named by a field of the class: a number, or a list of links. */
export function measurableAt(reading: Reading, at: number, of: string): Found<OrderBy>[] {
  return then(reading.fieldAt(at, of), ({ field }, next): Found<OrderBy>[] => {
    if (field.kind === 'literal') {
      const isNumber = field.scalar === 'Int' || field.scalar === 'Float' || field.scalar.startsWith('Date');
      return isNumber && !field.list ? [reading.found({ kind: 'value', field: field.name }, next)] : [];
    }
    return field.kind === 'inverse' || field.list ? [reading.found({ kind: 'count', field: field.name }, next)] : [];
  });
}
