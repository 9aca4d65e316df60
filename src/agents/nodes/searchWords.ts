import { createHash } from 'node:crypto';
import { isUnspaced, tokensOf } from '../../graph/search/words.ts';

/** Of texts without spaces a word may begin anywhere: how many places are kept, and how much from each. */
const mostPlaces = 100;
const longestPlace = 20;

/**
 * What the words of a tenant begin with in the index that all tenants share. So the words of others are neither found
 * nor counted, nor are they among the likest few that Lucene looks for in the place of a misspelt one.
 */
export function tenantPrefix(tenant: string): string {
  return createHash('sha256').update(tenant).digest('hex').slice(0, 16);
}

/** The words of an agent's texts as the index has them, parted by spaces. */
export function searchWordsOf(tenant: string, texts: readonly string[]): string {
  const prefix = tenantPrefix(tenant);
  const words = texts.flatMap((text) => {
    const { words, joined } = tokensOf(text);
    return [...words, ...joined].flatMap(placesOf);
  });
  return words.map((word) => prefix + word).join(' ');
}

function placesOf(word: string): string[] {
  if (!isUnspaced(word)) return [word];
  const characters = [...word];
  return characters.slice(0, mostPlaces).map((_, at) => characters.slice(at, at + longestPlace).join(''));
}
