/** The types of what a typed client asks and is answered, of rows as `concord types` makes them. */

/** A value of a literal field. */
export type Scalar = string | number | boolean | Date;

/** What a field's value is made of: an item of a list, and never null. */
type Item<Value> = NonNullable<Value> extends readonly (infer Each)[] ? Each : NonNullable<Value>;

/** Which fields to ask for: `true` for a value, a selection of its own for an entity. */
export type Select<Row> = {
  [Name in keyof Row]?: Item<Row[Name]> extends Scalar ? true : Select<Item<Row[Name]>>;
};

/** The same selection, in which a name that the row doesn't have can't stand. */
export type Known<Row, Chosen> = {
  [Name in keyof Chosen]: Name extends keyof Row
    ? Chosen[Name] extends true
      ? true
      : Known<Item<Row[Name]>, Chosen[Name]>
    : never;
};

/** A row with what was asked for and nothing else. */
export type Selected<Row, Chosen> = {
  [Name in keyof Chosen & keyof Row]: Chosen[Name] extends true
    ? Row[Name]
    : NonNullable<Row[Name]> extends readonly (infer Each)[]
      ? Selected<Each, Chosen[Name]>[]
      : Selected<NonNullable<Row[Name]>, Chosen[Name]> | null;
};

/** Conditions on a field. One link is met by what is at its end; null is met where there is none. */
export type Condition<Value> =
  NonNullable<Value> extends readonly (infer Each)[]
    ? Each extends Scalar
      ? { eq?: readonly Each[] | null; includes?: Each }
      : Links<Each>
    : NonNullable<Value> extends Scalar
      ? Comparison<NonNullable<Value>>
      : Where<NonNullable<Value>> | null;

interface Links<Row> {
  some?: Where<Row>;
  all?: Where<Row>;
  none?: Where<Row>;
  single?: Where<Row>;
}

type Comparison<Value> = Value extends boolean
  ? { eq?: boolean | null }
  : { eq?: Value | null; in?: readonly Value[] } & (Value extends string
      ? { contains?: string; startsWith?: string; endsWith?: string; caseInsensitive?: TextComparison }
      : { lt?: Value; lte?: Value; gt?: Value; gte?: Value });

/** What a text is compared with, whatever the case of its letters. */
interface TextComparison {
  eq?: string | null;
  in?: readonly string[];
  contains?: string;
  startsWith?: string;
  endsWith?: string;
}

/** Conditions on a row; all of them hold. */
export type Where<Row> = { [Name in keyof Row]?: Condition<Row[Name]> } & {
  AND?: readonly Where<Row>[];
  OR?: readonly Where<Row>[];
  NOT?: Where<Row>;
};

/** Orders by one field: `{ name: 'ASC' }`. */
export type Sort<Row> = {
  [Name in keyof Row as NonNullable<Row[Name]> extends Scalar ? Name : never]?: 'ASC' | 'DESC';
};

/** What to ask for of a class. */
export interface Asked<Row, Chosen> {
  select: Chosen & Known<Row, Chosen>;
  where?: Where<Row>;
  sort?: readonly Sort<Row>[];
  /** Rows at most; the service's `QUERY_DEFAULT_LIMIT` (100) if it is left out. */
  limit?: number;
  offset?: number;
}
