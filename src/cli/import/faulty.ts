/** A place of the input that cannot be understood. */
export class Faulty extends Error {
  /** @param line counted from 1 */
  constructor(
    readonly line: number,
    readonly reason: string,
  ) {
    super(`line ${line}: ${reason}`);
  }
}

/** The input cannot be read any further, wherever that is: it is cut short or damaged. */
export class Unreadable extends Error {}

/** Whoever started the import wants it to end. */
export class Interrupted extends Error {}

/** Something with the line that it stands on; Turtle's statements, which span lines, are counted instead. */
export interface Located<T> {
  line: number;
  value: T;
}

/** What is read from the input, piece by piece: each is understood or faulty. */
export type Pieces<T> = AsyncIterable<(Located<T> | Faulty)[]>;
