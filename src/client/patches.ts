import type { EntityObject, LiteralObject, Patch, PatchOperation, Statement, Subject } from '../wire/types.ts';

/** What a statement is about: an id, or an id with its class. */
export type SubjectInput = string | Subject;
/** What it says: a plain value is a literal, `{ id }` an entity. */
export type ObjectInput = LiteralObject['value'] | LiteralObject | EntityObject;
/** What else a statement carries. */
export type Extras = Pick<Statement, 'graph' | 'certainty' | 'provenance'>;

/**
 * A patch that states something: `add('ex:France', 'schema:capital', { id: 'ex:Paris' }, { certainty: 0.9 })`.
 * The same statement again, by the same agent, updates what it said of its certainty and provenance.
 */
export function add(subject: SubjectInput, predicate: string, object: ObjectInput, extras?: Extras): Patch {
  return patch('add', subject, predicate, object, extras);
}

/** A patch that takes back what the agent said of exactly this statement; the last one who states it retracts it. */
export function remove(
  subject: SubjectInput,
  predicate: string,
  object: ObjectInput,
  extras?: Pick<Extras, 'graph'>,
): Patch {
  return patch('remove', subject, predicate, object, extras);
}

/** A patch whose statement takes the place of every other with its subject, predicate and graph. */
export function replace(subject: SubjectInput, predicate: string, object: ObjectInput, extras?: Extras): Patch {
  return patch('replace', subject, predicate, object, extras);
}

/** A literal with a datatype or language: `literal('Deutschland', { language: 'de' })`. */
export function literal(value: LiteralObject['value'], extras: Omit<LiteralObject, 'value'> = {}): LiteralObject {
  return { value, ...extras };
}

function patch(
  op: PatchOperation,
  subject: SubjectInput,
  predicate: string,
  object: ObjectInput,
  extras: Extras = {},
): Patch {
  return {
    op,
    statement: {
      subject: typeof subject === 'string' ? { id: subject } : subject,
      predicate: { id: predicate },
      object: typeof object === 'object' ? object : { value: object },
      ...extras,
    },
  };
}
