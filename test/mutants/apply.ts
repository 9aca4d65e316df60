/** A careless change, as somebody could make it, and who should notice. */
export interface Mutant {
  /** The module that its score counts for. */
  module: string;
  /** What is broken, in a few words. */
  what: string;
  /** Relative to the project. */
  file: string;
  /** The exact text to replace, which the file must have once. */
  find: string;
  put: string;
  /** Test files, one of which must fail. */
  tests: string[];
}

/**
 * The text of the mutant's file with its change.
 * @throws Error where what is to be replaced isn't there exactly once, so that a mutant never passes for one while it
 *   changes nothing
 */
export function applied({ file, what, find, put }: Mutant, text: string): string {
  const count = find === '' ? 0 : text.split(find).length - 1;
  if (count !== 1) throw new Error(`${file}: "${what}": its text stands there ${count} times, not once: ${find}`);
  return text.replace(find, () => put);
}

/**
 * Those of the named modules; all where none is named.
 * @throws Error where a name is of no module
 */
export function chosen<T>(all: T[], nameOf: (each: T) => string, names: string[]): T[] {
  return names.length === 0 ? all : all.filter((each) => names.includes(nameOf(each)));
}

/** @throws Error that names those that there are */
export function requireKnown(names: string[], known: string[]): void {
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`There is no module ${unknown.join(', ')}; use some of: ${known.join(', ')}`);
}
