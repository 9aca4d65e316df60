import { createHash } from 'node:crypto';
import type * as Wire from '../../wire/types.ts';
import type { EntityObject, Subject } from '../../wire/types.ts';

export type { EntityObject, Subject };

/** A literal as the object of a statement. */
export interface LiteralObject extends Wire.LiteralObject {
  /** Datatype IRI, written in full. */
  type: string;
}

/** A statement whose literal has its datatype. */
export interface Statement extends Wire.Statement {
  object: EntityObject | LiteralObject;
}

export function isLiteral(object: Statement['object']): object is LiteralObject {
  return 'value' in object;
}

/** Whether it is a certainty; somebody who edits the graph past Concord can write anything in its place. */
export function isCertainty(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1;
}

/** The entities that a statement speaks of. */
export function entitiesOf({ subject, object }: Statement): Subject[] {
  return isLiteral(object) ? [subject] : [subject, object];
}

/** The ids of the entities that statements speak of, each once. */
export function idsOf(statements: Statement[]): string[] {
  return [...new Set(statements.flatMap(entitiesOf).map(({ id }) => id))];
}

/**
 * The identity of a statement: the same subject, predicate, object and graph in the same tenant are the same statement,
 * whoever says it, however certain. 43 characters of base64url.
 */
export function statementIdOf(tenant: string, { subject, predicate, object, graph }: Statement): string {
  const objectKey = isLiteral(object) ? [object.value, object.type, object.language ?? null] : [object.id];
  const key = JSON.stringify([tenant, graph ?? null, subject.id, predicate.id, ...objectKey]);
  return createHash('sha256').update(key).digest('base64url');
}

const xsd = 'http://www.w3.org/2001/XMLSchema#';

/** The datatype IRI of a literal: what was said, with `xsd:` and `rdf:` written out, else what the value is. */
export function datatypeOf(value: LiteralObject['value'], said?: string): string {
  if (said?.startsWith('xsd:')) return xsd + said.slice('xsd:'.length);
  if (said?.startsWith('rdf:')) return `http://www.w3.org/1999/02/22-rdf-syntax-ns#${said.slice('rdf:'.length)}`;
  if (said !== undefined) return said;
  if (typeof value === 'string') return `${xsd}string`;
  if (typeof value === 'boolean') return `${xsd}boolean`;
  return Number.isInteger(value) ? `${xsd}integer` : `${xsd}double`;
}

const floatTypes = new Set(['double', 'float', 'decimal'].map((name) => xsd + name));

/**
 * Whether a numeric literal is a floating-point number in Neo4j: by its datatype, for JSON does not tell 1 from 1.0.
 */
export function isFloat(value: number, datatype: string): boolean {
  return floatTypes.has(datatype) || !Number.isInteger(value);
}
