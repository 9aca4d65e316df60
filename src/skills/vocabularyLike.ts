import type { ClosedIris } from '../graph/names/closed.ts';
import { isLike } from '../graph/search/words.ts';
import { predicatesOf, type Vocabulary } from '../vocabulary/vocabulary.ts';

/** A class, or a predicate with the classes that it belongs to, as the GraphQL schema names them. */
interface FoundTerm {
  name: string;
  iri: string;
  description?: string;
}

interface FoundPredicate extends FoundTerm {
  /** Names of the classes that have it as a field. */
  classes: string[];
  /** The scalar of a literal, the class of an entity. */
  object: string;
}

/**
 * The classes and predicates of a vocabulary that have one of the words, or one like it, in name, IRI or description;
 * by name first.
 */
export function vocabularyLike(
  vocabulary: Vocabulary,
  words: string[],
  closed: ClosedIris | undefined,
): { classes: FoundTerm[]; predicates: FoundPredicate[] } {
  const classes = vocabulary.classes
    .filter(({ iri }) => !closed?.classes.has(iri))
    .map(({ name, iri, description }) => ({ name, iri, ...(description !== undefined && { description }) }));
  const predicates = [...predicatesOf(vocabulary).values()]
    .filter(({ iri }) => !closed?.predicates.has(iri))
    .map(({ iri, field, domains }) => ({
      name: field.name,
      iri,
      ...(field.description !== undefined && { description: field.description }),
      classes: domains.filter((each) => !closed?.classes.has(each.iri)).map(({ name }) => name),
      object: field.kind === 'literal' ? field.scalar : field.target,
    }));
  return { classes: likest(classes, words), predicates: likest(predicates, words) };
}

function likest<Each extends FoundTerm>(all: Each[], words: string[]): Each[] {
  const byName = all.filter((each) => isLike(words, nameOf(each)));
  const otherwise = all.filter(
    (each) => !byName.includes(each) && each.description !== undefined && isLike(words, each.description),
  );
  return [...byName, ...otherwise];
}

/** The name and the local name of the IRI, whole and in words: all IRIs of a vocabulary begin alike. */
function nameOf({ name, iri }: FoundTerm): string {
  const local = iri.split(/[/#:]/).at(-1) ?? '';
  const names = `${name} ${local}`;
  return `${names} ${names.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')}`;
}
