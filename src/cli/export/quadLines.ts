import { LRUCache } from 'lru-cache';
import type { LiteralObject } from '../../client/index.ts';
import { iriOf } from '../rdf/identifiers.ts';
import { annotation, rdf, xsd } from '../rdf/iris.ts';
import { isExactInRdf, lexicalOf } from '../rdf/literals.ts';
import type { StatementRow } from './rows.ts';

/**
 * Statements as N-Quads of RDF 1.2: each with a reifier of its own, in its graph, that says how certain it is and where it comes from; the class
 * of an entity stands before the first statement with it, as its rdf:type. `concord import` reads back the same graph.
 */
export class QuadLines {
  /** Entities whose class is written; one that is forgotten is written again, which says nothing new. */
  private readonly classified = new LRUCache<string, true>({ max: 100_000 });

  of(rows: StatementRow[]): string[] {
    return rows.map((row) => this.quads(row).join(''));
  }

  private quads(row: StatementRow): string[] {
    const { subject, subjectType, predicate, objectId, objectType, graph } = row;
    const object = objectId === null ? literal(row) : iri(objectId);
    const triple = `${iri(subject)} ${iri(predicate)} ${object}`;
    const where = graph === null ? '' : ` ${iri(graph)}`;
    const stated = `${triple}${where} .\n`;
    const reifier = `_:s${row.id}`;
    const said = [
      `${reifier} ${iri(rdf.reifies)} <<( ${triple} )>>${where} .\n`,
      ...annotations(row).map(([about, what]) => `${reifier} ${iri(about)} ${what}${where} .\n`),
    ];
    return [
      ...this.classOf(subject, subjectType),
      ...(objectId === null ? [] : this.classOf(objectId, objectType)),
      // A type of which something is said already is a statement and not the class.
      ...(predicate === rdf.type ? [...said, stated] : [stated, ...said]),
    ];
  }

  private classOf(id: string, type: string | null): string[] {
    if (type === null || this.classified.has(id)) return [];
    this.classified.set(id, true);
    return [`${iri(id)} ${iri(rdf.type)} ${iri(type)} .\n`];
  }
}

function annotations({
  certainty,
  provenance,
  observedAt,
  sources,
  ...row
}: StatementRow): [string, string][] {
  const object = row.objectId === null ? literalObject(row) : undefined;
  return [
    ...(certainty === null ? [] : [pair(annotation.certainty, typed(String(certainty), `${xsd}double`))]),
    ...(provenance === null ? [] : [pair(annotation.provenance, typed(provenance, rdf.json))]),
    ...(object === undefined || isExactInRdf(object)
      ? []
      : [pair(annotation.object, typed(JSON.stringify(object), rdf.json))]),
    pair(annotation.observedAt, typed(observedAt, `${xsd}dateTime`)),
    ...sources.map((source) => pair(annotation.source, quoted(source))),
  ];
}

const pair = (about: string, what: string): [string, string] => [about, what];

function literal(row: Pick<StatementRow, 'value' | 'datatype' | 'language'>): string {
  const object = literalObject(row);
  const text = lexicalOf(object);
  if (object.language !== undefined) return `${quoted(text)}@${object.language}`;
  // A language-tagged string without a tag is not RDF; the annotation tells what it is.
  if (object.type === `${xsd}string` || object.type === rdf.langString) return quoted(text);
  return typed(text, object.type ?? `${xsd}string`);
}

function literalObject({
  value,
  datatype,
  language,
}: Pick<StatementRow, 'value' | 'datatype' | 'language'>): LiteralObject {
  return {
    value: value ?? '',
    ...(datatype !== null && { type: datatype }),
    ...(language !== null && { language }),
  };
}

function typed(text: string, datatype: string): string {
  return `${quoted(text)}^^${iri(datatype)}`;
}

/** JSON's escapes are a subset of those of N-Quads. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

function iri(id: string): string {
  return `<${iriOf(id)}>`;
}
