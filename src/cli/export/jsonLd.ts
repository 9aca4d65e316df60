import type { Quad, Term } from 'n3';
import { rdf, xsd } from '../rdf/iris.ts';

type Json = Record<string, unknown>;

/**
 * Quads as JSON-LD 1.1 in its expanded form, as they come: a list of nodes, and of graphs with their nodes. One that
 * comes again says more of the same. The library for this (`jsonld-streaming-serializer` 4.0) writes what is no JSON
 * where a graph speaks of itself, and fails on a text of `rdf:JSON` that is none.
 * @param pages of quads
 */
export async function* jsonLd(pages: AsyncIterable<Quad[]>): AsyncGenerator<string> {
  let before = '[';
  for await (const quads of pages) {
    const text = nodesOf(quads).map((node) => JSON.stringify(node));
    if (text.length === 0) continue;
    yield `${before}${text.join(',\n')}`;
    before = ',\n';
  }
  yield before === '[' ? '[]\n' : ']\n';
}

/** Quads that follow each other share the graph, and the node, that they have in common. */
function nodesOf(quads: Quad[]): Json[] {
  const top: Json[] = [];
  let last: { graph: Term; nodes: Json[] } | undefined;
  let about: { subject: Term; node: Json } | undefined;
  for (const { subject, predicate, object, graph } of quads) {
    if (!last?.graph.equals(graph)) {
      const isDefault = graph.termType === 'DefaultGraph';
      last = { graph, nodes: isDefault ? top : [] };
      if (!isDefault) top.push({ '@id': idOf(graph), '@graph': last.nodes });
      about = undefined;
    }
    if (!about?.subject.equals(subject)) {
      about = { subject, node: { '@id': idOf(subject) } };
      last.nodes.push(about.node);
    }
    const isClass = predicate.value === rdf.type && object.termType !== 'Literal';
    const name = isClass ? '@type' : predicate.value;
    const values = (about.node[name] ?? []) as unknown[];
    about.node[name] = [...values, isClass ? idOf(object) : valueIn(object)];
  }
  return top;
}

function idOf({ termType, value }: Term): string {
  return termType === 'BlankNode' ? `_:${value}` : value;
}

function valueIn(term: Term): Json {
  if (term.termType !== 'Literal') return { '@id': idOf(term) };
  const { value, language, datatype } = term;
  if (language !== '') return { '@value': value, '@language': language };
  if (datatype.value === `${xsd}string`) return { '@value': value };
  const json = datatype.value === rdf.json ? ownValue(value) : undefined;
  return json ? { '@type': '@json', '@value': json.value } : { '@type': datatype.value, '@value': value };
}

/** The value of a JSON text, if that is written so again: 1e400 would be null. */
function ownValue(text: string): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? { value } : undefined;
  } catch {
    return undefined;
  }
}
