const rdfNamespace = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';

export const xsd = 'http://www.w3.org/2001/XMLSchema#';

/** The terms of RDF 1.2 that say something about statements. */
export const rdf = {
  type: `${rdfNamespace}type`,
  /** From a reifier to the statement that it speaks of. */
  reifies: `${rdfNamespace}reifies`,
  /** The older way, with a node for each statement. */
  statement: `${rdfNamespace}Statement`,
  subject: `${rdfNamespace}subject`,
  predicate: `${rdfNamespace}predicate`,
  object: `${rdfNamespace}object`,
  langString: `${rdfNamespace}langString`,
  /** Of a language and a direction. */
  dirLangString: `${rdfNamespace}dirLangString`,
  json: `${rdfNamespace}JSON`,
  first: `${rdfNamespace}first`,
  rest: `${rdfNamespace}rest`,
  nil: `${rdfNamespace}nil`,
} as const;

/** What Concord says of a statement in RDF: predicates of its reifier. */
export const annotation = {
  /** 0 to 1. */
  certainty: 'urn:concord:certainty',
  /** JSON. */
  provenance: 'urn:concord:provenance',
  /**
   * JSON of the whole object, where RDF cannot tell all of it: a language tag's case, text with the datatype of a
   * number.
   */
  object: 'urn:concord:object',
  /** For readers other than Concord, whose import is an observation and a voice of its own. */
  observedAt: 'urn:concord:observedAt',
  source: 'urn:concord:source',
  /** Of a statement that has a graph of its own in the file: the graph that it is in. */
  graph: 'urn:concord:graph',
} as const;

/** What tells annotations from other statements. */
export const annotating: ReadonlySet<string> = new Set([
  ...Object.values(annotation),
  ...[rdf.statement, rdf.subject, rdf.predicate, rdf.object, rdf.reifies],
]);
