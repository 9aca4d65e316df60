/** Stands before ids that are no IRIs, percent-encoded. */
const prefix = 'urn:concord:id:';
/** Begins the names of graphs that hold one statement each. */
const statementPrefix = 'urn:concord:statement:';

/** An absolute IRI as N-Quads has it. */
const absolute = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s\p{Cc}<>"{}|^`\\]*$/u;

/**
 * The IRI that stands for an id in RDF: itself, or what `idOf` reads back.
 * @param taken ids whose IRIs would be read as something else
 */
export function iriOf(id: string, taken?: ReadonlySet<string>): string {
  const isOurs = id.startsWith(prefix) || id.startsWith(statementPrefix);
  const isItself = absolute.test(id) && !isOurs && !taken?.has(id);
  return isItself ? id : prefix + encodeURIComponent(id);
}

/** The id that an IRI stands for. */
export function idOf(iri: string): string {
  if (!iri.startsWith(prefix)) return iri;
  try {
    return decodeURIComponent(iri.slice(prefix.length));
  } catch {
    return iri;
  }
}

/** The id of a blank node: the same whenever the same file is read. */
export function blankId(fileId: string, label: string): string {
  return `urn:concord:blank:${fileId}:${encodeURIComponent(label)}`;
}

/**
 * The name of a graph that holds one statement, so that something can be said of it. The statement's own graph is part
 * of the name: it stays known wherever in the file annotations stand, and is never left out unseen.
 */
export function statementGraph(statementId: string, graph: string | null): string {
  return [statementPrefix + statementId, ...(graph === null ? [] : [encodeURIComponent(graph)])].join(':');
}

/** What the name of such a graph tells of its statement; undefined of any other name. */
export function readStatementGraph(iri: string): { graph?: string } | undefined {
  const [name, graph] = /^urn:concord:statement:[\w-]+(?::(.+))?$/.exec(iri) ?? [];
  if (name === undefined) return undefined;
  if (graph === undefined) return {};
  try {
    return { graph: decodeURIComponent(graph) };
  } catch {
    return undefined;
  }
}
