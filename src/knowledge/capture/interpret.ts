import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../base/isObject.ts';
import type { Edit, End, NodeEdit, Properties, RelationshipEdit } from '../../graph/capture/edit.ts';
import { isLiteral, type Statement } from '../../graph/statements/statement.ts';
import type { LiteralField } from '../../vocabulary/vocabulary.ts';
import type * as Wire from '../../wire/types.ts';
import { type Patch, patch as patchShape } from '../patch.ts';

/** What edits are read by. */
export interface Reading {
  /** Predicates by the relationship types that stand for them. */
  predicates: ReadonlyMap<string, string>;
  /** Classes by their labels. */
  classes: ReadonlyMap<string, string>;
  /** The vocabulary's literal fields by the properties of an entity that show them. */
  fields: ReadonlyMap<string, LiteralField>;
  /** What IRIs of the vocabulary begin with by default. */
  base: string;
  /** What holds of an entity with a predicate, before these edits. */
  current(subject: string, predicate: string): readonly Statement[];
}

/** What an edit says. */
export interface Interpretation {
  patches: Patch[];
  /** What of it is no statement, for who reviews it: kept as a proposal. */
  faults: string[];
  /** What was put back without a word more: only Concord writes it. */
  restored: string[];
}

/** Of a statement's edge, what somebody may say by hand; the rest is Concord's own account of who said it when. */
const saidOfEdge = ['certainty', 'provenance', 'observedAt', 'graph'];

/** What an entity shows beside its fields. */
const ownOfNode = ['id', 'tenant', 'type'];

/** Tells as statements what somebody has edited by hand. Free of any database. */
export function interpret(edit: Edit, reading: Reading): Interpretation {
  const told: Interpretation = { patches: [], faults: [], restored: [] };
  if (edit.kind === 'relationship') readRelationship(edit, reading, told);
  else if (edit.kind === 'node') readNode(edit, reading, told);
  return told;
}

function readRelationship(edit: RelationshipEdit, reading: Reading, told: Interpretation): void {
  const { type, op, before, after } = edit;
  if (type === 'PAST') {
    // What went with its entity came back with it.
    if (op !== 'deleted') told.restored.push('history (PAST)');
    return;
  }
  if (edit.joinsTenants) {
    told.restored.push(`${type} between two tenants`);
    return;
  }
  const was = before && statementOf(edit, before, reading);
  const is = after && statementOf(edit, after, reading);
  if (is === undefined || was === undefined) {
    if (was) told.patches.push(...removals(was, before, edit));
    if (is) addTo(told, is, edit, reading, type);
    else if (after) told.faults.push(`${type} does not join an entity to an entity or a literal`);
    return;
  }
  if (was.graph !== is.graph) {
    told.patches.push(...removals(was, before, edit));
    addTo(told, is, edit, reading, type);
    return;
  }
  const changed = Object.keys({ ...before, ...after }).filter((key) => !isDeepStrictEqual(before?.[key], after?.[key]));
  if (changed.some((key) => saidOfEdge.includes(key))) addTo(told, is, edit, reading, type);
  const own = changed.filter((key) => !saidOfEdge.includes(key));
  if (own.length > 0) told.restored.push(`${type} {${own.join(', ')}}`);
}

/** The statement that an edge is, as far as it is one; what is wrong with its values is left to the shape of patches. */
function statementOf(
  { type, start, end }: RelationshipEdit,
  edge: Properties,
  reading: Reading,
): Wire.Statement | undefined {
  if (start?.kind !== 'entity' || end === undefined) return undefined;
  const predicate = reading.predicates.get(type) ?? proposedPredicate(type, reading.base);
  return {
    subject: entity(start),
    predicate: { id: predicate },
    object: objectOf(end),
    ...(edge.graph !== undefined && { graph: edge.graph as string }),
  };
}

const entity = ({ id, type }: End & { kind: 'entity' }) => ({ id, ...(type !== undefined && { type }) });

function objectOf(end: End): Wire.Statement['object'] {
  if (end.kind === 'entity') return entity(end);
  const { value, datatype, language } = end;
  return {
    value: value as Wire.LiteralObject['value'],
    ...(datatype !== undefined && { type: datatype }),
    ...(language !== undefined && { language }),
  };
}

/** What a relationship type without a predicate would be called in the vocabulary. */
function proposedPredicate(type: string, base: string): string {
  const [first = '', ...rest] = type.toLowerCase().split('_');
  return base + first + rest.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
}

/** States a statement with what its edge says of it. */
function addTo(
  told: Interpretation,
  said: Wire.Statement,
  edit: RelationshipEdit,
  reading: Reading,
  type: string,
): void {
  const { before = {}, after = {} } = edit;
  const given = after.provenance === before.provenance ? undefined : parsed(after.provenance);
  if (given === null) {
    told.faults.push(`${type} {provenance} is no JSON text of an object`);
    return;
  }
  const { observedAt } = after;
  const isObserved = observedAt !== undefined && observedAt !== before.observedAt;
  add(told, edit, {
    ...said,
    ...(after.certainty !== undefined && { certainty: after.certainty as number }),
    provenance: { ...provenanceOf(edit), ...given, ...(isObserved && { timestamp: observedAt }) },
  });
  if (!reading.predicates.has(type)) told.faults.push(`no predicate is known for the relationship type ${type}`);
}

function parsed(provenance: unknown): Record<string, unknown> | null | undefined {
  if (provenance === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(String(provenance));
    return isObject(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

const provenanceOf = ({ user, client, at }: Edit) => ({
  source: 'Neo4j, edited by hand',
  user,
  ...(client !== undefined && { client }),
  timestamp: new Date(at).toISOString(),
});

/** Takes a statement back for all who state it: what somebody deletes is not to stand there again. */
function removals(said: Wire.Statement, before: Properties | undefined, { user }: Edit): Patch[] {
  const removal = patchShape.safeParse({ op: 'remove', statement: said });
  if (!removal.success) return [];
  const sources = Array.isArray(before?.sources) ? before.sources : [];
  // The first takes the editor's own voice, the second those of the others.
  return sources.includes(agentOf(user)) ? [removal.data, removal.data] : [removal.data];
}

/** Who states what a user of Neo4j edits. */
export const agentOf = (user: string): string => `direct:${user || 'anonymous'}`;

function add(told: Interpretation, edit: Edit, statement: Wire.Statement): void {
  const found = patchShape.safeParse({ op: 'add', statement });
  if (found.success) told.patches.push(found.data);
  else
    for (const { path, message } of found.error.issues)
      told.faults.push(`${nameOf(edit)} {${String(path.at(-1))}} ${message}`);
}

function nameOf(edit: Edit): string {
  if (edit.kind === 'relationship') return edit.type;
  if (edit.kind === 'system') return edit.type ?? edit.labelsAfter.join(':');
  return `:${(edit.labelsAfter.length > 0 ? edit.labelsAfter : edit.labelsBefore).join(':')}`;
}

function readNode(edit: NodeEdit, reading: Reading, told: Interpretation): void {
  if ([...edit.labelsBefore, ...edit.labelsAfter].includes('Literal')) readLiteral(edit, reading, told);
  else readEntity(edit, reading, told);
}

/** The value of a statement that holds was changed. */
function readLiteral(edit: NodeEdit, reading: Reading, told: Interpretation): void {
  const { statement, before = {}, after } = edit;
  if (edit.op !== 'changed' || after === undefined || statement?.start?.kind !== 'entity') return;
  const { start, type, properties } = statement;
  const at = { ...edit, kind: 'relationship' as const, type, start, before: properties, after: properties };
  const end = (literal: Properties): End => ({
    kind: 'literal',
    value: literal.value,
    // That of another kind of value tells nothing about the new one.
    ...(typeof literal.value === typeof before.value && { datatype: literal.datatype as string }),
    ...(typeof literal.language === 'string' && { language: literal.language }),
  });
  const was = statementOf({ ...at, end: end(before) }, properties, reading);
  const is = statementOf({ ...at, end: end(after) }, properties, reading);
  if (was === undefined || is === undefined) return;
  if (isDeepStrictEqual(was, is)) {
    told.restored.push(nameOf(edit));
    return;
  }
  told.patches.push(...removals(was, properties, edit));
  addTo(told, is, at, reading, type);
}

function readEntity(edit: NodeEdit, reading: Reading, told: Interpretation): void {
  const { op, before = {}, after = {}, labelsBefore, labelsAfter } = edit;
  const known = op === 'created' ? after : before;
  if (typeof known.id !== 'string' || known.id === '') {
    if (op === 'created') told.faults.push(`${nameOf(edit)} has no id: an entity has one, and is left as it is`);
    return;
  }
  const type = classOf(op === 'created' ? labelsAfter : labelsBefore, known.type, reading);
  const subject = { id: known.id, ...(type !== undefined && { type }) };
  for (const [property, field] of reading.fields) {
    const [was, is] = [listed(before[property]), listed(after[property])];
    // The edges of an entity that is gone say what was said of it.
    if (op !== 'deleted' && !isDeepStrictEqual(was, is)) readField(edit, reading, told, { subject, field, was, is });
  }
  if (op === 'changed') told.restored.push(...ownChanges(edit));
  const classes = (labels: readonly string[]) =>
    labels.filter((label) => label === 'Entity' || reading.classes.has(label));
  if (op !== 'changed' || isDeepStrictEqual(classes(labelsBefore).sort(), classes(labelsAfter).sort())) return;
  told.faults.push(
    `the labels of ${known.id} were ${shown(labelsBefore)} and became ${shown(labelsAfter)}: an entity stays of its class`,
  );
}

const shown = (labels: readonly string[]) => labels.map((label) => `:${label}`).join('') || 'none';

function classOf(labels: readonly string[], type: unknown, { classes }: Reading): string | undefined {
  const [label] = labels.filter((each) => classes.has(each));
  if (label !== undefined) return classes.get(label);
  return [...classes.values()].find((iri) => iri === type);
}

function ownChanges({ before = {}, after = {}, labelsBefore }: NodeEdit): string[] {
  const changed = Object.keys({ ...before, ...after }).filter(
    (key) => (ownOfNode.includes(key) || key.endsWith('__certainty')) && !isDeepStrictEqual(before[key], after[key]),
  );
  return changed.length > 0 ? [`${shown(labelsBefore)} {${changed.join(', ')}}`] : [];
}

const listed = (value: unknown): unknown[] => (value === undefined ? [] : Array.isArray(value) ? value : [value]);

interface FieldEdit {
  subject: Wire.Subject;
  field: LiteralField;
  was: unknown[];
  is: unknown[];
}

/**
 * A value that was taken out takes back the statements that say it, one that was put in is stated: beside the others in
 * a list field, and else in the graph and the language of the one in whose place it is. A field that was emptied has no
 * statement left.
 */
function readField(
  edit: NodeEdit,
  reading: Reading,
  told: Interpretation,
  { subject, field, was, is }: FieldEdit,
): void {
  const { predicate } = field;
  const current = edit.op === 'created' ? [] : reading.current(subject.id, predicate);
  const isGone = (value: unknown) => is.length === 0 || (was.some(same(value)) && !is.some(same(value)));
  const gone = current.filter(({ object }) => isLiteral(object) && isGone(object.value));
  for (const statement of gone) {
    // Its voices aren't known here, and the second removal of what is gone changes nothing.
    const removal = patchShape.parse({ op: 'remove', statement: withoutVoice(statement) });
    told.patches.push(removal, removal);
  }
  const place = field.list ? undefined : gone[0];
  for (const value of is.filter((each) => !was.some(same(each)))) {
    const language = place !== undefined && isLiteral(place.object) ? place.object.language : undefined;
    const datatype = typeof value === 'string' ? datatypes[field.scalar] : undefined;
    add(told, edit, {
      subject,
      predicate: { id: predicate },
      object: {
        value: value as Wire.LiteralObject['value'],
        ...(language !== undefined && typeof value === 'string' && { language }),
        ...(datatype !== undefined && { type: datatype }),
      },
      ...(place?.graph !== undefined && { graph: place.graph }),
      provenance: provenanceOf(edit),
    });
  }
}

const datatypes: Partial<Record<LiteralField['scalar'], string>> = { Date: 'xsd:date', DateTime: 'xsd:dateTime' };

/** Points in time are written in many ways. */
const same = (one: unknown) => (other: unknown) =>
  one === other ||
  (typeof one === 'string' && typeof other === 'string' && isTime(one) && Date.parse(one) === Date.parse(other));

const isTime = (text: string) => /^\d{4}-\d\d-\d\dT/.test(text);

function withoutVoice({ certainty: _, provenance: __, ...statement }: Statement): Statement {
  return statement;
}
