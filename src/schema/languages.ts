import {
  type ArgumentNode,
  defaultFieldResolver,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLString,
  isObjectType,
  type NameNode,
  type OperationDefinitionNode,
  valueFromAST,
  visit,
} from 'graphql';
import { quoted } from '../graph/names/names.ts';
import type { LiteralField } from '../vocabulary/vocabulary.ts';

/*
 * `name(lang: ["de", "en"])`. @neo4j/graphql takes arguments only of fields with Cypher of their own, and no conditions
 * or order by such. So each text has a twin with Cypher, which the library knows and nobody else sees: a field that is
 * asked for by language is its twin to the library.
 */

const suffix = '__ofLanguage';
const argument = 'lang';
const description = 'By these languages, best first (BCP 47; "de" is "de-CH" too), then what has none';

/** What @neo4j/graphql is to know of a text field: its twin, in SDL. */
export function twinOf({ name, list }: LiteralField, relationshipType: string): string {
  // Without a row the library would lose the entity.
  const end = list
    ? '\n    WITH collect(DISTINCT o.value) AS texts UNWIND texts AS text RETURN text'
    : ' LIMIT 1\n    RETURN head(collect(o.value)) AS text';
  const statement = `
    MATCH (this)-[s:${quoted(relationshipType)}]->(o:Literal)
    WHERE s.statementId IS NOT NULL AND o.value IS :: STRING NOT NULL AND o.language IS :: STRING
    WITH s, o, [place IN range(0, size($${argument}) - 1) WHERE toLower(o.language) = toLower($${argument}[place])
      OR toLower(o.language) STARTS WITH (toLower($${argument}[place]) + '-')][0] AS place
    WHERE place IS NOT NULL OR o.language IS NULL
    WITH s, o, place
    ORDER BY coalesce(place, size($${argument})),
      coalesce(s.certainty, 1.0) DESC, s.observedAt DESC, s.statementId${end}`;
  const type = list ? '[String!]' : 'String';
  const directive = `@cypher(columnName: "text", statement: """${statement}""")`;
  return `${name}${suffix}(${argument}: [String!]!): ${type} ${directive}`;
}

/**
 * Gives the texts of a schema `lang`, and hides their twins.
 * @param shown the schema that queries are validated against
 * @param known another copy of it, which stays as the library knows it
 */
export function withLanguages(shown: GraphQLSchema, known: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(shown.getTypeMap())) if (isObjectType(type)) hideTwins(type.getFields());
  for (const field of Object.values(shown.getQueryType()?.getFields() ?? {})) {
    const { resolve } = field;
    if (resolve === undefined) continue;
    field.resolve = (source, args, context, info) => resolve(source, args, context, toldOf(info, known));
  }
  return shown;
}

function hideTwins(fields: Record<string, GraphQLField<unknown, unknown>>): void {
  for (const name of Object.keys(fields)) {
    const field = name.endsWith(suffix) && fields[name.slice(0, -suffix.length)];
    if (!field) continue;
    delete fields[name];
    const type = new GraphQLList(new GraphQLNonNull(GraphQLString));
    const more = {
      description,
      defaultValue: undefined,
      deprecationReason: undefined,
      extensions: {},
      astNode: undefined,
    };
    const { resolve = defaultFieldResolver } = field;
    field.resolve = (source, args, context, info) =>
      args[argument]
        ? (source as Record<string, unknown>)[`${info.path.key}${aliasSuffix(info)}`]
        : resolve(source, args, context, info);
    field.args = [...field.args, { name: argument, type, ...more }];
  }
}

/** What the library is told of a query: where texts are asked for by language, their twins. */
function toldOf(info: GraphQLResolveInfo, known: GraphQLSchema): GraphQLResolveInfo {
  const parentType = known.getQueryType();
  const returnType = parentType?.getFields()[info.fieldName]?.type;
  const ending = aliasSuffix(info);
  if (!parentType || !returnType || ending === undefined) return info;
  const twins = <Node extends FieldNode | FragmentDefinitionNode>(node: Node): Node =>
    visit(node, { Field: (field) => twin(field, ending, info.variableValues) });
  const fragments = Object.entries(info.fragments).map(([name, each]) => [name, twins(each)]);
  return {
    ...info,
    ...{ schema: known, parentType, returnType },
    fieldNodes: info.fieldNodes.map(twins),
    fragments: Object.fromEntries(fragments),
  };
}

function twin(field: FieldNode, ending: string, variables: Record<string, unknown>): FieldNode | undefined {
  const given = languagesOf(field);
  if (given === undefined) return undefined;
  const languages = valueFromAST(given.value, new GraphQLList(GraphQLString), variables);
  const others = field.arguments?.filter((each) => each !== given) ?? [];
  if (languages === null || languages === undefined) return { ...field, arguments: others };
  const { name, alias = name } = field;
  return { ...field, name: longer(name, suffix), alias: longer(alias, ending), arguments: [...others, given] };
}

const longer = (name: NameNode, ending: string): NameNode => ({ ...name, value: `${name.value}${ending}` });

/** The argument, which no field of the library's own has. */
function languagesOf({ arguments: given = [] }: FieldNode): ArgumentNode | undefined {
  return given.find(({ name }) => name.value === argument);
}

/** By operation: what is cached as a document is looked through once. */
const suffixes = new WeakMap<OperationDefinitionNode, { of: string | undefined }>();

/**
 * What the names of twins end with in an answer, so that no other key of it is called so, as one may be that the
 * library needs for an order or that the query has for another field; undefined where no language is asked for.
 */
function aliasSuffix({ operation, fragments }: GraphQLResolveInfo): string | undefined {
  const before = suffixes.get(operation);
  if (before !== undefined) return before.of;
  let asks = false;
  const names: string[] = [];
  const look = (field: FieldNode) => {
    asks = asks || languagesOf(field) !== undefined;
    names.push((field.alias ?? field.name).value);
  };
  for (const each of [operation, ...Object.values(fragments)]) visit(each, { Field: look });
  let free = suffix;
  while (names.some((name) => name.endsWith(free))) free += '_';
  const found = { of: asks ? free : undefined };
  suffixes.set(operation, found);
  return found.of;
}
