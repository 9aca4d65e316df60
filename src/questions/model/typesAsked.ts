import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { About } from '../answering/asker.ts';
import type { Term } from '../lexicon.ts';

/** What a query answers with: object types, types of values, and the names of fields. */
interface Answers {
  objects: Set<string>;
  values: Set<string>;
  fields: Set<string>;
  /** Fields at the root. */
  roots: string[];
}

/** Beginnings of questions that a number answers. */
const numeric =
  /^(?:so |and |please |tell me |what is |what's |give me )*(?:the )?(?:how (?:many|much|big|large|small|high|long|far|old|populous)|(?:total )?number of|count of|average|mean|total|sum of|(?:total |average )?population of|area of)\b/i;
/** Beginnings of questions after which it says what of. */
const ofWhich = new Set(['which', 'what', 'list', 'show', 'name', 'all', 'every']);
/** Words between that and the noun. */
const mostBetween = 3;

/**
 * Whether a query answers with what a question asks for: a number to `how many`, countries to `which countries`.
 * @returns what is wrong, for who mends it
 */
export function faultOfTypes(
  schema: GraphQLSchema,
  document: DocumentNode,
  question: string,
  about: About,
): string | undefined {
  const answers = answersOf(schema, document);
  if (answers.roots.filter((name) => !name.startsWith('__')).length === 0) return 'The query asks nothing of the graph';
  if (numeric.test(question.trim()) && !answers.values.has('Int') && !answers.values.has('Float'))
    return 'The question asks for a number, and the query answers with none';
  const wanted = wantedBy(about);
  if (wanted.length === 0) return undefined;
  const isThere = wanted.some((term) =>
    term.kind === 'class'
      ? answers.objects.has(term.class)
      : answers.fields.has(term.field.name) ||
        answers.fields.has(`${term.field.name}Count`) ||
        (term.field.kind !== 'literal' && answers.objects.has(term.field.target)),
  );
  const names = wanted.map((term) => (term.kind === 'class' ? term.class : term.field.name));
  return isThere
    ? undefined
    : `The question asks for ${[...new Set(names)].join(' or ')}, and the query answers with none of it`;
}

/** What stands behind `which` and its like: classes or fields that the words may name. */
function wantedBy({ tokens, lexicon }: About): Term[] {
  const at = tokens.findIndex(({ word }) => ofWhich.has(word));
  if (at < 0 || at > 2) return [];
  for (let next = at + 1; next <= at + mostBetween; next++) {
    const terms = lexicon.termsAt(tokens, next).filter(({ cost }) => cost < 0.5);
    const nouns = terms.filter(
      ({ term }) => term.kind === 'class' || term.field.kind !== 'literal' || term.field.scalar !== 'Boolean',
    );
    if (nouns.length > 0) return nouns.map(({ term }) => term);
  }
  return [];
}

function answersOf(schema: GraphQLSchema, document: DocumentNode): Answers {
  const answers: Answers = { objects: new Set(), values: new Set(), fields: new Set(), roots: [] };
  const types = new TypeInfo(schema);
  const enter = ({ name: { value: name } }: FieldNode) => {
    const type = getNamedType(types.getType());
    if (types.getParentType() === schema.getQueryType()) answers.roots.push(name);
    answers.fields.add(name);
    if (isLeafType(type)) answers.values.add(type.name);
    if (isObjectType(type)) answers.objects.add(type.name);
  };
  // Keys of groups have the names of fields; arguments are no answer.
  visit(document, visitWithTypeInfo(types, { Field: { enter }, [Kind.ARGUMENT]: { enter: () => false } }));
  return answers;
}
