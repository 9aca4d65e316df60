/** Names of the classes and predicates by which a source is described; docs/sources.md tells what each means. */
const base = 'urn:concord:schema#';

const classNames = ['Source', 'Schema', 'Table', 'Column', 'Key', 'Index', 'ForeignKey'] as const;
const predicateNames = [
  'name',
  'dialect',
  'inSource',
  'inSchema',
  'kind',
  'comment',
  'rowEstimate',
  'inTable',
  'position',
  'dataType',
  'required',
  'primary',
  'columns',
  'hasColumn',
  'definition',
  'refersTo',
  'refersToColumns',
  'declared',
  'references',
] as const;

export type SourceClass = (typeof classNames)[number];
export type SourcePredicate = (typeof predicateNames)[number];

export const sourceTerm = (name: SourceClass | SourcePredicate): string => `${base}${name}`;

/** IRIs of all predicates. */
export const sourcePredicates: readonly string[] = predicateNames.map(sourceTerm);

/** The named graph of a source, which is also the entity that stands for it. */
export const sourceGraph = (name: string): string => `urn:concord:source:${name}`;

/** The agent that states what a source is made of. */
export const introspector = 'introspector';

/**
 * The IRI of a part of a source. Names are percent-encoded, so that one with a slash or a colon is no other part; what
 * isn't a schema, table or column has its kind before it (`:key`), which no encoded name can be.
 */
export function partIri(source: string, path: readonly string[], kind?: 'key' | 'index' | 'reference'): string {
  const names = path.map((name) => encodeURIComponent(name.toWellFormed()));
  if (kind !== undefined) names.splice(-1, 0, `:${kind}`);
  return [sourceGraph(source), ...names].join('/');
}
