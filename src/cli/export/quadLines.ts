import { LRUCache } from 'lru-cache';
import { iriOf } from '../rdf/identifiers.ts';
import { annotating, annotation, rdf, xsd } from '../rdf/iris.ts';
import { isExactInRdf, lexicalOf } from '../rdf/literals.ts';
import { literalIn, type StatementRow } from './rows.ts';

/** How statements are written. */
export interface QuadStyle {
  /** RDF 1.1 has neither triple terms, for which it has nodes of the class rdf:Statement, nor directions of texts. */
  rdf: '1.1' | '1.2';
  /** Without what is said of statements. */
  plain: boolean;
}

/**
 * Statements as N-Quads: each with a reifier of its own, in its graph, that says how certain it is and where it comes
 * from; the class of an entity stands before the first statement with it, as its rdf:type. `concord import` reads back
 * the same graph, unless they are plain. So what agents have said in the words of annotations is written in others: it
 * would be taken for one.
 */
export class QuadLines {
  /** Texts whose direction is told nowhere. */
  undirected = 0;
  /** Entities whose class is written; one that is forgotten is written again, which says nothing new. */
  private readonly classified = new LRUCache<string, true>({ max: 100_000 });

  constructor(private readonly style: QuadStyle = { rdf: '1.2', plain: false }) {}

  of(rows: StatementRow[]): string[] {
    return rows.map((row) => this.quads(row).join(''));
  }

  private quads(row: StatementRow): string[] {
    const { subject, subjectType, predicate, objectId, objectType, graph } = row;
    const { rdf: version, plain } = this.style;
    const isCut = version === '1.1' && directed.test(row.language ?? '');
    const object = objectId === null ? literal(row, isCut) : this.term(objectId);
    const parts = [this.term(subject), this.term(predicate), object] as const;
    const triple = parts.join(' ');
    const where = graph === null ? '' : ` ${this.term(graph)}`;
    const stated = `${triple}${where} .\n`;
    const reifier = `_:s${row.id}`;
    if (plain && isCut) this.undirected += 1;
    const reified = version === '1.1' ? reification(parts) : [pair(rdf.reifies, `<<( ${triple} )>>`)];
    const all = plain ? [] : [...reified, ...annotations(row, isCut)];
    const said = all.map(([about, what]) => `${reifier} ${iri(about)} ${what}${where} .\n`);
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
    return [`${this.term(id)} ${iri(rdf.type)} ${this.term(type)} .\n`];
  }

  /** What a statement speaks of, as RDF names it. */
  private term(id: string): string {
    return this.style.plain ? iri(id) : `<${iriOf(id, annotating)}>`;
  }
}

/** A statement as RDF 1.1 speaks of it. */
function reification([subject, predicate, object]: readonly [string, string, string]): [string, string][] {
  return [
    pair(rdf.type, iri(rdf.statement)),
    pair(rdf.subject, subject),
    pair(rdf.predicate, predicate),
    pair(rdf.object, object),
  ];
}

function annotations(
  { certainty, provenance, observedAt, sources, ...row }: StatementRow,
  isCut: boolean,
): [string, string][] {
  const object = row.objectId === null ? literalIn(row) : undefined;
  return [
    ...(certainty === null ? [] : [pair(annotation.certainty, typed(String(certainty), `${xsd}double`))]),
    ...(provenance === null ? [] : [pair(annotation.provenance, typed(provenance, rdf.json))]),
    ...(object === undefined || (isExactInRdf(object) && !isCut)
      ? []
      : [pair(annotation.object, typed(JSON.stringify(object), rdf.json))]),
    pair(annotation.observedAt, typed(observedAt, `${xsd}dateTime`)),
    ...sources.map((source) => pair(annotation.source, quoted(source))),
  ];
}

const pair = (about: string, what: string): [string, string] => [about, what];

/** A language tag with a direction. */
const directed = /--(ltr|rtl)$/;

/** @param isCut whether the direction is left out */
function literal(row: Pick<StatementRow, 'value' | 'datatype' | 'language'>, isCut: boolean): string {
  const object = literalIn(row);
  const text = lexicalOf(object);
  if (object.language !== undefined)
    return `${quoted(text)}@${isCut ? object.language.replace(directed, '') : object.language}`;
  // A language-tagged string without a tag is not RDF; the annotation tells what it is.
  if (object.type === `${xsd}string` || object.type === rdf.langString || object.type === rdf.dirLangString)
    return quoted(text);
  return typed(text, object.type ?? `${xsd}string`);
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
