/** Stands before ids that are no IRIs, percent-encoded. */
const prefix = 'urn:concord:id:';

/** An absolute IRI as N-Quads has it. */
const absolute = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s\p{Cc}<>"{}|^`\\]*$/u;

/**
 * The IRI that stands for an id in RDF: itself, or what `idOf` reads back.
 * @param taken ids whose IRIs would be read as something else
 */
export function iriOf(id: string, taken?: ReadonlySet<string>): string {
  const isItself = absolute.test(id) && !id.startsWith(prefix) && !taken?.has(id);
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
