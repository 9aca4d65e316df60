import { LRUCache } from 'lru-cache';
import { iriOf, statementGraph } from '../rdf/identifiers.ts';
import { annotating, annotation, rdf, xsd } from '../rdf/iris.ts';
import { isExactInRdf, lexicalOf } from '../rdf/literals.ts';
import { literalIn, type StatementRow } from './rows.ts';

/**
 * What is said of statements: nothing, of triple terms (RDF 1.2), of nodes of the class rdf:Statement, or of graphs
 * that hold one statement each.
 */
export type Annotating = 'plain' | 'triple-terms' | 'reification' | 'graphs';

/** How statements are written. */
export interface QuadStyle {
  /** RDF 1.1 has neither triple terms nor directions of texts. */
  rdf: '1.1' | '1.2';
  annotations: Annotating;
}

/**
 * Statements as N-Quads, each with what says how certain it is and where it comes from; the class of an entity stands
 * before the first statement with it, as its rdf:type. `concord import` reads back the same graph, unless they are
 * plain. So what agents have said in the words of annotations is written in others: it would be taken for one.
 */
export class QuadLines {
  /** Texts whose direction is told nowhere. */
  undirected = 0;
  /** Entities whose class is written; one that is forgotten is written again, which says nothing new. */
  private readonly classified = new LRUCache<string, true>({ max: 100_000 });

  constructor(private readonly style: QuadStyle) {}

  of(rows: StatementRow[]): string[] {
    return rows.map((row) => this.quads(row).join(''));
  }

  private quads(row: StatementRow): string[] {
    const { subject, subjectType, predicate, objectId, objectType, graph } = row;
    const { rdf: version, annotations: annotating } = this.style;
    const isCut = version === '1.1' && directed.test(row.language ?? '');
    const object = objectId === null ? literal(row, isCut) : this.term(objectId);
    const parts = [this.term(subject), this.term(predicate), object] as const;
    const classes = [
      ...this.classOf(subject, subjectType),
      ...(objectId === null ? [] : this.classOf(objectId, objectType)),
    ];
    const stated = (where: string) => `${parts.join(' ')}${where} .\n`;
    const where = graph === null ? '' : ` ${this.term(graph)}`;
    const said = annotations(row, isCut);
    switch (annotating) {
      case 'plain':
        if (isCut) this.undirected += 1;
        return [...classes, stated(where)];
      case 'graphs': {
        const name = `<${statementGraph(row.id, graph)}>`;
        const of: [string, string][] = graph === null ? said : [...said, pair(annotation.graph, this.term(graph))];
        return [...classes, ...linesOf(name, of), stated(` ${name}`)];
      }
      default: {
        const reified = annotating === 'reification' ? reification(parts) : [tripleTerm(parts)];
        const about = linesOf(`_:s${row.id}`, [...reified, ...said], where);
        // A type of which something is said already is a statement and not the class.
        return predicate === rdf.type ? [...classes, ...about, stated(where)] : [...classes, stated(where), ...about];
      }
    }
  }

  private classOf(id: string, type: string | null): string[] {
    if (type === null || this.classified.has(id)) return [];
    this.classified.set(id, true);
    return [`${this.term(id)} ${iri(rdf.type)} ${this.term(type)} .\n`];
  }

  /** What a statement speaks of, as RDF names it. */
  private term(id: string): string {
    return this.style.annotations === 'plain' ? iri(id) : `<${iriOf(id, annotating)}>`;
  }
}

type Parts = readonly [subject: string, predicate: string, object: string];

/** What is said of one thing, in a graph. */
function linesOf(about: string, pairs: [string, string][], where = ''): string[] {
  return pairs.map(([predicate, what]) => `${about} ${iri(predicate)} ${what}${where} .\n`);
}

/** A statement as RDF 1.2 speaks of it. */
function tripleTerm(parts: Parts): [string, string] {
  return pair(rdf.reifies, `<<( ${parts.join(' ')} )>>`);
}

/** The same in RDF 1.1. */
function reification([subject, predicate, object]: Parts): [string, string][] {
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
