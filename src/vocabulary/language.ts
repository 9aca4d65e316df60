import {
  buildSchema,
  type DirectiveNode,
  GraphQLError,
  getDirectiveValues,
  isRequiredArgument,
  isSpecifiedDirective,
} from 'graphql';
import type { Faults } from './faults.ts';
import { type CertaintyPolicy, certaintyPolicies } from './vocabulary.ts';

/** What a vocabulary may use beyond GraphQL's own scalars. */
export const language = buildSchema(`
  scalar DateTime
  scalar Date
  enum CertaintyPolicy { ${certaintyPolicies.join(' ')} }
  directive @vocabulary(base: String!) on SCHEMA
  directive @class(iri: String, was: String, key: [String!], aliases: [String!]) on OBJECT
  directive @predicate(
    iri: String, was: String, functional: Boolean, indexed: Boolean, certainty: CertaintyPolicy, aliases: [String!]
  ) on FIELD_DEFINITION
  directive @inverse(of: String!) on FIELD_DEFINITION
`);

/** The arguments of each directive, as `language` types them. */
interface Arguments {
  vocabulary: { base: string };
  class: { iri?: string | null; was?: string | null; key?: string[] | null; aliases?: string[] | null };
  predicate: {
    iri?: string | null;
    was?: string | null;
    functional?: boolean | null;
    indexed?: boolean | null;
    certainty?: CertaintyPolicy | null;
    aliases?: string[] | null;
  };
  inverse: { of: string };
}

interface Annotated {
  readonly directives?: readonly DirectiveNode[];
}

/** The node of a directive, if it is there. */
export function directiveOf(name: keyof Arguments, node: Annotated): DirectiveNode | undefined {
  return node.directives?.find((each) => each.name.value === name);
}

/** The arguments of a directive; undefined if it isn't there or its arguments are wrong, which is noted. */
export function argumentsOf<Name extends keyof Arguments>(
  name: Name,
  node: Annotated,
  faults: Faults,
): Arguments[Name] | undefined {
  const definition = language.getDirective(name);
  if (!definition) throw new Error(`The language has no @${name}`);
  const given = new Set(directiveOf(name, node)?.arguments?.map((each) => each.name.value));
  // Left out, it is noted by validateSDL already.
  if (definition.args.some((each) => isRequiredArgument(each) && !given.has(each.name))) return undefined;
  try {
    return getDirectiveValues(definition, node) as Arguments[Name] | undefined;
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    faults.from(error);
    return undefined;
  }
}

/** Notes GraphQL's own directives, such as `@deprecated`: they mean nothing here. */
export function refuseSpecifiedDirectives(node: Annotated, faults: Faults): void {
  for (const directive of node.directives ?? []) {
    const definition = language.getDirective(directive.name.value);
    if (definition && isSpecifiedDirective(definition)) {
      faults.at(directive, `Directive "@${directive.name.value}" is not supported in a vocabulary.`);
    }
  }
}

/** Whether a text is an absolute IRI (RFC 3987: a scheme, then no space, quote, bracket or control character). */
export function isAbsoluteIri(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what an IRI may not hold.
  return /^[A-Za-z][A-Za-z0-9+.-]*:[^\u0000-\u0020<>"{}|\\^`]+$/.test(text);
}

/**
 * The IRI of a class or predicate: what `iri` says, what `was` says it was called (an IRI, or a name within the base),
 * or else its name within the base. Whoever renames keeps by `was` what is stated already, for a statement's predicate
 * and an entity's class are IRIs.
 */
export function iriOf(
  said: { iri?: string | null; was?: string | null } | undefined,
  name: string,
  base: string,
): string {
  if (said?.iri != null) return said.iri;
  const earlier = said?.was ?? name;
  return isAbsoluteIri(earlier) ? earlier : base + earlier;
}

/** What is wrong with a `was`; undefined where nothing is. */
export function wasFault(
  said: { iri?: string | null; was?: string | null } | undefined,
  name: string,
): string | undefined {
  if (said?.was == null) return undefined;
  if (said.iri != null) return `"${name}" has an IRI: what it was called says nothing more. Drop "iri" or "was".`;
  if (isAbsoluteIri(said.was) || /^\w+$/.test(said.was)) return undefined;
  return `"${said.was}" is neither a name nor an absolute IRI.`;
}

const mostAliases = 20;
const longestAlias = 100;

/** The other words for a class or field as a property, or none. What is wrong with them is noted. */
export function aliasesOf(
  said: { aliases?: string[] | null } | undefined,
  name: string,
  note: (fault: string) => void,
): { aliases?: string[] } {
  const aliases = said?.aliases ?? [];
  if (aliases.length > mostAliases) note(`"${name}" has more than ${mostAliases} aliases.`);
  for (const alias of aliases)
    if (!/\p{L}/u.test(alias) || alias.length > longestAlias)
      note(
        `The alias "${alias.slice(0, longestAlias)}" of "${name}" is no word of at most ${longestAlias} characters.`,
      );
  return aliases.length > 0 ? { aliases } : {};
}
