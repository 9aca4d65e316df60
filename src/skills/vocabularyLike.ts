import type { ClosedIris } from '../graph/names/closed.ts';
import { type Candidate, compare, type Question } from '../graph/search/comparing.ts';
import { ranked } from '../graph/search/ranking.ts';
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

export interface FoundTerms {
  classes: FoundTerm[];
  predicates: FoundPredicate[];
  /** Of each word of the question how well the name of a class or predicate has it. */
  named: number[];
}

const descriptionWeight = 0.5;

/**
 * The classes and predicates of a vocabulary that have one of the words, or one like it, in name, IRI or description;
 * likest first.
 */
export function vocabularyLike(vocabulary: Vocabulary, question: Question, closed: ClosedIris | undefined): FoundTerms {
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
  const names = [...classes, ...predicates].map(({ name, iri }) => candidateOf({ name, iri }));
  const named = compare(question, names).flatMap(({ texts }) => texts.map(({ words }) => words));
  return {
    classes: likest(question, classes, () => []),
    predicates: likest(question, predicates, ({ classes, object }) => [...classes, object]),
    named: question.words.map((_, index) => Math.max(0, ...named.map((words) => words[index] ?? 0))),
  };
}

function likest<Each extends FoundTerm>(question: Question, all: Each[], kindsOf: (each: Each) => string[]): Each[] {
  const byIri = new Map(all.map((each) => [each.iri, each]));
  const candidates = all.map((each) => candidateOf(each, kindsOf(each)));
  return ranked(question, compare(question, candidates)).flatMap(({ id }) => byIri.get(id) ?? []);
}

function candidateOf({ name, iri, description }: FoundTerm, kinds: string[] = []): Candidate {
  const local = localName(iri);
  const names = [...new Set([name, local, inWords(name), inWords(local)])];
  const texts = names.map((value) => ({ value, weight: 1 }));
  if (description !== undefined) texts.push({ value: description, weight: descriptionWeight });
  return { id: iri, texts, kinds: kinds.map(inWords) };
}

/** What an IRI ends with: all IRIs of a vocabulary begin alike. */
export function localName(iri: string): string {
  return iri.split(/[/#:]/).at(-1) ?? '';
}

/** `officialName` → `official Name` */
export function inWords(name: string): string {
  return name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
}
