/** How much a record brings. */
export interface RecordSize {
  /** Itself, and every element of its lists that is an object: a connection is one record with all its edges. */
  rows: number;
  /** Of its texts, and one for every other value: the answer that they become has no fewer bytes. */
  characters: number;
}

/** Measures a record's values; no list of links is nested more deeply than the query is. */
export function recordSize(values: Iterable<unknown>): RecordSize {
  const size = { rows: 1, characters: 0 };
  for (const value of values) add(size, value);
  return size;
}

function add(size: RecordSize, value: unknown): void {
  if (typeof value === 'string') size.characters += value.length;
  else if (value === null || typeof value !== 'object') size.characters += 1;
  else if (Array.isArray(value)) {
    for (const element of value) {
      if (element !== null && typeof element === 'object' && !Array.isArray(element)) size.rows += 1;
      add(size, element);
    }
  } else for (const member of Object.values(value)) add(size, member);
}
