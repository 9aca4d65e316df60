import type { EntityInput, Patch, Update } from '../../wire/types.ts';

/** Characters of JSON in one update: far below the 16 MiB that a request may have. */
const maxCharacters = 3_000_000;

type Sent = Patch | EntityInput;

/** Items that are sent together. */
export class Cut<Item> {
  /** From 0. */
  readonly index: number;
  readonly items: Item[] = [];
  /** What they speak of. */
  private readonly subjects = new Set<string>();
  private readonly kinds = new Set<string>();
  private patches = 0;
  private characters = 0;

  constructor(index: number) {
    this.index = index;
  }

  /** Whether it has room for another item. */
  takes(item: Sent, size: number): boolean {
    const [first] = this.items as Sent[];
    if (first === undefined) return true;
    const isSame = isPatch(first) === isPatch(item);
    return isSame && this.patches + patchesOf(item) <= size && this.characters < maxCharacters;
  }

  add(item: Item & Sent): void {
    const { kind, subject } = aboutOf(item);
    this.items.push(item);
    this.subjects.add(subject);
    this.kinds.add(kind);
    this.patches += patchesOf(item);
    this.characters += JSON.stringify(item).length;
  }

  get change(): Update {
    const items = this.items as Sent[];
    return items.every(isPatch) ? { mutations: items } : { entities: items as EntityInput[] };
  }

  /** Whether both may speak of one entity. One that is known by its id here and by its key there can't be told. */
  needsOrderWith(other: Cut<unknown>): boolean {
    const kinds = new Set([...this.kinds, ...other.kinds]);
    if (kinds.size > 1 || kinds.has('fields')) return true;
    for (const each of this.subjects) if (other.subjects.has(each)) return true;
    return false;
  }
}

/** Cuts items into updates, always at the same places of the same items. */
export async function* cuts<Item extends Sent>(
  items: Iterable<Item> | AsyncIterable<Item>,
  size: number,
): AsyncGenerator<Cut<Item>, void> {
  let cut = new Cut<Item>(0);
  for await (const item of items) {
    if (!cut.takes(item, size)) {
      yield cut;
      cut = new Cut<Item>(cut.index + 1);
    }
    cut.add(item);
  }
  if (cut.items.length > 0) yield cut;
}

function isPatch(item: Sent): item is Patch {
  return 'statement' in item;
}

/** What an item speaks of; by `fields` where only the vocabulary knows which of them are the key. */
function aboutOf(item: Sent): { kind: 'id' | 'key' | 'fields'; subject: string } {
  if (isPatch(item)) return { kind: 'id', subject: item.statement.subject.id };
  if (item.id !== undefined) return { kind: 'id', subject: item.id };
  if (item.key === undefined) return { kind: 'fields', subject: '' };
  const key = Object.entries(item.key).sort(([one], [other]) => (one < other ? -1 : 1));
  return { kind: 'key', subject: JSON.stringify([item.class, key]) };
}

function patchesOf(item: Sent): number {
  if (isPatch(item)) return 1;
  const values = Object.values(item.fields ?? {}).map((value) => (Array.isArray(value) ? value.length : 1));
  return values.reduce((sum, count) => sum + count, Object.keys(item.key ?? {}).length);
}
