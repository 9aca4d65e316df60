import type { Shape } from '../text/conditions.ts';

/** What a text is held to. */
export interface Audited {
  shape: Shape;
  /** Whether the text is made of Concord's own schema and may read as of a moment of its own. */
  isOwn: boolean;
  /** The literal fields of the vocabulary by the property of an entity that projects them; whether each is a list. */
  fields: ReadonlyMap<string, { list: boolean }>;
  /** Properties of entities that are closed to the caller. */
  closedProperties: ReadonlySet<string>;
}

/** A text that is not confined. The message says by which rule, and holds no piece of the text. */
export class UnconfinedCypher extends Error {
  constructor(readonly rule: string) {
    super(`The text of a query is not confined: ${rule}`);
    this.name = 'UnconfinedCypher';
  }
}

export function refuse(rule: string): never {
  throw new UnconfinedCypher(rule);
}
