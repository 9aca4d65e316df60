/** Where a construct begins in the query: both count from 1. */
export interface Position {
  line: number;
  column: number;
}

/**
 * Cypher that the qualifier doesn't know or doesn't allow. The message says what, where, and what to do instead if
 * there is something.
 */
export class RefusedCypher extends Error {
  constructor(
    /** What is refused, in words: `the clause CREATE`. */
    readonly construct: string,
    readonly position: Position,
    readonly advice?: string,
  ) {
    const where = `line ${position.line}, column ${position.column}`;
    super(`Cypher may not use ${construct} (${where})${advice === undefined ? '' : `; ${advice}`}`);
    this.name = 'RefusedCypher';
  }
}
