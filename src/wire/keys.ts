/**
 * The id of an entity that is known by its key: the IRI of its class, `?`, and the key's fields in the order of the
 * vocabulary, as `name=value` with `&` between them. Of UTF-8 everything but letters, digits and `-._~` is
 * percent-encoded (RFC 3986, section 2.3).
 * @param key names and values; whole numbers in decimal, days as `2026-02-28`
 */
export function idOfKey(classIri: string, key: readonly (readonly [string, string | number])[]): string {
  const pairs = key.map(([name, value]) => `${encoded(name)}=${encoded(String(value))}`);
  return `${classIri}?${pairs.join('&')}`;
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
