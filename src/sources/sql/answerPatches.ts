import { z } from 'zod';
import { refuse } from '../../base/reasons.ts';
import { certainty, identifier, longestId, optional, text } from '../../knowledge/patch.ts';
import type { Patch, Statement } from '../../wire/types.ts';
import type { Cell, Selected } from '../adapters/source.ts';

/** Of a column's name; PostgreSQL's has 63 bytes. */
const columnName = text(256).min(1, 'is empty');

/** An entity by the value of a column: `prefix` and the value, percent-encoded. */
const entity = { prefix: text(1_000).min(1, 'is empty'), type: optional(identifier) };

/** Which column of an answer says what. */
export const mapping = z.strictObject({
  subject: z.strictObject({ column: columnName, ...entity }),
  /** By the name of a column: a predicate whose object is the value, or with `prefix` an entity. */
  predicates: z
    .record(columnName, z.strictObject({ id: identifier, prefix: optional(entity.prefix), type: entity.type }))
    .refine((each) => Object.keys(each).length > 0, 'is empty')
    .refine((each) => Object.keys(each).length <= 50, 'has more than 50 columns'),
  op: z.enum(['add', 'replace']).default('add'),
  graph: optional(identifier),
  certainty: optional(certainty),
});
export type Mapping = z.output<typeof mapping>;

/**
 * The rows of an answer as patches, and how many rows have none, since nothing stands in the column of their subject. A
 * value that isn't there is no patch.
 * @param provenance of each statement
 * @throws ConcordError `invalid-params` where the answer hasn't a column, or an identifier becomes too long
 */
export function answerPatches(
  { columns, rows }: Pick<Selected, 'columns' | 'rows'>,
  { subject, predicates, op, graph, certainty }: Mapping,
  provenance: Record<string, unknown>,
): { mutations: Patch[]; leftOut: number } {
  const placeOf = (name: string, path: string) => {
    const place = columns.findIndex((each) => each.name === name);
    if (place < 0) throw invalid(path, `the answer has no column '${name}'`);
    return place;
  };
  const at = placeOf(subject.column, 'mapping.subject.column');
  const parts = Object.entries(predicates).map(([name, predicate]) => {
    const place = placeOf(name, `mapping.predicates.${name}`);
    return { place, type: columns[place]?.type ?? '', predicate };
  });
  const mutations = rows.flatMap((row) => {
    const id = row[at] ?? null;
    if (id === null) return [];
    const about = entityOf(subject, id, 'mapping.subject');
    return parts.flatMap(({ place, type, predicate }): Patch[] => {
      const cell = row[place] ?? null;
      if (cell === null) return [];
      const { prefix } = predicate;
      const object =
        prefix === undefined ? literalOf(cell, type) : entityOf({ ...predicate, prefix }, cell, 'mapping.predicates');
      const more = { ...(graph !== undefined && { graph }), ...(certainty !== undefined && { certainty }) };
      return [{ op, statement: { subject: about, predicate: { id: predicate.id }, object, ...more, provenance } }];
    });
  });
  return { mutations, leftOut: rows.filter((row) => (row[at] ?? null) === null).length };
}

function entityOf({ prefix, type }: { prefix: string; type?: string | undefined }, cell: Cell, path: string) {
  const id = prefix + encodeURIComponent(String(cell).toWellFormed());
  if (id.length > longestId) throw invalid(path, `makes an identifier of more than ${longestId} characters`);
  return { id, ...(type !== undefined && { type }) };
}

/** Digits that a JSON number keeps. */
const exactDigits = 15;

/** A value with the datatype that its column says; what has none is text. */
function literalOf(cell: NonNullable<Cell>, type: string): Statement['object'] {
  if (typeof cell !== 'string') return { value: cell };
  if (type === 'bigint') return { value: cell, type: 'xsd:integer' };
  if (type === 'numeric' && Number.isFinite(Number(cell)))
    return cell.replace(/\D/g, '').length <= exactDigits
      ? { value: Number(cell) }
      : { value: cell, type: 'xsd:decimal' };
  if (type === 'date' && /^\d{4}-\d\d-\d\d$/.test(cell)) return { value: cell, type: 'xsd:date' };
  const moment = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d)(:\d\d)?$/.exec(cell);
  if (type === 'timestamp with time zone' && moment) {
    const [, day, time, hours, minutes = ':00'] = moment;
    return { value: `${day}T${time}${hours}${minutes}`, type: 'xsd:dateTime' };
  }
  return { value: cell };
}

function invalid(path: string, message: string) {
  return refuse('invalid-params', `Invalid params: ${path} ${message}`, { issues: [{ path, message }] });
}
