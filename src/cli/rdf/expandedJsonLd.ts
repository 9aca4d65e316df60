import { DataFactory, type Quad, type Quad_Graph, type Quad_Object, type Quad_Subject } from 'n3';
import { rdf, xsd } from './iris.ts';

const { blankNode, defaultGraph, literal, namedNode, quad } = DataFactory;

type Json = Record<string, unknown>;

/**
 * The quads of JSON-LD 1.1 in its expanded form (JSON-LD API, 8.2), in the order in which they stand there: what is
 * said of a statement keeps its place before or behind it. Labels of blank nodes, and texts of JSON, stay as they are.
 * @param newLabel labels a blank node that has none
 * @throws Error with what RDF cannot say
 */
export function quadsOf(expanded: unknown[], newLabel: () => string): Quad[] {
  const quads: Quad[] = [];
  for (const node of expanded) new Nodes(defaultGraph(), quads, newLabel).take(node as Json);
  return quads;
}

/** The nodes of one graph. */
class Nodes {
  constructor(
    private readonly graph: Quad_Graph,
    private readonly quads: Quad[],
    private readonly newLabel: () => string,
  ) {}

  /** @returns how others name it */
  take(node: Json): Quad_Subject {
    const subject = '@id' in node ? named(String(node['@id'])) : blankNode(this.newLabel());
    for (const [name, values] of Object.entries(node)) {
      if (name === '@id' || name === '@index') continue;
      const all = listOf(values);
      if (name === '@type') for (const each of all) this.state(subject, rdf.type, named(String(each)));
      else if (name === '@included') for (const each of all) this.take(each as Json);
      else if (name === '@graph') {
        const nodes = new Nodes(subject, this.quads, this.newLabel);
        for (const each of all) nodes.take(each as Json);
      } else if (name === '@reverse') {
        for (const [predicate, subjects] of Object.entries(values as Json)) {
          for (const each of listOf(subjects)) this.state(this.take(each as Json), predicate, subject);
        }
      } else for (const each of all) this.state(subject, name, this.objectOf(each as Json));
    }
    return subject;
  }

  private objectOf(value: Json): Quad_Object {
    if ('@value' in value) return literalOf(value);
    if ('@list' in value) return this.list(listOf(value['@list']) as Json[]);
    return this.take(value);
  }

  private list(values: Json[]): Quad_Object {
    const cells = values.map(() => blankNode(this.newLabel()));
    values.forEach((value, index) => {
      const cell = cells[index] as Quad_Subject;
      this.state(cell, rdf.first, this.objectOf(value));
      this.state(cell, rdf.rest, cells[index + 1] ?? namedNode(rdf.nil));
    });
    return cells[0] ?? namedNode(rdf.nil);
  }

  private state(subject: Quad_Subject, predicate: string, object: Quad_Object): void {
    if (predicate.startsWith('_:')) throw new Error(`a blank node (${predicate}) as a predicate is not RDF`);
    this.quads.push(quad(subject, namedNode(absolute(predicate)), object, this.graph));
  }
}

function literalOf({ '@value': value, '@type': type, '@language': language, '@direction': direction }: Json) {
  if (type === '@json') return literal(JSON.stringify(value), namedNode(rdf.json));
  if (direction !== undefined && language === undefined) {
    throw new Error('RDF has no text with a direction that has no language');
  }
  if (language !== undefined) {
    const tag = String(language).toLowerCase();
    // What has a direction is of a datatype of its own, which n3 takes from here.
    return literal(String(value), direction === undefined ? tag : `${tag}--${direction}`);
  }
  return literal(String(value), namedNode(type === undefined ? datatypeOf(value) : absolute(String(type))));
}

function datatypeOf(value: unknown): string {
  if (typeof value === 'boolean') return `${xsd}boolean`;
  if (typeof value !== 'number') return `${xsd}string`;
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? `${xsd}integer` : `${xsd}double`;
}

function named(id: string) {
  if (!id.isWellFormed()) throw new Error('an id holds half of a surrogate pair');
  return id.startsWith('_:') ? blankNode(id.slice(2)) : namedNode(absolute(id));
}

/** Relative ones have nothing that they are relative to. */
function absolute(iri: string): string {
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>]*$/.test(iri)) throw new Error(`'${iri}' is not an absolute IRI`);
  return iri;
}

function listOf(values: unknown): unknown[] {
  return Array.isArray(values) ? values : [values];
}
