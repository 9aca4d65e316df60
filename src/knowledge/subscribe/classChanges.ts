import {
  extendSchema,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  parse,
} from 'graphql';
import { changeFields } from '../../schema/subscription.ts';
import type { ClassDefinition, Vocabulary } from '../../vocabulary/vocabulary.ts';

/** What a subscription field of a class is made for, in the field's `extensions`. */
export interface ClassChanges {
  /** IRI. */
  class: string;
  /** The field of Query that lists its entities. */
  root: string;
  /** The type of the condition on them. */
  where: string;
}

const extension = 'concordClassChanges';

/** What a subscription field is made for; undefined where it isn't one of a class. */
export function classChangesOf({ extensions }: Pick<GraphQLField<unknown, unknown>, 'extensions'>) {
  return extensions[extension] as ClassChanges | undefined;
}

/** The field of a change that shows the entity. */
export const entityField = 'after';

/**
 * The schema with a subscription field for each class: `countryChanged(where:)`. It comes behind `withSubscriptions`. A
 * class called Statement has none, for `statementChanged` is there already.
 */
export function withClassChanges(schema: GraphQLSchema, { classes }: Pick<Vocabulary, 'classes'>): GraphQLSchema {
  const served = classes.flatMap((each) => {
    const root = rootOf(schema, each);
    return root === undefined || each.name === 'Statement' ? [] : [{ ...each, root }];
  });
  if (served.length === 0) return schema;
  const extended = extendSchema(schema, parse(served.map(definitionsOf).join('\n')));
  const fields = extended.getSubscriptionType()?.getFields() ?? {};
  for (const { name, iri, root } of served) {
    const field = fields[fieldOf(name)];
    const made: ClassChanges = { class: iri, root, where: `${name}Where` };
    if (field) field.extensions = { ...field.extensions, [extension]: made };
  }
  return extended;
}

const fieldOf = (name: string) => `${name.charAt(0).toLowerCase()}${name.slice(1)}Changed`;

/** The field of Query that lists the entities of a class, by the conditions of its own. */
function rootOf(schema: GraphQLSchema, { name }: ClassDefinition): string | undefined {
  return Object.values(schema.getQueryType()?.getFields() ?? {}).find(
    ({ type, args }) =>
      isListType(getNullableType(type)) &&
      getNamedType(type).name === name &&
      isObjectType(getNamedType(type)) &&
      args.some((each) => each.name === 'where' && getNamedType(each.type).name === `${name}Where`),
  )?.name;
}

function definitionsOf({ name }: ClassDefinition): string {
  return `
    extend type Subscription {
      """
      Every change of a statement about a ${name} that meets the condition after it, or has met it before. Served at
      /graphql.
      """
      ${fieldOf(name)}(
        where: ${name}Where
        """Resume after this sequence, a whole number; absent: after the last change that there is."""
        afterSequence: Float
      ): ${name}Change!
    }

    type ${name}Change {
      """It as the change has left it; absent where it meets the condition no longer, or there is nothing left to see."""
      ${entityField}: ${name}
      ${changeFields}
    }`;
}
