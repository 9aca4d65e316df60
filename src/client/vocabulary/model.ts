import type { FieldScalar } from '../../wire/fieldValues.ts';

/** What a client must know of a field. */
export type FieldModel =
  | { scalar: FieldScalar; list?: boolean; indexed?: boolean; functional?: boolean }
  /** A link to a class, or the other end of one. */
  | { class: string; list?: boolean; functional?: boolean; inverse?: boolean };

/** What a client must know of a class. */
export interface ClassModel {
  iri: string;
  /** The root field of queries. */
  plural: string;
  key?: readonly string[];
  fields: Readonly<Record<string, FieldModel>>;
}

/** The types of a class: a row of an answer, what may be put, and its key. */
export interface ClassTypes {
  row: object;
  fields: object;
  /** `never` of a class without one. */
  key: object;
  plural: string;
}

/** A vocabulary as `concord types` makes it. */
export interface Vocabulary<Classes> {
  classes: { readonly [Name in keyof Classes]: ClassModel };
  /** Isn't there; it only carries the types. */
  readonly types?: Classes;
}

/** Text with its language. */
export interface Text {
  value: string;
  /** BCP 47. */
  language: string;
}

/** What a list field takes: one value or several. */
export type Many<Value> = Value | readonly Value[];

/** What a link points at: an id, or the key of its class. */
export type Reference<Key> = { id: string } | Key;
