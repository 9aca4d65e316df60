import { getOrInsert } from './getOrInsert.ts';
/** Groups items by a key, in the order of first appearance. (`Map.groupBy` needs Node 21.) */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    getOrInsert(groups, keyOf(item), () => []).push(item);
  }
  return groups;
}
