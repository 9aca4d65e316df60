import { valueFault } from '../wire/fieldValues.ts';
import { idOfKey } from '../wire/keys.ts';
import type { EntityInput, EntityKey, FieldInput, QueryResult, UpdateResult } from '../wire/types.ts';
import { type BatchOptions, type BatchResult, sendInBatches } from './batch.ts';
import type { ConcordClient, QueryOptions } from './client.ts';
import type { CallOptions } from './options.ts';
import { type AnyAsked, days, invalid, modelOf, queryOf, rowsOf } from './selection.ts';
import type { ClassModel, ClassTypes, FieldModel, Reference, Vocabulary } from './vocabulary/model.ts';
import type { Asked, Selected } from './vocabulary/rows.ts';

/** What is said of a whole entity beside its fields. */
export interface PutOptions extends Pick<EntityInput, 'op' | 'id' | 'graph' | 'certainty' | 'provenance' | 'source'> {
  /** When it was observed. */
  observedAt?: Date | string;
}

type All<Classes> = { [Name in keyof Classes]: ClassTypes };
/** The fields that point at entities. */
type LinkName<Row> = {
  [Name in keyof Row]: NonNullable<Row[Name]> extends { id: string } | readonly { id: string }[] ? Name : never;
}[keyof Row];

type LiteralModel = Exclude<FieldModel, { class: string }>;

/** Rows of an answer. */
export type Rows<Row> = Row[] & {
  /** Set where no limit was asked for and there are more rows than the service gives without one. */
  readonly truncated?: true;
};

/** Asks for rows of a class. */
type Ask<Row> = <const Chosen extends object>(
  asked: Asked<Row, Chosen>,
  options?: QueryOptions,
) => Promise<Rows<Selected<Row, Chosen>>>;

/** A client that knows a vocabulary: a method for the plural of each class, and those of `TypedWriter`. */
export type TypedClient<Classes extends All<Classes>> = TypedWriter<Classes> & {
  readonly [Name in keyof Classes as Classes[Name]['plural']]: Ask<Classes[Name]['row']>;
};

/**
 * A client with the names and types of a vocabulary, as `concord types` makes it. Names and values are checked before
 * anything is sent.
 * @param client as `connect` gives it
 */
export function typed<Classes extends All<Classes>>(
  client: ConcordClient,
  vocabulary: Vocabulary<Classes>,
): TypedClient<Classes> {
  const writer = new TypedWriter<Classes>(client, vocabulary);
  const models = vocabulary.classes as Readonly<Record<string, ClassModel>>;
  const ask = (name: string) => async (asked: AnyAsked, options?: QueryOptions) => {
    const { text, variables } = queryOf(models, name, asked);
    const { data, queryMetadata }: QueryResult<Record<string, Record<string, unknown>[]>> = await client.query(
      text,
      variables,
      options,
    );
    const rows = rowsOf(models, name, data[modelOf(models, name).plural] ?? []);
    // Rows are compared, copied and printed as the list that they are.
    return queryMetadata.truncated ? Object.defineProperty(rows, 'truncated', { value: true }) : rows;
  };
  const asking = Object.entries(models).map(([name, { plural }]) => [plural, ask(name)]);
  return Object.assign(writer, Object.fromEntries(asking));
}

/**
 * Writes entities by the names of a vocabulary. A proposal that the rules reject is an answer (`success: false`) and
 * not an error.
 */
export class TypedWriter<Classes extends All<Classes>> {
  readonly client: ConcordClient;
  /** Hidden by its name: the plural of a class may be `models`. */
  readonly #models: Readonly<Record<string, ClassModel>>;

  constructor(client: ConcordClient, vocabulary: Vocabulary<Classes>) {
    this.client = client;
    this.#models = vocabulary.classes as Readonly<Record<string, ClassModel>>;
  }

  /**
   * States fields of an entity: a single one takes the place of what was there, a list is added to, null takes back
   * what there is. Without an `id` the class's key among the fields says which entity it is.
   * @throws InvalidParamsError before it is sent; what `ConcordClient.update` throws
   */
  async put<Name extends keyof Classes & string>(
    name: Name,
    fields: Classes[Name]['fields'],
    { signal, timeoutMs, headers, ...said }: PutOptions & CallOptions = {},
  ): Promise<UpdateResult> {
    return this.send(this.entity(name, fields, said), { signal, timeoutMs, headers });
  }

  /** Points a link at an entity; otherwise as `put`. */
  async link<
    Name extends keyof Classes & string,
    Field extends LinkName<Classes[Name]['row']> & keyof Classes[Name]['fields'] & string,
  >(
    name: Name,
    from: Reference<Classes[Name]['key']>,
    field: Field,
    to: NonNullable<Classes[Name]['fields'][Field]>,
    { signal, timeoutMs, headers, ...said }: Omit<PutOptions, 'id'> & CallOptions = {},
  ): Promise<UpdateResult> {
    const entity = this.entityOf(name, from, { [field]: to }, said);
    return this.send(entity, { signal, timeoutMs, headers });
  }

  /**
   * Takes back what is said of an entity: exactly these values, or every value of the fields that are named.
   * @param said `{ aliases: ['ferrum'] }` or `['meltingPoint']`
   */
  async retract<Name extends keyof Classes & string>(
    name: Name,
    of: Reference<Classes[Name]['key']>,
    said: Partial<Classes[Name]['fields']> | readonly (keyof Classes[Name]['fields'] & string)[],
    { signal, timeoutMs, headers, ...more }: { graph?: string } & CallOptions = {},
  ): Promise<UpdateResult> {
    const fields = Array.isArray(said) ? Object.fromEntries(said.map((each) => [each, null])) : said;
    const entity = this.entityOf(name, of, fields, { ...more, op: 'remove' });
    return this.send(entity, { signal, timeoutMs, headers });
  }

  /**
   * What `put` would send, checked: for `sendAll`, or to send several in one update, all or none.
   * @throws InvalidParamsError
   */
  entity<Name extends keyof Classes & string>(
    name: Name,
    fields: Classes[Name]['fields'],
    said: PutOptions = {},
  ): EntityInput {
    const { key } = modelOf(this.#models, name);
    const values = fields as Record<string, unknown>;
    if (said.id !== undefined) return this.entityOf(name, { id: said.id }, values, said);
    if (key === undefined) throw invalid([name], 'has no key in the vocabulary: give the option id');
    const missing = key.find((each) => values[each] === undefined);
    if (missing !== undefined) throw invalid([name, missing], 'is of the key, and missing');
    const rest = Object.entries(values).filter(([each]) => !key.includes(each));
    const from = Object.fromEntries(key.map((each) => [each, values[each]]));
    return this.entityOf(name, from, Object.fromEntries(rest), said);
  }

  /** The id of the entity of this key, as the service makes it. */
  idOf<Name extends keyof Classes & string>(name: Name, key: Classes[Name]['key']): string {
    const model = modelOf(this.#models, name);
    const sent = this.sentReference(name, model, key, [name]);
    return 'id' in sent ? sent.id : idOfKey(model.iri, Object.entries(sent.key));
  }

  /** Sends entities however many; see `sendInBatches`. */
  sendAll(
    entities: Iterable<EntityInput> | AsyncIterable<EntityInput>,
    options: BatchOptions<EntityInput> = {},
  ): Promise<BatchResult> {
    return sendInBatches(this.client, entities, options);
  }

  private send(entity: EntityInput, options: CallOptions): Promise<UpdateResult> {
    return this.client.update({ entities: [entity] }, options);
  }

  private entityOf(name: string, which: object, fields: object, said: PutOptions): EntityInput {
    const model = modelOf(this.#models, name);
    const { observedAt, ...rest } = said;
    const sent = Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([each, value]) => [each, this.sentField(name, each, value)]);
    return {
      class: name,
      ...rest,
      ...(observedAt !== undefined && {
        observedAt: observedAt instanceof Date ? observedAt.toISOString() : observedAt,
      }),
      ...this.sentReference(name, model, which, [name]),
      ...(sent.length > 0 && { fields: Object.fromEntries(sent) }),
    };
  }

  private sentReference(
    name: string,
    { key, fields }: ClassModel,
    which: object,
    path: string[],
  ): { id: string } | { key: EntityKey } {
    if ('id' in which) return { id: String(which.id) };
    const values = which as Record<string, unknown>;
    if (key === undefined) throw invalid(path, `is of the class ${name}, which has no key: give { id }`);
    const foreign = Object.keys(values).find((each) => !key.includes(each));
    if (foreign !== undefined) throw invalid([...path, foreign], `is not of the key of ${name}`);
    const sent = key.map((each) => [each, sentValue(fields[each] as LiteralModel, values[each], [...path, each])]);
    return { key: Object.fromEntries(sent) };
  }

  private sentField(name: string, each: string, value: unknown): FieldInput | FieldInput[] | null {
    const path = [name, each];
    const { fields } = modelOf(this.#models, name);
    const field = Object.hasOwn(fields, each) ? fields[each] : undefined;
    if (field === undefined) throw invalid(path, `is no field of ${name}`);
    if ('inverse' in field) throw invalid(path, 'is the other end of a link: state it there');
    if (value === null) return null;
    const one = (item: unknown, place: (string | number)[]): FieldInput => {
      if (!('class' in field)) return sentValue(field, item, place);
      if (typeof item !== 'object' || item === null) throw invalid(place, 'is not an id or a key');
      const target = field.class;
      return this.sentReference(target, modelOf(this.#models, target), item, place.map(String));
    };
    if (!Array.isArray(value)) return one(value, path);
    if (!field.list) throw invalid(path, 'is a list, but the field takes one value');
    return value.map((item, index) => one(item, [...path, index]));
  }
}

/** A literal as it is sent; dates are text there. */
function sentValue(field: LiteralModel, given: unknown, path: (string | number)[]): string | number {
  const { scalar, indexed = false } = field;
  const isText = typeof given === 'object' && given !== null && 'language' in given && scalar === 'String';
  const plain = isText && 'value' in given ? given.value : given;
  const value = scalar === 'Date' ? days(plain) : plain instanceof Date ? timeOf(plain) : plain;
  const fault = valueFault(scalar, indexed, value);
  if (fault !== undefined) throw invalid(path, fault);
  return (isText ? given : value) as string;
}

/** Undefined of a date that is none, which no field takes. */
function timeOf(date: Date): string | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
