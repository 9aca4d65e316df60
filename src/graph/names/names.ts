/**
 * The forms that IRIs take as Neo4j labels, relationship types and property names, and the one place where names are
 * escaped.
 */

/** Labels that are Concord's own; a class of such a name gets the suffix `Entity`. */
export const systemLabels: ReadonlySet<string> = new Set(
  'Entity Literal Agent AgentCredentials Task Message Artifact TaskEvent PushConfig Update Change ChangeSubscription Ledger Rule Class Predicate Migration ApiKey Tombstone InstalledVocabulary SetupLock DirectEdit DirectEditState CaptureCursor AuditChain AuditEntry'.split(
    ' ',
  ),
);

/** Relationship types of the edits by hand that wait. */
export const captureTypes = ['EDIT_BEFORE', 'EDIT_AFTER'];

/** Relationship types that are Concord's own; a predicate of such a name gets the suffix `_STATEMENT`. */
export const systemTypes: ReadonlySet<string> = new Set([
  ...'PAST CONTAINS PROPOSED MADE ASKED HAS_MESSAGE HAS_ARTIFACT HAS_EVENT NOTIFIES'.split(' '),
  ...'DELEGATED_TO COMMUNICATES_WITH'.split(' '),
  ...captureTypes,
]);

/** Properties of every entity; a projected predicate of such a name gets the suffix `_`. */
const systemProperties = new Set(['id', 'type', 'tenant']);

const longestName = 100;

/** The words of an IRI's local name: `https://schema.org/worksFor` → `['works', 'For']`. */
function words(iri: string): string[] {
  const local = /[^/#:]*$/.exec(iri.replace(/[/#:]+$/, ''))?.[0] ?? '';
  const decoded = local.replace(/%[0-9a-fA-F]{2}/g, '_').slice(0, longestName);
  return decoded.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}]+|\p{N}+|\p{Lu}/gu) ?? [];
}

/** `https://schema.org/worksFor` → `WORKS_FOR` */
export function relationshipTypeOf(iri: string): string {
  const name = nameOf(words(iri).join('_').toUpperCase()) || 'RELATED';
  return systemTypes.has(name) ? `${name}_STATEMENT` : name;
}

/** `https://schema.org/country` → `Country`; `https://schema.org/Update` → `UpdateEntity` */
export function labelOf(iri: string): string {
  const name = nameOf(words(iri).map(capital).join('')) || 'Thing';
  return systemLabels.has(name) ? `${name}Entity` : name;
}

/** `WORKS_FOR` → `worksFor`: the property of an entity that projects the statements of this relationship type. */
export function propertyOf(relationshipType: string): string {
  const [first = '', ...rest] = relationshipType.toLowerCase().split('_');
  // Digits after digits stay apart: `line12` is not `line1_2`.
  const joined = rest.reduce(
    (name, word) => name + (/\d$/.test(name) && /^\d/.test(word) ? `_${word}` : capital(word)),
    first,
  );
  const name = nameOf(joined);
  return systemProperties.has(name) ? `${name}_` : name;
}

/** No property of a predicate has two underscores in a row, so these are always free. */
const certaintySuffix = '__certainty';

/**
 * The property of an entity beside a projected one: the certainty of the statement that it shows, where that is below
 * 1.
 */
export function certaintyPropertyOf(property: string): string {
  return property + certaintySuffix;
}

/**
 * The property of an entity with the highest certainty among the statements it takes part in, where that is below 1; 0
 * without any.
 */
export const highestCertainty = `highest${certaintySuffix}`;

export function isCertaintyProperty(property: string): boolean {
  return property.endsWith(certaintySuffix);
}

/** Without the combining marks that some letters become in the other case: `ΐ` is three characters in upper case. */
function nameOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}_]/gu, '');
}

function capital(word: string): string {
  const [first = '', ...rest] = word;
  return first.toUpperCase() + rest.join('');
}

/** The name, or the name with the first number that makes it free: `NAME`, `NAME_2`, `NAME_3`. */
export function freeName(name: string, taken: (candidate: string) => boolean): string {
  if (!taken(name)) return name;
  for (let number = 2; ; number++) {
    const candidate = `${name}_${number}`;
    if (!taken(candidate)) return candidate;
  }
}

/**
 * A label, relationship type or property name as it stands in Cypher text. Names hold letters, digits and underscores
 * only; anything else never came out of this file.
 * @throws Error
 */
export function quoted(name: string): string {
  if (!/^[\p{L}\p{N}_]+$/u.test(name)) throw new Error(`Not a name of Concord's making: ${JSON.stringify(name)}`);
  return `\`${name}\``;
}
