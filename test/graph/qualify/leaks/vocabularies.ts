import { freeName, labelOf, propertyOf, quoted, relationshipTypeOf } from '../../../../src/graph/names/names.ts';
import type { Names } from '../../../../src/vocabulary/names.ts';
import { parseVocabulary } from '../../../../src/vocabulary/parse.ts';
import {
  type LiteralField,
  literalFieldsOf,
  predicatesOf,
  type Vocabulary,
} from '../../../../src/vocabulary/vocabulary.ts';
import type { Random } from '../random.ts';

/** A vocabulary, and what its classes and predicates are called in a graph that was empty before. */
export interface Terms {
  vocabulary: Vocabulary;
  names: Names;
  /** Literal fields by predicate. */
  literals: Map<string, LiteralField>;
  /** Labels, relationship types and properties as they stand in Cypher. */
  labels: string[];
  types: string[];
  /** Those of the types that lead to entities. */
  links: string[];
  properties: Property[];
}

/** A property that projects a literal field. */
export interface Property extends Pick<LiteralField, 'scalar' | 'list'> {
  text: string;
}

const base = 'https://example.org/leaks#';
/** A predicate that no vocabulary knows. */
export const rumour = `${base}rumour`;

/** Among them what Concord, GraphQL or Cypher call something of their own. */
const classNames = 'Person Place Update Agent Literal Order Match Task Past A2B'.split(' ');
const fieldNames = [
  ...'name nick age height member born seen scores note text label friend boss owner part near within'.split(' '),
  ...'value datatype language tenant graph certainty predicate statementId observedAt recordedAt'.split(' '),
  ...'retractedAt relationshipType past contains proposed match where order limit in not all this'.split(' '),
  ...'keys size a_b aB x1 properties'.split(' '),
];
/**
 * Local names that no GraphQL name is, or that are taken: a digit first, letters beyond ASCII, what every entity has,
 * nothing at all.
 */
const localNames = ['2nd', 'größe', 'id', 'type', 'name', 'count', '日本', '%20', 'rumour', 'Entity'];
const literalTypes = 'String ID Int Float Boolean DateTime Date'.split(' ');

/** A random vocabulary with the names that a new graph gives. */
export function randomTerms(random: Random): Terms {
  return termsOf(parseVocabulary(randomSdl(random), 'random.graphql'));
}

export function termsOf(vocabulary: Vocabulary): Terms {
  const predicates = [...predicatesOf(vocabulary).values()];
  const names = namesOf(vocabulary, [rumour, ...predicates.map(({ iri }) => iri)]);
  const literals = literalFieldsOf(vocabulary);
  return {
    vocabulary,
    names,
    literals,
    labels: vocabulary.classes.map(({ iri }) => asText(names.label(iri))),
    links: predicates
      .filter(({ field }) => field.kind === 'link')
      .map(({ iri }) => asText(names.relationshipType(iri))),
    types: [rumour, ...predicates.map(({ iri }) => iri)].map((iri) => asText(names.relationshipType(iri))),
    properties: [...literals].map(([iri, { scalar, list }]) => ({
      text: asText(names.property(iri)),
      scalar,
      list,
    })),
  };
}

/** Quoted where Cypher wants it: keywords may stand as they are. */
function asText(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : quoted(name);
}

function randomSdl(random: Random): string {
  const classes = take(random, classNames, 2 + random.below(2));
  const fields = new Map(classes.map((each) => [each, [] as string[]]));
  const free = take(random, fieldNames, fieldNames.length);
  const locals = take(random, localNames, localNames.length);
  const newField = () => ({ name: free.pop() ?? '', iri: random.chance(0.15) ? locals.pop() : undefined });
  const some = () => take(random, classes, random.chance(0.3) ? 2 : 1);
  for (let count = 6 + random.below(4); count > 0; count--) {
    const { name, iri } = newField();
    const type = random.pick(literalTypes);
    const list = random.chance(0.25);
    const flags = [
      ...(iri === undefined ? [] : [`iri: "https://other.example/${iri}"`]),
      ...(!list && random.chance(0.25) ? ['indexed: true'] : []),
      ...(!list && random.chance(0.2) ? ['functional: true'] : []),
    ];
    const directive = flags.length > 0 ? ` @predicate(${flags.join(', ')})` : '';
    for (const each of some()) fields.get(each)?.push(`${name}: ${list ? `[${type}!]!` : type}${directive}`);
  }
  for (let count = 3 + random.below(2); count > 0; count--) {
    const { name, iri } = newField();
    const target = random.pick(classes);
    const single = random.chance(0.3);
    const directive = iri === undefined ? '' : ` @predicate(iri: "https://other.example/${iri}")`;
    for (const each of some()) {
      fields.get(each)?.push(`${name}: ${single ? target : `[${target}!]!`}${directive}`);
      if (random.chance(0.4)) fields.get(target)?.push(`${free.pop()}: [${each}!]! @inverse(of: "${name}")`);
    }
  }
  const types = [...fields].map(([name, lines]) => `type ${name} @class {\n  id: ID!\n  ${lines.join('\n  ')}\n}`);
  return `extend schema @vocabulary(base: "${base}")\n${types.join('\n')}\n`;
}

function take<T>(random: Random, from: readonly T[], count: number): T[] {
  const left = [...from];
  return Array.from({ length: Math.min(count, from.length) }, () => left.splice(random.below(left.length), 1)).flat();
}

function namesOf(vocabulary: Vocabulary, predicates: string[]): Names {
  const types = unique(predicates, relationshipTypeOf);
  const labels = unique(
    vocabulary.classes.map(({ iri }) => iri),
    labelOf,
  );
  const type = (predicate: string) => types.get(predicate) ?? '';
  return {
    relationshipType: type,
    property: (predicate) => propertyOf(type(predicate)),
    label: (iri) => labels.get(iri) ?? '',
  };
}

function unique(iris: string[], nameOf: (iri: string) => string): Map<string, string> {
  const names = new Map<string, string>();
  for (const iri of iris) {
    const taken = new Set(names.values());
    names.set(
      iri,
      freeName(nameOf(iri), (name) => taken.has(name)),
    );
  }
  return names;
}
