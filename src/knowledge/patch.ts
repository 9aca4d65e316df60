import { z } from 'zod';
import { datatypeOf, isFloat, type Statement } from '../graph/statements/statement.ts';
import type * as Wire from '../wire/types.ts';
import { provenance } from './provenance.ts';

/** A patch whose literal has its datatype. */
export interface Patch extends Wire.Patch {
  statement: Statement;
}

/** Characters of an identifier. */
export const longestId = 2_048;

/** An absent member may also be written as null, as the specification's models do. */
export function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** JSON Schema's word for two members of which only one is given, for who describes what a check says. */
export function notBoth(one: string, other: string): Record<string, unknown> {
  const present = { not: { type: 'null' } };
  return { not: { required: [one, other], properties: { [one]: present, [other]: present } } };
}

/** Text that Neo4j keeps as it is: half of a surrogate pair would come back as another character. */
const wellFormed = (text: z.ZodString) =>
  text.refine((value) => value.isWellFormed(), 'holds half of a surrogate pair');

export const text = (longest: number) => wellFormed(z.string().max(longest, `is longer than ${longest} characters`));

/** An IRI or other identifier. */
export const identifier = text(longestId).min(1, 'is empty');

/** For who describes it by JSON Schema, what is checked below. */
const idOrValue = {
  oneOf: [
    { required: ['id'], properties: { id: { type: 'string' } } },
    { required: ['value'], properties: { value: { not: { type: 'null' } } } },
  ],
  if: { required: ['id'], properties: { id: { type: 'string' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { language: { type: 'null' } } },
};

const object = z
  .strictObject({
    id: optional(identifier),
    value: optional(z.union([wellFormed(z.string()), z.number(), z.boolean()], 'is not a string, number or boolean')),
    type: optional(identifier),
    language: optional(
      z
        .string()
        .regex(
          /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*(--(ltr|rtl))?$/,
          'is not a BCP 47 language tag, with or without a direction behind it (ar--rtl)',
        ),
    ),
  })
  .meta(idOrValue)
  .transform(({ id, value, type, language }, context) => {
    const fault = (message: string, path: string[] = []) => {
      context.addIssue({ code: 'custom', message, path });
      return z.NEVER;
    };
    if ((id === undefined) === (value === undefined))
      return fault("has both or neither of 'id' and 'value'; give exactly one");
    if (id !== undefined) {
      return language === undefined ? { id, type } : fault('belongs to literals; an entity has none', ['language']);
    }
    if (value === undefined) return z.NEVER;
    const datatype = datatypeOf(value, type ?? datatypeOfLanguage(language));
    if (typeof value === 'number' && !isFloat(value, datatype) && !Number.isSafeInteger(value)) {
      return fault(
        'is an integer beyond 2^53; write it as a string, or give the type xsd:double if it may be rounded',
        ['value'],
      );
    }
    return { value, type: datatype, language };
  });

function datatypeOfLanguage(language: string | undefined): string | undefined {
  if (language === undefined) return undefined;
  return language.includes('--') ? 'rdf:dirLangString' : 'rdf:langString';
}

/** How certain a statement is. */
export const certainty = z.number('is not a number').min(0, 'is below 0').max(1, 'is above 1');

const subject = z.strictObject({ id: identifier, type: optional(identifier) });

const statement = z
  .strictObject({
    subject,
    predicate: z.strictObject({ id: identifier }),
    object,
    graph: optional(identifier),
    certainty: optional(certainty),
    provenance: optional(provenance),
  })
  .transform(withoutAbsent);

/**
 * One patch, parsed: datatypes written out, absent members absent. How long a text may be, `knowledge/update` says by
 * its settings.
 */
export const patch = z.strictObject({ op: z.enum(['add', 'remove', 'replace']), statement });

/** Absent members are absent, not undefined, so that equal statements compare equal. */
function withoutAbsent(parsed: { [Key in keyof Statement]: Statement[Key] }): Statement {
  const present = <T extends object>(value: T): T =>
    Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
  return present({ ...parsed, subject: present(parsed.subject), object: present(parsed.object) });
}
