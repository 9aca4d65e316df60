import type { Patch } from '../../src/knowledge/patch.ts';

export const schemaOrg = 'https://schema.org/';
export const world = 'https://example.org/world#';

/** What a test varies about a statement. */
export interface Extras {
  type?: string;
  graph?: string;
  certainty?: number;
  provenance?: Record<string, unknown>;
}

/** A patch in the form of the wire: a string or number object is a literal, `{id}` an entity. */
export function patchOf(
  op: Patch['op'],
  subject: string,
  predicate: string,
  object: object | string | number | boolean,
  { type, ...extras }: Extras = {},
) {
  return {
    op,
    statement: {
      subject: { id: subject, ...(type !== undefined && { type }) },
      predicate: { id: predicate },
      object: typeof object === 'object' ? object : { value: object },
      ...extras,
    },
  };
}

export const add = patchOf.bind(undefined, 'add');
export const remove = patchOf.bind(undefined, 'remove');
export const replace = patchOf.bind(undefined, 'replace');
