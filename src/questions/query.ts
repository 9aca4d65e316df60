/** What a comparison is with: a value, or what one entity has in a field of its own. */
export type Compared = string | number | boolean | ValueOf;

/** What an entity has in the field that is compared. */
export interface ValueOf {
  class: string;
  id: string;
  label: string;
}

export type Comparison = 'eq' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'startsWith' | 'endsWith';

/** What must hold for an entity of a class. Fields are those of the vocabulary, by name. */
export type Condition =
  | { kind: 'is'; ids: string[]; label: string }
  | { kind: 'compare'; field: string; op: Comparison; value: Compared }
  /** It has a value, or a link, whichever. */
  | { kind: 'known'; field: string }
  /** It is linked to one that meets the condition. */
  | { kind: 'link'; field: string; of: Condition }
  /** How many links it has, or more than another. */
  | { kind: 'count'; field: string; op: Comparison; value: number | ValueOf }
  | { kind: 'and' | 'or'; of: Condition[] }
  | { kind: 'not'; of: Condition };

/** In which order, and which part: `offset` are left out before `limit`. */
export interface Order {
  /** A literal field by its value, or a list of links by how many there are. */
  by: { kind: 'value' | 'count'; field: string };
  descending: boolean;
  limit: number | undefined;
  offset: number;
}

/** Entities of a class. */
export interface EntitySet {
  class: string;
  where?: Condition;
  /** Where they are reached from, by which link; absent where they are those of the class. */
  from?: { set: EntitySet; link: string };
  order?: Order;
}

export const measures = ['sum', 'average', 'min', 'max'] as const;
export type Measure = (typeof measures)[number];

/** What is asked for, typed by the vocabulary: every field that it names is there, and is of the kind that it needs. */
export type Query =
  /** The entities, with these fields beside what they are called. */
  | { kind: 'list'; set: EntitySet; show: string[] }
  | { kind: 'count'; set: EntitySet }
  | { kind: 'measure'; set: EntitySet; field: string; measure: Measure }
  /** How many there are, or what a number comes to, for each value of a field. */
  | { kind: 'groups'; set: EntitySet; key: string; measure: GroupMeasure; order?: Omit<Order, 'by'> }
  /** Whether there is one. */
  | { kind: 'truth'; set: EntitySet };

export type GroupMeasure = { kind: 'count' } | { kind: 'measure'; field: string; measure: Measure };

/** What a query is read under, beside what is asked. */
export interface ReadUnder {
  /** 0 to 1 */
  requiredCertainty?: number;
  /** ISO 8601, UTC */
  asOf?: string;
}
